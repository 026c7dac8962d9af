"""`starling calibrate`: the parameters of the cost model, fitted to messages between two hosts (docs/cost-model.md)."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Console
from rich.table import Table

from starling import files
from starling.installation import build
from starling.launchers import launcher
from starling.messages import printable
from starling.networks.platform_file import Platform
from starling.terminal.figures import human_bytes, human_seconds
from starling.trials import trial

PROGRAM = Path("src/tools/link_times.c")
_SECONDS = 300
"""Time limit, more than the program takes on any network."""

_TURNS = 1.25
"""From this multiple of one message's time on, the two messages of an exchange count as taking turns."""

Times = Sequence[tuple[int, float]]
"""Bytes of messages, and their seconds one way."""


class CalibrationError(Exception):
    """Nothing was measured; the text says why and what to do. `status` is the command's exit status."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Line:
    """T(m) = base + m per_byte (Hockney 1994), in seconds, for a message of m bytes, one way."""

    base: float
    per_byte: float

    def seconds(self, size: int) -> float:
        """Of a message of `size` bytes."""
        return self.base + size * self.per_byte

    def error(self, times: Times) -> float:
        """The mean of |T / measured - 1|."""
        return fmean(abs(self.seconds(size) / seconds - 1) for size, seconds in times)


def line_of(pair: Mapping[str, Any]) -> Line:
    """The line between two ranks: its base is that of the smallest message, its slope that of a stream of large ones.

    This is LogGP's definition of L and G. A line fitted to all sizes would be wrong in both parts on networks that
    pass the first bytes after a pause at once.
    """
    size, seconds = _times(pair)[0]
    return Line(max(seconds - size * pair["s_per_byte"], 0.0), pair["s_per_byte"])


def _times(pair: Mapping[str, Any]) -> Times:
    return [(int(size), float(seconds)) for size, seconds in pair["one_way_s"]]


def _compiler(line: Sequence[str], requested: str | None) -> str:
    if requested is not None:
        return requested
    found = launcher.locate(line)
    flavour = found.identity.flavour if found.identity else None
    mpicc = launcher.compiler_beside(line[found.at], flavour)
    if mpicc is None:
        raise CalibrationError(f"no mpicc beside {printable(line[found.at])}; name it with --mpicc", 2)
    return mpicc


def measure(line: Sequence[str], mpicc: str | None, environ: Mapping[str, str]) -> dict[str, Any]:
    """Runs the program by a launcher line like `mpirun -n 2`; returns its output. Raises CalibrationError."""
    try:
        program = trial.compiled(_compiler(line, mpicc), build.sources() / PROGRAM, environ)
    except (build.BuildError, trial.CompileError) as error:
        raise CalibrationError(str(error)) from error
    except OSError as error:
        raise CalibrationError(f"{printable(error.filename)}: {error.strerror}") from error
    try:
        done = subprocess.run(
            [*line, str(program)],
            env=trial.environment(environ),
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
        found: dict[str, Any] = json.loads(
            next((text[text.index('{"') :] for text in done.stdout.splitlines() if '{"' in text), "")
        )
    except subprocess.TimeoutExpired as error:
        raise CalibrationError(f"no result within {_SECONDS} s; do the two hosts reach each other?") from error
    except OSError as error:
        raise CalibrationError(f"{printable(line[0])}: cannot be executed: {error.strerror}", 2) from error
    except json.JSONDecodeError as error:
        said = [text for text in done.stderr.splitlines() if text.strip()]
        why = said[0].strip() if said else "it printed nothing"
        raise CalibrationError(
            f"{printable(line[0])} ended with exit status {done.returncode}: {printable(why)}"
        ) from error
    return found


def _known(platform: Platform, name: str) -> str:
    """The platform's host with a computer's own name, with or without domain."""
    found = next((one for one in (name, name.partition(".")[0]) if one in platform.host_names), None)
    if found is None:
        raise CalibrationError(
            f"a rank ran on {printable(name)}, which is no host of {printable(platform.name)}; describe it there"
        )
    return found


def parameters(measured: Mapping[str, Any], platform: Platform) -> tuple[dict[str, Any], Line]:
    """The contents of a file of parameters, and the line between the two hosts. Raises CalibrationError."""
    ends = [_known(platform, name) for name in measured["hosts"]]
    path = platform.path(*ends)
    if not path:
        raise CalibrationError(
            f"both ranks ran on {printable(ends[0])}; give each its own host, as in: mpirun -n 2 --host a,b"
        )
    far = measured["far"]
    line = line_of(far)
    overhead = min(far["send_s"], line.base / 2)
    found: dict[str, Any] = {
        "schema": 1,
        "overhead_s": overhead,
        "gap_s": far["flood_s"],
        "latency_s": max(line.base - 2 * overhead - sum(link.latency for link in path), 0.0),
        "rate_share": 8 / (line.per_byte * min(link.rate for link in path)),
        "large_take_turns": far["exchange_s"] > _TURNS * line.seconds(measured["exchange_bytes"]),
        "copy_s_per_byte": measured["copy_s_per_byte"],
        "combine_s_per_byte": measured["combine_s_per_byte"],
    }
    if near := measured.get("near"):
        beside = line_of(near)
        found["memory_latency_s"] = max(beside.base - 2 * overhead, 0.0)
        found["memory_s_per_byte"] = beside.per_byte
    found["measured"] = {"hosts": ends, "error": line.error(_times(far)), **far}
    return found, line


def render(found: Mapping[str, Any], line: Line, console: Console) -> None:
    """Prints the parameters, and measured times beside those of the model."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("message", "measured", "o + L + m G + o"):
        table.add_column(title, justify="right")
    for size, seconds in found["measured"]["one_way_s"]:
        table.add_row(human_bytes(size), human_seconds(seconds), human_seconds(line.seconds(size)))
    console.print(f"one way from {' to '.join(map(printable, found['measured']['hosts']))}")
    console.print(table)
    console.print(
        f"the line is off by {found['measured']['error']:.0%} in the mean; o {human_seconds(found['overhead_s'])}, "
        f"L {human_seconds(found['latency_s'])}, g {human_seconds(found['gap_s'])}, "
        f"G from {found['rate_share']:.1%} of the links' rates"
        + "; large messages of two ranks to each other take turns"
        * found["large_take_turns"]
    )


def write(found: Mapping[str, Any], path: Path) -> None:
    """Writes a file of parameters. Raises CalibrationError."""
    try:
        files.write(path, json.dumps(found, indent=1) + "\n")
    except OSError as error:
        raise CalibrationError(f"{printable(path)}: cannot be written: {error.strerror}") from error
