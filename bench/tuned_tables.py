"""Tuning tables that `starling tune` made: the time that each kind of way saves, as in Hartmann's figure 8."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, geometric_mean
from typing import NamedTuple

import markdown
import plots
from orthogonal_groups import draw_bars

from starling.lab.idle import CPU_BOUND
from starling.lab.measured import MeasuredError
from starling.tables import table as tables
from starling.tables.table import NATIVE, Shape, Table
from starling.tuning.report import Gains, Kind, gains, measured


class Row(NamedTuple):
    """A collective on a shape of communicators: the gains of each kind, and those of the table's own choices."""

    shape: Shape
    sizes: int
    of_kind: dict[Kind, Gains]
    chosen: Gains
    ways: str
    cpu_bound: int
    """How many of the sizes measured this machine's processors."""


def read(path: Path) -> Table:
    """A table of a file. Raises MeasuredError."""
    try:
        return tables.read(path)
    except tables.TableError as error:
        raise MeasuredError(str(error)) from error


def rows_of(table: Table) -> Iterator[Row]:
    """In the order of the table. Raises MeasuredError where it has no measurements."""
    for choice in table.choices:
        cells = measured(table, choice.shape)
        saved = []
        ways = []
        for size, times in cells.items():
            way = next((one.way for one in choice.intervals if one.holds(size)), NATIVE)
            ways.append(way)
            saved.append(1 - times.get(way, times[NATIVE]) / times[NATIVE])
        if not saved:
            raise MeasuredError(f"the table has no measurements of {choice.shape}")
        chosen = Gains(min(saved), fmean(saved), max(saved))
        bound = {
            one.bytes for one in table.measured(choice.shape) if one.cpu_idle is not None and one.cpu_idle < CPU_BOUND
        } & set(cells)
        names = ", ".join(dict.fromkeys(ways))
        yield Row(choice.shape, len(cells), gains(table, choice.shape), chosen, names, len(bound))


def improvements(table: Table) -> str:
    """A row for each collective: least / mean / most time saved over sizes, in percent of native's. Then means."""

    def told(some: Gains | None) -> str:
        return " / ".join(f"{100 * one:.0f}" for one in some) if some else "-"

    rows = list(rows_of(table))
    kinds = [f"{kind}, %" for kind in Kind]
    titles = ["collective", "ranks", "sizes", *kinds, "the table, %", "its ways, from small sizes to large"]
    lines = [
        (
            row.shape.collective,
            row.shape.ranks,
            f"{row.sizes}, {row.cpu_bound} CPU-bound" if row.cpu_bound else row.sizes,
            *(told(row.of_kind.get(kind)) for kind in Kind),
            told(row.chosen),
            row.ways,
        )
        for row in rows
    ]
    whole = fmean(row.chosen.mean for row in rows)
    place = f"{table.machine}, {table.mpi_flavour} {table.mpi_version}"
    cells = [times for row in rows for times in measured(table, row.shape).values()]
    fastest = geometric_mean(times[NATIVE] / min(times.values()) for times in cells)
    saved = (
        f"the table saves {100 * whole:.0f} % in the mean of collectives and sizes; "
        f"native takes {fastest:.2f} times as long as the fastest way, in the geometric mean"
    )
    made = markdown.origin([f"{table.made.when[:10]} Starling {table.made.starling}"])
    return f"{markdown.table(titles, lines)}\n\n{place}: {len(table.points)} measurements; {saved}.\n\n{made}"


def calls_in_row(*of_mpis: Table) -> str:
    """A row for each way that was also called in a row: its time over native's, behind barriers and in a row."""
    titles = ["MPI", "collective", "bytes", "way", "native, ms", "way / native", "native in a row, ms"]
    lines = []
    for table in of_mpis:
        natives = {(one.shape, one.bytes): one for one in table.points if one.way == NATIVE}
        for one in sorted(table.points, key=lambda one: (one.shape, one.bytes, one.ratio or 0)):
            native = natives.get((one.shape, one.bytes))
            if one.way == NATIVE or one.in_row is None or native is None or native.in_row is None:
                continue
            lines.append(
                (
                    f"{table.mpi_flavour} {table.mpi_version}",
                    one.shape.collective,
                    one.bytes,
                    one.way,
                    markdown.number(1e3 * native.median_s),
                    markdown.number(one.of_native),
                    markdown.number(1e3 * native.in_row.mean_s),
                    markdown.number(one.in_row.of_native),
                    one.in_row.samples,
                    "in a row" if one.in_row.counts else "behind barriers",
                )
            )
    if not lines:
        raise MeasuredError("the tables have no calls in a row")
    made = markdown.origin(f"{table.made.when[:10]} Starling {table.made.starling}" for table in of_mpis)
    return f"{markdown.table([*titles, 'way / native in a row', 'its calls', 'counts'], lines)}\n\n{made}"


def draw(options: Namespace) -> None:
    """The bars, a panel for each table."""
    pyplot = plots.pyplot()
    files = [read(path) for path in options.measured]
    figure, axes = pyplot.subplots(1, len(files), figsize=(9 * len(files), 5.5), layout="constrained", squeeze=False)
    for panel, table in zip(axes.flat, files, strict=True):
        rows = [
            (row.shape.collective, {str(kind): some for kind, some in row.of_kind.items()}) for row in rows_of(table)
        ]
        draw_bars(panel, rows, list(Kind), -5)
        network = table.machine.partition(" ")[0]  # without what tells one of its kind from another
        panel.set(title=f"{network}, {table.mpi_flavour} {table.mpi_version}")
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(Kind))
    figure.suptitle("Least, mean (line) and most time saved over sizes, by the fastest way of a kind at each size")
    plots.save(figure, options.picture)
