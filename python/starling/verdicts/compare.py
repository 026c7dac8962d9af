"""`starling compare`: a launcher line natively and tuned in turn, by the clock of whoever waits for it."""

from __future__ import annotations

import math
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev
from typing import IO, Any

from rich.console import Console
from rich.text import Text

from starling.installation import itself
from starling.launchers import process
from starling.messages import printable
from starling.terminal.figures import human_seconds
from starling.terminal.tables import Column, fitted

_QUANTILES = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)
"""Student's t for 95 % intervals, by degrees of freedom from 1 on."""
_NORMAL = 1.96
"""The same for many; for few more than in the table, t is about 2.7 / degrees larger."""
_LINES = 12
"""Last lines of a failed program's output that are shown."""


class CompareError(Exception):
    """A run failed; `status` is its exit status, `said` the last lines that it printed."""

    def __init__(self, message: str, status: int, said: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.said = said


@dataclass(frozen=True)
class Comparison:
    """Seconds of native and tuned runs, pair by pair, from the command's start to its end."""

    line: Sequence[str]
    native: Sequence[float]
    tuned: Sequence[float]

    @property
    def ratios(self) -> list[float]:
        """How many times as fast as native the tuned run of each pair was."""
        return [native / tuned for native, tuned in zip(self.native, self.tuned, strict=True)]

    @property
    def ratio(self) -> float:
        """Their geometric mean."""
        return math.exp(fmean(map(math.log, self.ratios)))

    @property
    def margin(self) -> float | None:
        """Half the 95 % confidence interval of the ratio; None for a single pair."""
        logs = [math.log(one) for one in self.ratios]
        if len(logs) < 2:
            return None
        freedom = len(logs) - 1
        quantile = _QUANTILES[freedom - 1] if freedom <= len(_QUANTILES) else _NORMAL + 2.7 / freedom
        return self.ratio * math.expm1(quantile * stdev(logs) / math.sqrt(len(logs)))

    @property
    def verdict(self) -> str:
        """One sentence."""
        if self.margin is None:
            return f"tuned {self.ratio:.2f} times as fast, by one pair of runs: say --runs 5 to know how sure that is"
        text = f"tuned {self.ratio:.2f} times as fast"
        if self.margin >= self.ratio:
            return f"{text}: no difference that {len(self.ratios)} pairs of runs can show, these differ too much"
        text = f"tuned {self.ratio:.2f} +- {self.margin:.2f} times as fast"
        saved = median(self.native) - median(self.tuned)
        if abs(self.ratio - 1) <= self.margin:
            return f"{text}: no difference that {len(self.ratios)} pairs of runs can show"
        less = "less" if saved > 0 else "more"
        return f"{text}: {human_seconds(abs(saved))} {less} of {human_seconds(median(self.native))} (medians)"

    def as_json(self) -> dict[str, Any]:
        """Seconds, ratio and margin."""
        return {
            "line": list(self.line),
            "native_s": list(self.native),
            "tuned_s": list(self.tuned),
            "ratios": self.ratios,
            "ratio": self.ratio,
            "margin": self.margin,
        }


def _seconds(line: Sequence[str], environ: Mapping[str, str], output: IO[bytes], what: str) -> float:
    """Runs a command. Raises CompareError if it fails."""
    output.seek(0)
    output.truncate()
    began = time.perf_counter()
    try:
        done = subprocess.run(
            list(line),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(environ),
            check=False,
            preexec_fn=process.ended_with_parent(),
        )
    except FileNotFoundError as error:
        raise CompareError(f"{printable(line[0])}: not found", process.NOT_FOUND) from error
    except OSError as error:
        raise CompareError(
            f"{printable(line[0])}: cannot be executed: {error.strerror}", process.NOT_EXECUTABLE
        ) from error
    took = time.perf_counter() - began
    if done.returncode:
        status = 128 - done.returncode if done.returncode < 0 else done.returncode
        raise CompareError(
            f"the {what} run ended with exit status {status}, so there is nothing to compare; its last lines:",
            status,
            _lines(output)[-_LINES:],
        )
    return took


def _lines(output: IO[bytes]) -> list[str]:
    output.seek(0)
    return output.read().decode(errors="replace").splitlines()


def _complaints(output: IO[bytes]) -> list[str]:
    """Starling's lines in the output of a tuned run, without the one that says where the record is."""
    said = [one for one in _lines(output) if one.startswith("starling: ")]
    return [one.removeprefix("starling: ") for one in said if not one.startswith("starling: record ")]


def compare(
    line: Sequence[str],
    settings: Sequence[str],
    runs: int,
    environ: Mapping[str, str],
    told: Callable[[str], None],
    progress: Callable[[int, str], None],
) -> Comparison:
    """Runs the line natively and, with `settings` as `starling run` takes them, tuned: `runs` times each, in turn.

    Which comes first changes from pair to pair. `told` gets what Starling says of the tuned runs, each sentence once;
    `progress` the number of runs that are done and what the next is. Raises CompareError.
    """
    lines = {
        "native": list(line),
        "tuned": itself.starling(["run", *settings, "--", *line]),
    }
    seconds: dict[str, list[float]] = {"native": [], "tuned": []}
    heard: set[str] = set()
    with tempfile.TemporaryFile(prefix="starling-compare-") as output:
        for pair in range(runs):
            order = ("native", "tuned") if pair % 2 == 0 else ("tuned", "native")
            for number, what in enumerate(order):
                progress(2 * pair + number, what)
                seconds[what].append(_seconds(lines[what], environ, output, what))
                if what == "tuned":
                    for one in _complaints(output):
                        if one not in heard:
                            told(one)
                        heard.add(one)
    return Comparison(line, seconds["native"], seconds["tuned"])


def render(found: Comparison, console: Console) -> None:
    """Prints the verdict, then the runs."""
    console.print(Text(found.verdict, style="bold"))
    console.print()
    columns = [
        Column("pair", [str(number + 1) for number in range(len(found.native))]),
        Column("native", [human_seconds(one) for one in found.native]),
        Column("tuned", [human_seconds(one) for one in found.tuned]),
        Column("times as fast", [f"{one:.3f}" for one in found.ratios]),
    ]
    console.print(fitted(columns, console.width))
