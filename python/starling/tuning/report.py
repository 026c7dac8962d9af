"""A tuning table for people: what it says, and what that gains over native."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache
from statistics import fmean
from typing import NamedTuple

from rich.console import Console

from starling.algorithms import repository
from starling.installation.questions import RepositoryError
from starling.messages import printable
from starling.tables.table import NATIVE, Choice, Interval, Shape, Table
from starling.terminal.figures import human_bytes, human_seconds
from starling.terminal.tables import Column, fitted, line
from starling.tuning.samples import FEWEST


class Kind(StrEnum):
    """Kinds of ways, as Hartmann et al. tell them apart, and the MPI library's own algorithms."""

    GROUPS = "orthogonal groups"
    MESSAGES = "point-to-point"
    LIBRARY = "the MPI library's algorithms"


@cache
def _of_groups() -> frozenset[str]:
    """The algorithms that work on groups of ranks by the MPI library's collectives."""
    try:
        listed = repository.listing()["algorithms"]
    except RepositoryError:
        return frozenset()
    return frozenset(one["name"] for one in listed if str(one["group"]).startswith("groups"))


def kind(way: str) -> Kind:
    """The kind of a way other than native."""
    if way.startswith(f"{NATIVE}_"):
        return Kind.LIBRARY
    return Kind.GROUPS if way.partition("?")[0] in _of_groups() else Kind.MESSAGES


class Gains(NamedTuple):
    """Improvement over native across sizes: 1 - time / native's time, where native is the fastest 0."""

    least: float
    mean: float
    most: float


def measured(table: Table, shape: Shape) -> dict[int, dict[str, float]]:
    """Seconds of what was measured of a shape: by size, then by way; only sizes at which native was measured."""
    return {size: ways for size, ways in table.compared(shape).items() if NATIVE in ways}


def gains(table: Table, shape: Shape) -> dict[Kind, Gains]:
    """The improvement of the fastest way of each kind at each size; kinds that were not measured are missing.

    A way that made few calls at a size, where native made more, does not count there: of many the luckiest would.
    """
    by_kind: dict[Kind, list[float]] = {}
    lucky = _of_few_calls(table, shape)
    rows = {
        size: {way: seconds for way, seconds in ways.items() if (size, way) not in lucky}
        for size, ways in measured(table, shape).items()
    }
    there = {kind(way) for ways in rows.values() for way in ways if way != NATIVE}
    kinds = [one for one in Kind if one in there]
    for ways in rows.values():
        native = ways[NATIVE]
        for one in kinds:
            times = [seconds for way, seconds in ways.items() if way != NATIVE and kind(way) is one]
            by_kind.setdefault(one, []).append(max(1 - min(times, default=native) / native, 0.0) if native else 0.0)
    return {one: Gains(min(shares), fmean(shares), max(shares)) for one, shares in by_kind.items()}


def _of_few_calls(table: Table, shape: Shape) -> set[tuple[int, str]]:
    """The sizes and ways of a shape at which a way made too few calls to tell how they scatter, and native did not."""
    points = list(table.measured(shape))
    natives = {one.bytes for one in points if one.way == NATIVE and one.samples >= FEWEST}
    return {(one.bytes, one.way) for one in points if one.bytes in natives and one.samples < FEWEST and not one.counted}


def _end(size: int | None) -> str:
    return "no end" if size is None else human_bytes(size)


def _rows(table: Table) -> Iterator[tuple[Choice, Interval]]:
    for choice in table.choices:
        for interval in choice.intervals:
            yield choice, interval


def _share(value: float) -> str:
    return f"{value:.0%}"


def _seconds(interval: Interval) -> str:
    if interval.seconds is None:
        return "-"
    start, end = (human_seconds(one) for one in interval.seconds)
    return start if start == end else f"{start} to {end}"


def _gain(interval: Interval) -> str:
    return "-" if interval.gain is None or interval.way == NATIVE else f"{interval.gain:.2f}x"


def _intervals(rows: Sequence[tuple[Choice, Interval]]) -> list[Column]:
    return [
        Column("collective", [choice.collective for choice, _ in rows], right=False),
        Column("ranks", [str(choice.ranks) for choice, _ in rows]),
        Column("nodes", [str(choice.nodes) for choice, _ in rows], leave=2),
        Column("from", [human_bytes(one.from_) for _, one in rows], leave=5),  # the row above mostly ends there
        Column("below", [_end(one.below) for _, one in rows]),
        Column("way", [one.way for _, one in rows], right=False),
        Column("gain", [_gain(one) for _, one in rows], leave=4),
        Column("time of a call", [_seconds(one) for _, one in rows], leave=3),
        Column("why", [one.why for _, one in rows], leave=1, right=False),
    ]


def render(table: Table, console: Console) -> None:
    """Prints what the table says, and the least, mean and largest improvement over native by kind of way."""
    place = (
        f"{printable(table.machine) or 'any machine'}, {printable(table.mpi_flavour)} {printable(table.mpi_version)}"
    )
    console.print(line(f"{place}, {printable(table.made.when)}: {len(table.points)} measurements"))
    console.print(line(table.made.command), soft_wrap=True)
    for note in table.notes:
        console.print(line(note))
    console.print()
    console.print(fitted(_intervals(list(_rows(table))), console.width))
    found = [(choice.shape, one, of) for choice in table.choices for one, of in gains(table, choice.shape).items()]
    if not found:
        return
    console.print()
    console.print(line("Time saved against native across the sizes measured, by the fastest way of each kind", "bold"))
    columns = [
        Column("collective", [shape.collective for shape, _, _ in found], right=False),
        Column("ranks", [str(shape.ranks) for shape, _, _ in found]),
        Column("nodes", [str(shape.nodes) for shape, _, _ in found], leave=3),
        Column("kind", [str(one) for _, one, _ in found], right=False),
        *(
            Column(title, [_share(of[i]) for _, _, of in found], leave=leave)
            for i, (title, leave) in enumerate((("least", 1), ("mean", 0), ("most", 2)))
        ),
    ]
    console.print(fitted(columns, console.width))


def throughput(bytes_: int, seconds: float) -> float:
    """Bytes a second; infinite for no time."""
    return bytes_ / seconds if seconds else math.inf
