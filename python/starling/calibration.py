"""`starling calibrate`: the parameters of the cost model, fitted to messages between two hosts (docs/cost-model.md)."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Console
from rich.table import Table

from starling import build, launcher, trial
from starling.platform_file import Platform
from starling.report import human_bytes, human_seconds

PROGRAM = Path("src/tools/link_times.c")
_SECONDS = 300
"""More than the program takes on any network."""

Times = Sequence[tuple[int, float]]
"""Bytes of a message, and the seconds it takes one way."""


class CalibrationError(Exception):
    """Nothing was measured; the text says why and what to do. `status` is the command's exit status."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Fit:
    """T(m) = base + m per_byte, seconds, and the mean of |T / measured - 1| over the sizes."""

    base: float
    per_byte: float
    error: float

    def seconds(self, size: int) -> float:
        """Of a message of `size` bytes, one way."""
        return self.base + size * self.per_byte


def fit(times: Times, per_byte: float) -> Fit:
    """The line of Hockney 1994 through the times: the base with the least squares of relative errors, not negative.

    Relative, because times of small and large messages differ a thousandfold. Its slope is that of a stream of long
    messages, as LogGP defines G: what a quiet network takes in for nothing would make that of single ones too small.
    """
    weights = [1 / seconds**2 for _, seconds in times]
    rests = [weight * (seconds - size * per_byte) for weight, (size, seconds) in zip(weights, times, strict=True)]
    line = Fit(max(sum(rests) / sum(weights), 0.0), per_byte, 0.0)
    return replace(line, error=fmean(abs(line.seconds(size) / seconds - 1) for size, seconds in times))


def _times(pair: Mapping[str, Any]) -> Times:
    return [(int(size), float(seconds)) for size, seconds in pair["one_way_s"]]


def _compiler(line: Sequence[str], wished: str | None) -> str:
    if wished is not None:
        return wished
    found = launcher.locate(line)
    flavour = found.identity.flavour if found.identity else None
    mpicc = trial.compiler_beside(line[found.at], flavour)
    if mpicc is None:
        raise CalibrationError(f"no mpicc beside {line[found.at]}; name it with --mpicc", 2)
    return mpicc


def measure(line: Sequence[str], mpicc: str | None, environ: Mapping[str, str]) -> dict[str, Any]:
    """What the program prints that a launcher line like `mpirun -n 2` runs. Raises CalibrationError."""
    try:
        program = trial.compiled(_compiler(line, mpicc), build.sources() / PROGRAM, environ)
    except (build.BuildError, trial.CompileError) as error:
        raise CalibrationError(str(error)) from error
    except OSError as error:
        raise CalibrationError(f"{error.filename}: {error.strerror}") from error
    try:
        done = subprocess.run(
            [*line, str(program)],
            env=trial.environment(environ),
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
        found: dict[str, Any] = json.loads(next((text for text in done.stdout.splitlines() if text[:1] == "{"), ""))
    except subprocess.TimeoutExpired as error:
        raise CalibrationError(f"no result within {_SECONDS} s; do the two hosts reach each other?") from error
    except OSError as error:
        raise CalibrationError(f"{line[0]}: cannot be executed: {error.strerror}", 2) from error
    except json.JSONDecodeError as error:
        said = [text for text in done.stderr.splitlines() if text.strip()]
        why = said[0].strip() if said else "it printed nothing"
        raise CalibrationError(f"{line[0]} ended with exit status {done.returncode}: {why}") from error
    return found


def _known(platform: Platform, name: str) -> str:
    """The host of the platform that a computer calls itself, with or without its domain."""
    found = next((one for one in (name, name.partition(".")[0]) if one in platform.host_names), None)
    if found is None:
        raise CalibrationError(f"a rank ran on {name}, which is no host of {platform.name}; describe it there")
    return found


def parameters(measured: Mapping[str, Any], platform: Platform) -> tuple[dict[str, Any], Fit]:
    """The contents of a file of parameters, and the line between the two hosts. Raises CalibrationError."""
    ends = [_known(platform, name) for name in measured["hosts"]]
    path = platform.path(*ends)
    if not path:
        raise CalibrationError(f"both ranks ran on {ends[0]}; give each its own host, as in: mpirun -n 2 --host a,b")
    far = measured["far"]
    line = fit(_times(far), far["s_per_byte"])
    slowest = min(link.rate for link in path)
    overhead = min(far["send_s"], line.base / 2)
    found: dict[str, Any] = {
        "schema": 1,
        "overhead_s": overhead,
        "gap_s": far["flood_s"],
        "latency_s": max(line.base - 2 * overhead - sum(link.latency for link in path), 0.0),
        "rate_share": 8 / (line.per_byte * slowest),
        "copy_s_per_byte": measured["copy_s_per_byte"],
        "combine_s_per_byte": measured["combine_s_per_byte"],
    }
    if near := measured.get("near"):
        beside = fit(_times(near), near["s_per_byte"])
        found["memory_latency_s"] = max(beside.base - 2 * overhead, 0.0)
        found["memory_s_per_byte"] = beside.per_byte
    found["measured"] = {"hosts": ends, "fit_error": line.error, "one_way_s": far["one_way_s"]}
    return found, line


def render(found: Mapping[str, Any], line: Fit, console: Console) -> None:
    """Prints the parameters, and what was measured beside the line through it."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("message", "measured", "fitted"):
        table.add_column(title, justify="right")
    for size, seconds in found["measured"]["one_way_s"]:
        table.add_row(human_bytes(size), human_seconds(seconds), human_seconds(line.seconds(size)))
    console.print(f"one way from {' to '.join(found['measured']['hosts'])}")
    console.print(table)
    console.print(
        f"mean error of the fit {line.error:.0%}; o {human_seconds(found['overhead_s'])}, "
        f"L {human_seconds(found['latency_s'])}, g {human_seconds(found['gap_s'])}, "
        f"G from {found['rate_share']:.1%} of the links' rates"
    )


def write(found: Mapping[str, Any], path: Path) -> None:
    """Writes a file of parameters, by renaming. Raises CalibrationError."""
    half = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        half.write_text(json.dumps(found, indent=1) + "\n")
        half.replace(path)
    except OSError as error:
        raise CalibrationError(f"{path}: cannot be written: {error.strerror}") from error
