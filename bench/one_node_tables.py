"""The tables and the picture of docs/results/one-node.md, from the measurements of one_node.py."""

from __future__ import annotations

from argparse import Namespace
from statistics import median
from typing import NamedTuple

import markdown
import plots
import result_files

from starling.lab import measured
from starling.lab.measured import Measurement, Measurements, geometric_mean, seconds_of
from starling.terminal import figures

COLLECTIVES = (
    "barrier",
    "allreduce",
    "bcast",
    "reduce",
    "allgather",
    "alltoall",
    "gather",
    "scatter",
)
SMALL = 1024
"""Bytes up to which a call is small."""
NATIVE, NOTHING, HISTORY = "native", "auto", "auto from history"


class Row(NamedTuple):
    """A collective of one size with one MPI: medians of all rounds, in seconds."""

    mpi: str
    collective: str
    bytes: int
    native: float
    hand: float  #: with the best of the library's settings for it, native included
    hand_name: str
    shared: float  #: with the best candidate in shared memory
    shared_name: str
    nothing: float
    history: float

    @property
    def shared_to_hand(self) -> float:
        """What shared memory gains over the library at its best."""
        return self.shared / self.hand

    @property
    def history_to_native(self) -> float:
        """What `auto` gains once it has learnt."""
        return self.history / self.native

    @property
    def small(self) -> bool:
        """Whether it is a call of few bytes."""
        return self.bytes <= SMALL


def rows_of(file: Measurements) -> list[Row]:
    """In the order of the file. Raises MeasuredError where a way is missing."""
    cells: dict[tuple[str, str, int], dict[str, list[Measurement]]] = {}
    for one in file.measurements:
        cells.setdefault((one.mpi, one.what, one.bytes or 0), {}).setdefault(one.how, []).append(one)
    found = []
    for cell, ways in cells.items():
        medians = {how: median(seconds_of(rounds)) for how, rounds in ways.items()}
        by_hand = {how: time for how, time in medians.items() if how.startswith(NATIVE)}
        shared = {how: time for how, time in medians.items() if how not in by_hand and how not in (NOTHING, HISTORY)}
        for how in (NATIVE, NOTHING, HISTORY):
            if how not in medians:
                raise result_files.unmeasured(f"{cell[0]}, {cell[1]} {cell[2]}", how)
        if not shared:
            raise result_files.unmeasured(f"{cell[0]}, {cell[1]} {cell[2]}", "shared memory")
        hand = min(by_hand, key=by_hand.__getitem__)
        best = min(shared, key=shared.__getitem__)
        found.append(
            Row(*cell, medians[NATIVE], by_hand[hand], hand, shared[best], best, medians[NOTHING], medians[HISTORY])
        )
    return found


def _time(seconds: float) -> str:
    return f"{1e6 * seconds:#.3g}".rstrip(".") if seconds < 1e-3 else f"{1e6 * seconds:.0f}"


def table(file: Measurements) -> str:
    """A row for each MPI and collective, a column for each size."""
    rows = rows_of(file)
    sizes = sorted({row.bytes for row in rows})
    found = {(row.mpi, row.collective, row.bytes): row for row in rows}
    lines = []
    for mpi, collective in dict.fromkeys((row.mpi, row.collective) for row in rows):
        cells = []
        for size in sizes:
            row = found.get((mpi, collective, size))
            cells.append(f"{_time(row.hand)}; {row.shared_to_hand:.2f}; {row.history_to_native:.2f}" if row else "")
        lines.append([mpi, collective, *cells])
    told = markdown.table(["MPI", "collective", *(f"{size} B" for size in sizes)], lines)
    return f"{told}\n\n{markdown.origin(one.made for one in file.measurements)}"


def summary(file: Measurements) -> str:
    """A row for each MPI: geometric means over native, and the worst cell."""
    rows = rows_of(file)
    lines = []
    for mpi in dict.fromkeys(row.mpi for row in rows):
        for kind, some in (
            (f"to {SMALL} B", [row for row in rows if row.mpi == mpi and row.small]),
            ("above", [row for row in rows if row.mpi == mpi and not row.small]),
        ):
            if not some:
                continue
            means = [
                geometric_mean(row.hand / row.native for row in some),
                geometric_mean(row.shared / row.native for row in some),
                geometric_mean(row.nothing / row.native for row in some),
                geometric_mean(row.history_to_native for row in some),
            ]
            worst = max(some, key=lambda row: row.history_to_native)
            named = f"{worst.history_to_native:.2f} ({worst.collective} {worst.bytes} B)"
            lines.append([mpi, kind, *(f"{mean:.2f}" for mean in means), named])
    titles = ["MPI", "bytes", "native by hand", "shared memory", NOTHING, HISTORY, f"worst {HISTORY}"]
    return markdown.table(titles, lines)


def draw(options: Namespace) -> None:
    """Times over native's by size, a panel for each MPI and kind of way."""
    pyplot = plots.pyplot()
    (file,) = (measured.read(path) for path in options.measured)
    rows = rows_of(file)
    mpis = list(dict.fromkeys(row.mpi for row in rows))
    figure, axes = pyplot.subplots(
        2, len(mpis), figsize=(3.6 * len(mpis), 6.5), layout="constrained", squeeze=False, sharex=True, sharey=True
    )
    for place, mpi in enumerate(mpis):
        for panel, title, of in (
            (axes[0][place], f"{mpi}: shared memory", "shared_to_hand"),
            (axes[1][place], f"{mpi}: auto from history", "history_to_native"),
        ):
            for collective in COLLECTIVES:
                some = sorted(
                    (row for row in rows if (row.mpi, row.collective) == (mpi, collective)), key=lambda row: row.bytes
                )
                panel.plot(
                    [row.bytes for row in some], [getattr(row, of) for row in some], marker=".", label=collective
                )
            panel.axhline(1, color="black", linewidth=0.8)
            panel.set(title=title)
            panel.set_xscale("symlog", linthresh=4)
            sizes = sorted({row.bytes for row in rows})
            panel.set_xticks(sizes, [figures.human_bytes(one) for one in sizes], fontsize="small", rotation=60)
            plots.logarithmic(panel)
    axes[0][0].set_ylabel("time / best native by hand")
    axes[1][0].set_ylabel("time / native")
    for panel in axes[1]:
        panel.set_xlabel("bytes")
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="outside upper center", ncols=len(COLLECTIVES))
    plots.save(figure, options.picture)
