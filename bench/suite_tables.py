"""The tables of docs/results/emulated.md, from the measurements of suite.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

import markdown
import result_files

from starling.lab import measured
from starling.lab.measured import Measurement, Measurements, geometric_mean, seconds_of

COLLECTIVES = ("alltoall", "allgather", "allreduce", "bcast", "reduce", "gather", "scatter")
FIRST = 60
"""Calls whose total tells what tuning costs."""
LEARNED = "star"
TUNER = "Autotuner"
LARGE = 16384
"""Bytes from which means are taken where a file has both."""
MUCH = 1.03
"""Ratio from which something is called slower."""

Cell = tuple[str, int]
"""A collective and its bytes."""


class Row:
    """The summary of a cell's measurements."""

    def __init__(self, cell: Cell, hows: Mapping[str, Sequence[Measurement]]) -> None:
        learned = hows[LEARNED][0]
        self.cell = cell
        self.limit = float(learned.notes["limit_s"])
        raced = {
            how: seconds_of(one for one in rounds if one.round > 0)
            for how, rounds in hows.items()
            if any(one.round > 0 for one in rounds)
        }
        self.native = raced["native"]
        native_s = median(self.native)
        self.winner = str(learned.notes["winner"])
        self.unfinished = learned.notes["stage"] != "monitor_adapt"
        self.chosen = raced[self.winner]
        self.chosen_s = median(self.chosen)
        self.best = min(raced, key=lambda how: median(raced[how]))
        self.best_s = median(raced[self.best])
        forced = {
            how.removeprefix("native "): median(seconds_of(rounds))
            for how, rounds in hows.items()
            if how.startswith("native ")
        }
        self.hand = min(forced, key=forced.__getitem__, default="")
        self.hand_s = forced.get(self.hand)
        self.ratio = measured.ratio(self.native, self.chosen)
        calls = learned.seconds
        self.first = sum(calls[:FIRST]) / (native_s * len(calls[:FIRST]))
        self.all = sum(calls) / (native_s * len(calls))
        self.own = native_s / median(calls[-(len(calls) // 4) :])
        tuner = seconds_of(hows.get(TUNER, []))
        self.tuner_s = median(tuner[FIRST:]) if tuner else None
        self.tuner_first = sum(tuner[:FIRST]) / (native_s * FIRST) if tuner else None
        self.cpu_bound = any(measured.cpu_bound(hows[how]) for how in (LEARNED, "native", self.winner))

    @property
    def by_hand(self) -> float | None:
        """The time of the choice relative to best by hand."""
        return self.chosen_s / self.hand_s if self.hand_s else None

    def __str__(self) -> str:
        return f"{self.cell[0]} {self.cell[1] // 1024} KiB"


def was_raced(hows: Mapping[str, Sequence[Measurement]], how: str) -> bool:
    """Whether there are times of the race; an ineligible candidate has none."""
    return any(one.round > 0 for one in hows.get(how, []))


def rows_of(file: Measurements) -> list[Row]:
    """A row for each cell whose choice was raced."""
    found: dict[Cell, dict[str, list[Measurement]]] = {}
    for one in file.measurements:
        found.setdefault((one.what, one.bytes or 0), {}).setdefault(one.how, []).append(one)
    return [
        Row(cell, hows)
        for cell, hows in sorted(found.items(), key=lambda item: (COLLECTIVES.index(item[0][0]), item[0][1]))
        if LEARNED in hows and all(was_raced(hows, how) for how in ("native", hows[LEARNED][0].notes["winner"]))
    ]


def large(rows: Sequence[Row]) -> list[Row]:
    """The cells in means: from 16 KiB on, or all in a file of small messages."""
    return [row for row in rows if row.cell[1] >= LARGE] or list(rows)


def _title(file: Measurements) -> str:
    first = file.measurements[0]
    return f"{first.platform}, {first.mpi}, {first.ranks} ranks"


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.1f}"


def cells(file: Measurements) -> str:
    """A row for each collective and size, milliseconds; below it the cells where something else is faster."""
    rows = rows_of(file)
    tunes = any(row.tuner_s is not None for row in rows)
    titles = ["collective", "KiB", "native", "best by hand", "Starling's best", "`star` ends with", "native / star"]
    titles += ["95 %", "own last calls", "first 60", "all calls", "star / limit"]
    lines = []
    for row in rows:
        line = [
            row.cell[0],
            f"{row.cell[1] // 1024}",
            _ms(median(row.native)),
            f"{row.hand} {_ms(row.hand_s)}" if row.hand_s is not None else "",
            f"{row.best} {_ms(row.best_s)}",
            f"{row.winner} {_ms(row.chosen_s)}" + (" (still trying)" if row.unfinished else ""),
            f"{row.ratio.middle:.2f}" + (" (CPU-bound)" if row.cpu_bound else ""),
            f"{row.ratio.low:.2f}-{row.ratio.high:.2f}",
            f"{row.own:.2f}",
            f"{row.first:.2f}",
            f"{row.all:.2f}",
            f"{row.chosen_s / row.limit:.2f}",
        ]
        if row.tuner_s is not None and row.tuner_first is not None:
            line += [_ms(row.tuner_s), f"{row.tuner_first:.2f}"]
        lines.append(line)
    whole = markdown.table(titles + (["Autotuner", "its first 60"] if tunes else []), lines)
    made = markdown.origin(one.made for one in file.measurements)
    return f"### {_title(file)}\n\n{whole}\n\n{slower(rows)}\n\n{made}"


def slower(rows: Sequence[Row]) -> str:
    """The cells where something else is faster than `star` by more than 3 %, and those that never settled."""
    told = {
        "Native is faster by more than 3 % than what `star` chose": [
            f"{row} ({1 / row.ratio.middle:.2f})" for row in rows if row.ratio.middle < 1 / MUCH
        ],
        "Native is faster by more than 3 % than `star`'s own last calls": [
            f"{row} ({1 / row.own:.2f})" for row in rows if row.own < 1 / MUCH
        ],
        "Best by hand is faster by more than 3 %": [
            f"{row} ({row.by_hand:.2f})" for row in rows if row.by_hand and row.by_hand > MUCH
        ],
        "Still trying at the end": [str(row) for row in rows if row.unfinished],
    }
    if all(row.hand_s is None for row in rows):
        del told["Best by hand is faster by more than 3 %"]
    return "\n".join(f"- {what}: {', '.join(which) or 'none'}." for what, which in told.items())


def summary(*files: Measurements) -> str:
    """A row for each file: geometric means, and how often something else is faster.

    Raises MeasuredError where no cell was raced.
    """
    titles = ("cluster, MPI", "cells", "native / star", "own last calls", "first 60", "all calls", "by hand faster")
    lines = []
    for file in files:
        rows = rows_of(file)
        some = large(rows)
        if not some:
            raise result_files.unmeasured(_title(file), "a cell with native and what `star` chose")
        means = (geometric_mean(getattr(row, name) for row in some) for name in ("own", "first", "all"))
        tried = [row.by_hand for row in rows if row.by_hand is not None]
        lines.append(
            (
                _title(file),
                len(rows),
                f"{geometric_mean(row.ratio.middle for row in some):.2f}",
                *(f"{mean:.2f}" for mean in means),
                f"{sum(one > 1 for one in tried)} of {len(tried)}" if tried else "",
                f"{sum(one > MUCH for one in tried)}" if tried else "",
                sum(row.own < 1 / MUCH for row in rows),
                sum(row.unfinished for row in rows),
            )
        )
    return markdown.table((*titles, "by > 3 %", "own last calls slower by > 3 %", "never settled"), lines)
