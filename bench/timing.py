"""Measuring for the scripts of this folder: collective_times.c under `starling run`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from starling.lab import idle
from starling.networks.platform_file import Platform

PROGRAM = Path(__file__).with_name("collective_times.c")


@dataclass(frozen=True)
class Times:
    """One job: seconds of each call on its slowest rank, by case; the run record; the share of idle processor time."""

    seconds: dict[str, list[float]]
    record: dict[str, Any]
    cpu_idle: float


@cache
def made() -> str:
    """The day, and the commit of the sources: what `Measurement.made` says."""
    line = ("git", "-C", str(PROGRAM.parent), "describe", "--always", "--dirty", "--exclude=*")
    commit = subprocess.run(line, capture_output=True, text=True, check=False).stdout.strip()
    return f"{datetime.now(tz=UTC):%Y-%m-%d} {commit}".strip()


def compiled(mpicc: str, folder: Path) -> Path:
    """The program for the MPI of a compiler wrapper."""
    program = folder / PROGRAM.stem
    subprocess.run([mpicc, "-O2", PROGRAM, "-o", program], check=True)
    return program


def command(launcher: Sequence[str], program: Path, strategy: str, record: Path, options: Sequence[str]) -> list[str]:
    """`starling run` before a launcher line; without a history unless an option names one."""
    history = () if "--history" in options else ("--history", "off")
    tuned = ["starling", "run", "--quiet", "--strategy", strategy, "--record", str(record), *history, *options]
    return [*tuned, "--", *launcher, str(program)]


def timed(
    launcher: Sequence[str],
    program: Path,
    strategy: str,
    cases: Sequence[str],
    *,
    warmup: int,
    calls: int,
    options: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    timeout: float = 900,
    computation: float = 0,
    row: int = 1,
) -> Times:
    """Runs one job with `cases` like "bcast:65536", one after the other. Raises RuntimeError where it fails.

    With `computation` ranks compute that many seconds between calls instead of synchronising before each. With `row` a
    call is so many in a row, and takes their mean time.
    """
    record = program.with_name("record.json")
    record.unlink(missing_ok=True)
    line = command(launcher, program, strategy, record, options)
    between = ["-c", str(computation)] if computation else ["-r", str(row)] if row > 1 else []
    line += [*between, str(warmup), str(calls), *cases]
    before = idle.ticks()
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=timeout, env=env)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(line)}: exit status {done.returncode}: {done.stderr.strip()[-300:]}")
    share = idle.ticks().idle_since(before)
    found = {f"{one['collective']}:{one['bytes']}": one["seconds"] for one in json.loads(done.stdout)["cases"]}
    return Times(found, json.loads(record.read_text()), round(share, 3))


def place_of(platform: Platform) -> str:
    """A lab's platform with the rate of its hosts' links: `single:16, 100 Mbit/s`."""
    (rate, *others) = sorted({platform.links_of(name)[0].rate for name in platform.host_names})
    slowest = f"{rate / 1e6:g} Mbit/s"
    return f"{platform.name}, {slowest} and more" if others else f"{platform.name}, {slowest}"


def carried_out(times: Times, collective: str, candidate: str) -> bool:
    """Whether a forced candidate really ran, rather than native because it was not eligible."""
    return any(
        one["collective"] == collective and one["winner"] == candidate
        for one in times.record["contexts"]
        if one["stage"] != "pass-through"
    )
