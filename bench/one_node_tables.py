"""Tables and the picture of docs/results/nodes.md, "Ranks of one node", from the measurements of one_node.py."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from math import isnan, log, nan
from statistics import median
from typing import Any, NamedTuple

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
EXTREME = 4.0
"""The ratio, and its inverse, from which on a cell of the picture has the deepest colour."""


GOAL = 1.02
"""Of native's time, above which `auto` should be nowhere."""


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
    later: float  #: native's last round over its first: how times scatter

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
        rounds = sorted(ways[NATIVE], key=lambda one: one.round)
        later = median(rounds[-1].seconds) / median(rounds[0].seconds)
        both = (medians[NOTHING], medians[HISTORY])
        found.append(Row(*cell, medians[NATIVE], by_hand[hand], hand, shared[best], best, *both, later))
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
    """A row for each MPI: geometric means over native, cells of `auto` that miss its goal, and the worst one.

    As many cells as in native's last round over its first would miss it if `auto` took no time at all.
    """
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
            missed = (
                f"{sum(row.nothing > GOAL * row.native for row in some)}, "
                f"{sum(row.history_to_native > GOAL for row in some)}, "
                f"{sum(row.later > GOAL for row in some)} of {len(some)}"
            )
            lines.append([mpi, kind, *(f"{mean:.2f}" for mean in means), missed, named])
    above = f"above {GOAL}: {NOTHING}, from history, native's last round"
    titles = ["MPI", "bytes", "native by hand", "shared memory", NOTHING, HISTORY, above, f"worst {HISTORY}"]
    return markdown.table(titles, lines)


def _draw_cells(panel: Any, rows: Sequence[Row], ratio: Callable[[Row], float]) -> None:
    """A coloured cell with its ratio for each collective and size; barrier, which has none, is in the first column."""
    from matplotlib.colors import LogNorm

    sizes = sorted({row.bytes for row in rows if row.bytes})
    ratios = [[nan] * len(sizes) for _ in COLLECTIVES]
    for row in rows:
        column = sizes.index(row.bytes) if row.bytes else 0
        ratios[COLLECTIVES.index(row.collective)][column] = ratio(row)
    panel.pcolormesh(ratios, cmap="RdBu_r", norm=LogNorm(1 / EXTREME, EXTREME), edgecolors="white", linewidth=1)
    for line, values in enumerate(ratios):
        for column, value in enumerate(values):
            if not isnan(value):
                colour = "white" if abs(log(value)) > 0.6 * log(EXTREME) else "black"
                panel.text(column + 0.5, line + 0.5, f"{value:.2f}", ha="center", va="center", fontsize=8, color=colour)
    names = [figures.human_bytes(one) for one in sizes]
    panel.set_xticks([column + 0.5 for column in range(len(sizes))], names, fontsize="small", rotation=60)
    panel.set_yticks([line + 0.5 for line in range(len(COLLECTIVES))], COLLECTIVES)
    panel.tick_params(length=0)
    panel.invert_yaxis()


def draw(options: Namespace) -> None:
    """Times over native's by collective and size, a panel for each MPI and kind of way: blue is less, red is more."""
    pyplot = plots.pyplot()
    (file,) = (measured.read(path) for path in options.measured)
    rows = rows_of(file)
    mpis = list(dict.fromkeys(row.mpi for row in rows))
    figure, axes = pyplot.subplots(
        2, len(mpis), figsize=(3.2 * len(mpis) + 0.6, 7), layout="constrained", squeeze=False
    )
    for place, mpi in enumerate(mpis):
        some = [row for row in rows if row.mpi == mpi]
        _draw_cells(axes[0][place], some, lambda row: row.shared_to_hand)
        _draw_cells(axes[1][place], some, lambda row: row.history_to_native)
        axes[0][place].set(title=f"{mpi}: shared memory / by hand")
        axes[1][place].set(title=f"{mpi}: auto from history / native")
        for panel in axes[:, place]:
            panel.title.set_fontsize(10)
            if place:
                panel.set_yticks([])
    plots.save(figure, options.picture)
