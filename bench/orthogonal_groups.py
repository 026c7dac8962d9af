r"""Orthogonal groups against other ways on simulated networks: bars as in figure 8 of Hartmann et al.

python bench/orthogonal_groups.py measure -o docs/results/orthogonal-groups.json
python bench/orthogonal_groups.py draw docs/results/orthogonal-groups.json docs/results/orthogonal-groups.svg

`measure` adds only what the file lacks. Simulated time repeats to the last digit, so each way is called once;
communicators are made before the call's time begins.
"""

from __future__ import annotations

import os
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple, Protocol

import plots
from command import command_line
from markdown import origin, table
from simulated_ways import GROUPS, LIBRARY, MESSAGES, Machine, Suite, candidates_like

from starling.lab import measured, simulation
from starling.lab.measured import Measurement, Measurements

KIBI = 1024
SIZES = (KIBI, 8 * KIBI, 64 * KIBI, 512 * KIBI)
KINDS = (GROUPS, MESSAGES, LIBRARY)

OURS: Mapping[str, Sequence[str]] = {
    "bcast": ("sequential?segment=none", "binomial?segment=none", "chain?segment=8192", "scatter_allgather"),
    "reduce": ("sequential?segment=none", "binomial?segment=none", "chain?segment=8192", "rabenseifner"),
    "gather": ("sequential?segment=none", "binomial?segment=none"),
    "scatter": ("sequential?segment=none", "binomial?segment=none"),
    "allgather": ("ring", "bruck?k=2", "recursive_doubling", "neighbor_exchange", "simple"),
    "allreduce": ("recursive_doubling", "rabenseifner", "ring", "reduce_bcast"),
    "reduce_scatter_block": ("recursive_halving", "pairwise", "ring", "butterfly"),
    "alltoall": ("hypercube", "bruck?k=2", "ring", "simple", "linear_window?window=8"),
}
"""Ways by messages: stars, trees, hypercubes and rings, as in the paper's section 2, and what is usual today."""
THEIRS: Mapping[str, Sequence[str]] = {
    "bcast": ("binomial_tree", "ompi_pipeline", "scatter_LR_allgather"),
    "reduce": ("ompi_basic_linear", "ompi_binomial", "ompi_binary", "ompi_chain", "ompi_pipeline"),
    "gather": ("ompi_basic_linear", "ompi_binomial"),
    "scatter": ("ompi_basic_linear", "ompi_binomial"),
    "allgather": ("bruck", "rdb", "NTSLR", "ompi_neighborexchange"),
    "allreduce": ("rdb", "lr", "ompi_ring_segmented", "redbcast"),
    "reduce_scatter_block": ("ompi_basic_recursivehalving", "ompi_ring"),
    "alltoall": ("ring", "bruck", "basic_linear"),
}
"""SMPI's names of Open MPI's algorithms."""


class Job(NamedTuple):
    """What is simulated on so many ranks, one on each host of a switch."""

    ranks: int
    collectives: Sequence[str]
    sizes: Sequence[int]


_TREES = ("bcast", "reduce", "gather", "scatter", "allreduce")
JOBS = (
    Job(48, (*_TREES, "reduce_scatter_block"), SIZES),
    Job(48, ("allgather",), SIZES[:3]),
    Job(48, ("alltoall",), SIZES[:2]),
    Job(96, (*_TREES, "reduce_scatter_block"), SIZES),
    Job(96, ("allgather",), SIZES[:2]),
    Job(96, ("alltoall",), SIZES[:1]),
    Job(256, _TREES, SIZES[:3]),
    Job(1024, _TREES, SIZES[:2]),
)
"""The paper's numbers of ranks, and more; the sizes that are simulated in minutes."""


def _meshes(collective: str, ranks: int) -> list[str]:
    """Groups on all meshes of two dimensions, and on the first of three, which is the most regular one."""
    found = candidates_like(collective, "groups", ranks)
    flat = [one for one in found if one.count("x") == 1]
    deep = [one for one in found if one.count("x") > 1]
    first = {one.split("?")[0]: one for one in reversed(deep)}
    return [*flat, *first.values()]


def add_options(_measuring: ArgumentParser) -> None:
    """`measure` has none of its own."""


def measure(options: Namespace) -> None:
    """Measures what is missing in the output file."""
    with tempfile.TemporaryDirectory(prefix="groups-") as folder:
        suite = Suite(options.output, simulation.compiled(Path(folder), os.environ, print))
        for job in JOBS:
            machine = Machine(f"single:{job.ranks}")
            for collective in job.collectives:
                suite.native(machine, collective, job.sizes)
                for candidate in (*_meshes(collective, job.ranks), *OURS[collective]):
                    suite.ours(machine, collective, job.sizes, candidate)
                for peer in THEIRS[collective]:
                    suite.native(machine, collective, job.sizes, peer)


class Bar(NamedTuple):
    """The time saved by the best way of a kind, as shares of native's: of the sizes the least, the mean, the most."""

    least: float
    mean: float
    most: float
    best: str


def bars(file: Measurements) -> Iterator[tuple[int, str, dict[str, Bar]]]:
    """Ranks, collective, and the bar of each kind."""
    some = file.measurements
    native = {(one.ranks, one.what, one.bytes or 0): one.seconds[0] for one in some if one.how == "native"}
    cells = dict.fromkeys((ranks, what) for ranks, what, _ in native)
    for ranks, what in cells:
        of_kind = {}
        for kind in KINDS:
            best: dict[int, Measurement] = {}
            for one in some:
                if (one.ranks, one.what, one.notes["kind"]) != (ranks, what, kind):
                    continue
                size = one.bytes or 0
                if size not in best or one.seconds[0] < best[size].seconds[0]:
                    best[size] = one
            saved = [1 - one.seconds[0] / native[(ranks, what, size)] for size, one in best.items()]
            if saved:
                names = dict.fromkeys(best[size].how.removeprefix("smpi ") for size in sorted(best))
                of_kind[kind] = Bar(min(saved), mean(saved), max(saved), ", ".join(names))
        yield ranks, what, of_kind


def improvements(file: Measurements) -> str:
    """Time saved by kind of way."""
    rows = []
    for ranks, what, of_kind in bars(file):
        some = (of_kind.get(kind) for kind in KINDS)
        cells = [f"{100 * one.least:.0f} / {100 * one.mean:.0f} / {100 * one.most:.0f}" if one else "-" for one in some]
        rows.append((ranks, what, *cells, of_kind[GROUPS].best if GROUPS in of_kind else "-"))
    titles = ("ranks", "collective", *(f"{kind}, %" for kind in KINDS), "fastest groups, from small sizes to large")
    return table(titles, rows) + f"\n\n{origin(one.made for one in file.measurements)}"


class Shares(Protocol):
    """What a bar shows, as shares of native's time."""

    @property
    def least(self) -> float:
        """Of sizes."""

    @property
    def mean(self) -> float:
        """Of sizes."""

    @property
    def most(self) -> float:
        """Of sizes."""


def draw_bars(panel: Any, rows: Sequence[tuple[str, Mapping[str, Shares]]], kinds: Sequence[str], least: float) -> None:
    """For each collective, the bars of its kinds from `least` percent on; one that begins before says where."""
    for place, kind in enumerate(kinds):
        label: str | None = kind
        for row, (_, of_kind) in enumerate(rows):
            if kind not in of_kind:
                continue
            bar = of_kind[kind]
            height = row + 0.27 * (place - 1)
            width = 100 * (bar.most - bar.least)
            left = 100 * bar.least
            panel.barh(height, width, left=left, height=0.24, color=f"C{place}", alpha=0.45, label=label)
            panel.plot([100 * bar.mean], [height], "|", color=f"C{place}", markersize=9, markeredgewidth=2.5)
            label = None
            if left < least:
                told = f"\u25c2 {left:.0f} / {100 * bar.mean:.0f} / {100 * bar.most:.0f}"
                panel.text(least + 1, height, told, va="center", fontsize=7)
    panel.set_yticks(range(len(rows)), [what for what, _ in rows])
    panel.invert_yaxis()
    panel.axvline(0, color="black", linewidth=0.8)
    panel.grid(visible=True, axis="x", alpha=0.3)
    panel.set(xlabel="% of native's time saved", xlim=(least, 100))


def draw(options: Namespace) -> None:
    """The bars, a panel for each number of ranks."""
    pyplot = plots.pyplot()
    everything = list(bars(measured.read(options.measured[0])))
    numbers = list(dict.fromkeys(ranks for ranks, _, _ in everything))
    figure, axes = pyplot.subplots(1, len(numbers), figsize=(15, 5.5), layout="constrained", squeeze=False)
    for panel, ranks in zip(axes.flat, numbers, strict=True):
        draw_bars(panel, [(what, of_kind) for here, what, of_kind in everything if here == ranks], KINDS, -60)
        panel.set(title=f"{ranks} ranks")
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(KINDS))
    figure.suptitle("Least, mean (line) and most time saved over sizes, by the fastest way of a kind at each size")
    plots.save(figure, options.picture)


if __name__ == "__main__":
    command_line(__doc__, add_options, measure, draw, on_lab=False)
