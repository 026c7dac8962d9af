"""Files of measured times (`starling bench compare`, bench/): the format, medians with intervals, ratios."""

from __future__ import annotations

import json
import math
import os
import platform as this_machine
import random
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from starling.lab import idle
from starling.messages import printable

SCHEMA: Literal[1] = 1
FEWEST = 6
"""Least number of values for the interval of a median: with fewer, the whole range has less than 95 % confidence."""
_RESAMPLES = 1000


class MeasuredError(Exception):
    """A file that cannot be read, in words for people."""


class Measurement(BaseModel):
    """Times of one thing done in one way, in one job.

    `what` is a collective or a program, `bytes` the size of a block (of the vector where there are no blocks); `how` is
    `native`, a strategy or a candidate. `seconds` are of each call or step, on its slowest rank. `cpu_idle` is the
    unused share of processor time, where this machine was the cluster. `made` is
    the day and the commit of the sources that measured, as `2026-11-22 5f8b8f0`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    what: str
    bytes: int | None = None
    platform: str
    mpi: str
    ranks: int = Field(ge=1)
    how: str
    round: int = Field(default=0, ge=0)
    seconds: list[Annotated[float, Field(gt=0, allow_inf_nan=False)]] = Field(min_length=1)
    cpu_idle: float | None = None
    made: str = ""
    notes: dict[str, Any] = {}

    @property
    def case(self) -> Case:
        """What is the same in all rounds."""
        return Case(self.platform, self.mpi, self.ranks, self.what, self.bytes, self.how)


class Case(NamedTuple):
    """The key of a measurement."""

    platform: str
    mpi: str
    ranks: int
    what: str
    bytes: int | None
    how: str


class Measurements(BaseModel):
    """A file of measurements, with the command and the machine that made it."""

    model_config = ConfigDict(extra="forbid")

    schema_: Literal[1] = Field(default=SCHEMA, alias="schema")
    command: list[str] = []
    machine: dict[str, Any] = {}
    measurements: list[Measurement] = []

    def write(self, path: Path) -> None:
        """Replaces the file atomically."""
        rows = ",\n  ".join(one.model_dump_json(exclude_defaults=True) for one in self.measurements)
        head = json.dumps({"schema": SCHEMA, "command": self.command, "machine": self.machine})
        half = path.with_name(f".{path.name}.{os.getpid()}")
        half.write_text(f'{head[:-1]}, "measurements": [\n  {rows}\n]}}\n')
        half.replace(path)

    def by_case(self) -> dict[Case, list[Measurement]]:
        """The rounds of each case, in the order of the file."""
        found: dict[Case, list[Measurement]] = {}
        for one in self.measurements:
            found.setdefault(one.case, []).append(one)
        return found


def empty() -> Measurements:
    """A file without measurements yet, made by this command on this machine."""
    machine = {
        "processors": os.cpu_count(),
        "model": next(
            (line.partition(":")[2].strip() for line in _lines(Path("/proc/cpuinfo")) if line.startswith("model name")),
            this_machine.machine(),
        ),
        "system": f"{this_machine.freedesktop_os_release().get('PRETTY_NAME', '')}, Linux {this_machine.release()}",
    }
    # Folders of this machine tell a reader nothing.
    words = [Path(word).name if word.startswith("/") else word for word in sys.argv]
    return Measurements(command=[Path(words[0]).name, *words[1:]], machine=machine)


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.is_file() else []


def read_or_empty(path: Path) -> Measurements:
    """The measurements of a file, none if it does not exist. Raises MeasuredError."""
    return read(path) if path.exists() else empty()


def read(path: Path) -> Measurements:
    """The measurements of a file. Raises MeasuredError."""
    try:
        return Measurements.model_validate_json(path.read_bytes())
    except OSError as error:
        raise MeasuredError(f"{printable(path)}: {error.strerror}; give a file that bench/ wrote") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = "".join(f"{part}." for part in first["loc"]).removesuffix(".")
        raise MeasuredError(
            f"{printable(path)}: {printable(where and where + ': ')}{printable(first['msg'])}; "
            "give a file that bench/ wrote"
        ) from error


class Interval(NamedTuple):
    """A median or a ratio of medians, with its 95 % confidence interval."""

    low: float
    middle: float
    high: float


def interval(values: Sequence[float]) -> Interval:
    """The median of at least one value, and its interval by order statistics: the whole range where values are few.

    Conover, Practical Nonparametric Statistics, section 3.2: the r-th smallest and largest of n bound the median, r
    being the 2.5 % quantile of a binomial distribution (n, 1/2).
    """
    ordered = sorted(values)
    count, below, skipped = len(ordered), 1, -1
    while below / 2**count <= 0.025:
        skipped += 1
        below += math.comb(count, skipped + 1)
    skipped = max(0, skipped)
    return Interval(ordered[skipped], median(ordered), ordered[len(ordered) - 1 - skipped])


def ratio(above: Sequence[float], below: Sequence[float]) -> Interval:
    """Median above / median below, with its interval by resampling both (deterministic)."""
    dice = random.Random(0)  # noqa: S311 - statistics
    resampled = sorted(
        median(dice.choices(above, k=len(above))) / median(dice.choices(below, k=len(below))) for _ in range(_RESAMPLES)
    )
    return Interval(
        resampled[round(0.025 * _RESAMPLES)], median(above) / median(below), resampled[round(0.975 * _RESAMPLES) - 1]
    )


def geometric_mean(values: Iterable[float]) -> float:
    """Of at least one value, all above 0."""
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms))


def seconds_of(rounds: Iterable[Measurement]) -> list[float]:
    """The times of all rounds together."""
    return [value for one in rounds for value in one.seconds]


def cpu_bound(rounds: Iterable[Measurement]) -> bool:
    """Whether a round was bound by the processors of this machine."""
    return any(one.cpu_idle is not None and one.cpu_idle < idle.CPU_BOUND for one in rounds)


class Compared(NamedTuple):
    """One case in two files; `ratio` is the first's time / the second's: above 1 the second is faster."""

    case: Case
    first: Interval
    second: Interval
    ratio: Interval
    cpu_bound: bool
    values: int
    """Number of times in the smaller of the two sets."""

    @property
    def verdict(self) -> str:
        """`even` where the interval contains 1, `unknown` where values are too few, else `faster` or `slower`."""
        if self.values < FEWEST:
            return "unknown"
        return "faster" if self.ratio.low > 1 else "slower" if self.ratio.high < 1 else "even"


def compare(first: Measurements, second: Measurements) -> tuple[list[Compared], list[Case], list[Case]]:
    """The cases of both files, and those that only the first or only the second has."""
    ours, theirs = first.by_case(), second.by_case()
    both = [
        Compared(
            case,
            interval(seconds_of(ours[case])),
            interval(seconds_of(theirs[case])),
            ratio(seconds_of(ours[case]), seconds_of(theirs[case])),
            cpu_bound([*ours[case], *theirs[case]]),
            min(len(seconds_of(ours[case])), len(seconds_of(theirs[case]))),
        )
        for case in ours
        if case in theirs
    ]
    return both, [case for case in ours if case not in theirs], [case for case in theirs if case not in ours]
