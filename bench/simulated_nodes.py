r"""Nodes with many ranks on a simulated network: ways by nodes against flat ones and SMPI's own.

python bench/simulated_nodes.py measure -o docs/results/simulated-nodes.json
python bench/simulated_nodes.py draw docs/results/simulated-nodes.json docs/results/simulated-nodes.svg

`measure` adds only what the file lacks. docs/laboratory.md says what ranks of one node communicate by.
"""

from __future__ import annotations

import os
import re
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import plots
import result_files
from command import command_line
from markdown import origin, table
from simulated_ways import BY_NODES, LEVELS, LIBRARY, MESSAGES, Machine, Suite, candidates_like

from starling.lab import measured, simulation
from starling.lab.measured import Measurement, Measurements
from starling.terminal.figures import human_bytes

SLOW = (Machine("single:16", 16), Machine("single:64", 16))
"""Links as the emulated cluster has them, 100 Mbit/s and 5 us."""
FAST = Machine("single:16", 16, 10 * 10**9, 1e-6)
"""Links of a cluster's own network."""
MACHINES = (*SLOW, FAST)
"""Those on which every way is simulated."""
LARGER = {
    FAST._replace(platform="single:64"): FAST,
    FAST._replace(platform="single:32", ranks_per_host=32): FAST,
    FAST._replace(platform="single:64", ranks_per_host=64): FAST,
}
"""Those on which only the fastest ways of each kind on another one are."""
FASTEST = 3
"""As many of them."""
AT_ONCE = re.compile("simple|basic_linear")
"""Ways in which a rank sends to all others at once. They are left out there, for one takes over twelve minutes."""
MOST_RANKS = 1024
"""For calls of every size; on more ranks only FEW calls are simulated."""


class Cell(NamedTuple):
    """Calls of one collective, with the flat ways of the repository and SMPI's ways to compare with."""

    collective: str
    sizes: Sequence[int]
    flat: Sequence[str]
    peers: Sequence[str]
    peers_by_nodes: Sequence[str] = ()


KIBI = 1024
CELLS = (
    Cell("barrier", (0,), ("dissemination?k=2", "tree"), ("ompi_bruck", "ompi_tree", "mvapich2_pair")),
    Cell(
        "allreduce",
        (8, KIBI * KIBI),
        ("recursive_doubling", "rabenseifner"),
        ("rdb", "rab_rdb", "redbcast", "ompi_ring_segmented"),
        ("smp_binomial", "smp_rdb", "smp_rsag", "smp_rsag_rab", "mvapich2_two_level"),
    ),
    Cell(
        "bcast",
        (8, KIBI * KIBI),
        ("binomial?segment=none", "scatter_allgather"),
        ("binomial_tree", "ompi_pipeline", "scatter_LR_allgather"),
        ("SMP_binary", "SMP_binomial", "SMP_linear"),
    ),
    Cell(
        "gather",
        (64,),
        ("binomial?segment=none", "sequential?segment=none"),
        ("ompi_basic_linear", "ompi_binomial"),
        ("mvapich2_two_level",),
    ),
    Cell(
        "scatter",
        (64,),
        ("binomial?segment=none", "sequential?segment=none"),
        ("ompi_basic_linear", "ompi_binomial"),
        ("mvapich2_two_level_binomial", "mvapich2_two_level_direct"),
    ),
    Cell(
        "allgather",
        (KIBI,),
        ("bruck?k=2", "recursive_doubling"),
        ("bruck", "rdb", "NTSLR"),
        ("SMP_NTS", "smp_simple", "mvapich2_smp"),
    ),
    Cell("alltoall", (64,), ("bruck?k=2",), ("bruck", "pair", "basic_linear")),
    Cell("reduce_scatter_block", (KIBI,), ("recursive_halving",), ("ompi_basic_recursivehalving",)),
)
NEEDS_MEMORY = re.compile("shared|domains")
"""Ways that are refused: simulated ranks have no memory to share."""
FEW = (("barrier", 0), ("allreduce", 8), ("bcast", 8))
WIDEST = 2.0
"""Times over native's that the picture has room for."""
PANELS_ABREAST = 2
_BY_NODES = {f"smpi {peer}" for cell in CELLS for peer in cell.peers_by_nodes}


def add_options(measuring: ArgumentParser) -> None:
    """The options of `measure`."""
    names = [machine.name for machine in (*MACHINES, *LARGER)]
    measuring.add_argument("--on", nargs="+", choices=names, default=names, metavar="NETWORK", help="all by default")


def measure(options: Namespace) -> None:
    """Measures what is missing in the output file."""
    with tempfile.TemporaryDirectory(prefix="nodes-") as folder:
        suite = Suite(options.output, simulation.compiled(Path(folder), os.environ, print))
        for machine in (one for one in MACHINES if one.name in options.on):
            for cell in CELLS:
                suite.native(machine, cell.collective, cell.sizes)
                by_nodes = (candidates_like(cell.collective, one, machine.ranks) for one in BY_NODES)
                for candidate in (*chain(*by_nodes), *cell.flat):
                    if not NEEDS_MEMORY.search(candidate):
                        suite.ours(machine, cell.collective, cell.sizes, candidate)
                for peer in (*cell.peers, *cell.peers_by_nodes):
                    suite.native(machine, cell.collective, cell.sizes, peer)
        for machine, smaller in LARGER.items():
            if machine.name not in options.on:
                continue
            for (platform, collective, size), some in _calls(measured.read(options.output)).items():
                if platform != smaller.name or (machine.ranks > MOST_RANKS and (collective, size) not in FEW):
                    continue
                suite.native(machine, collective, (size,))
                quick = [one for one in some if not AT_ONCE.search(one.how)]
                for one in chain(*(_fastest(kind)[:FASTEST] for kind in _kinds(quick))):
                    if one.how.startswith("smpi "):
                        suite.native(machine, collective, (size,), one.how.removeprefix("smpi "))
                    else:
                        suite.ours(machine, collective, (size,), one.how)


class Row(NamedTuple):
    """The fastest ways of one call; None where there is none of the kind."""

    platform: str
    ranks: int
    collective: str
    bytes: int
    native: float
    by_nodes: Measurement | None
    flat: Measurement | None
    library_flat: Measurement | None
    library_by_nodes: Measurement | None


def _calls(file: Measurements) -> dict[tuple[str, str, int], list[Measurement]]:
    """The measurements of each machine, collective and size, in the order of the file."""
    found: dict[tuple[str, str, int], list[Measurement]] = {}
    for one in file.measurements:
        found.setdefault((one.platform, one.what, one.bytes or 0), []).append(one)
    return found


def _kinds(some: Sequence[Measurement]) -> Iterator[list[Measurement]]:
    """Ways by nodes, flat ones, the library's flat ones and its ways by nodes."""
    for kind in (LEVELS, MESSAGES):
        yield [one for one in some if one.notes["kind"] == kind]
    for by_nodes in (False, True):
        yield [one for one in some if one.notes["kind"] == LIBRARY and (one.how in _BY_NODES) == by_nodes]


def _fastest(some: Sequence[Measurement]) -> list[Measurement]:
    return sorted(some, key=lambda one: one.seconds[0])


def rows(file: Measurements) -> Iterator[Row]:
    """One for each call, in the order of the file. Raises MeasuredError where native is missing."""
    for (platform, what, size), some in _calls(file).items():
        native = next((one for one in some if not one.notes["kind"]), None)
        if native is None:
            raise result_files.unmeasured(f"{platform}, {what} {size}", "native")
        fastest = (next(iter(_fastest(kind)), None) for kind in _kinds(some))
        yield Row(platform, some[0].ranks, what, size, native.seconds[0], *fastest)


def _told(one: Measurement | None) -> str:
    return f"{one.seconds[0] * 1e6:.0f} us, {one.how.removeprefix('smpi ')}" if one else "-"


def by_nodes(file: Measurements) -> str:
    """The fastest way of each kind, and what ways by nodes gain over the fastest flat one of SMPI."""
    lines = []
    for row in rows(file):
        gain = row.library_flat.seconds[0] / row.by_nodes.seconds[0] if row.library_flat and row.by_nodes else None
        lines.append(
            (
                row.platform,
                row.collective,
                row.bytes,
                f"{row.native * 1e6:.0f} us",
                _told(row.by_nodes),
                _told(row.flat),
                _told(row.library_flat),
                _told(row.library_by_nodes),
                f"{gain:.2f}" if gain else "-",
            )
        )
    titles = (
        "network",
        "collective",
        "bytes",
        "native",
        "by nodes",
        "flat",
        "SMPI's, flat",
        "SMPI's, by nodes",
        "SMPI's flat / by nodes",
    )
    return table(titles, lines) + f"\n\n{origin(one.made for one in file.measurements)}"


def draw(options: Namespace) -> None:
    """Times over native's of the fastest way of each kind; of a bar that is cut, beside it."""
    pyplot = plots.pyplot()
    everything = list(rows(measured.read(options.measured[0])))
    platforms = list(dict.fromkeys(row.platform for row in everything))
    lines = -(-len(platforms) // PANELS_ABREAST)
    size = (12, 6 * lines)
    figure, axes = pyplot.subplots(lines, PANELS_ABREAST, figsize=size, layout="constrained", squeeze=False)
    for panel in axes.flat[len(platforms) :]:
        panel.set_axis_off()
    for panel, platform in zip(axes.flat, platforms, strict=False):
        here = [row for row in everything if row.platform == platform]
        kinds = ("by_nodes", "flat", "library_flat", "library_by_nodes")
        for place, kind in enumerate(kinds):
            label = ("by nodes", "flat", "SMPI's, flat", "SMPI's, by nodes")[place]
            for line, row in enumerate(here):
                one = getattr(row, kind)
                if one is None:
                    continue
                height, ratio = line + 0.2 * (place - 1.5), one.seconds[0] / row.native
                panel.barh(height, ratio, height=0.18, color=f"C{place}", label=label if line == 1 else None)
                if ratio > WIDEST:
                    told = f"{ratio:.1f} \u25b8"
                    panel.text(WIDEST - 0.02, height, told, ha="right", va="center", fontsize=7, color="white")
        names = [f"{row.collective} {human_bytes(row.bytes)}" if row.bytes else row.collective for row in here]
        panel.set_yticks(range(len(here)), names)
        panel.set_ylim(len(here) - 0.5, -0.5)
        panel.axvline(1, color="black", linewidth=0.8)
        panel.grid(visible=True, axis="x", alpha=0.3)
        panel.set(title=platform, xlabel="time / native's", xlim=(0, WIDEST))
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize="small")
    figure.suptitle("The fastest way of each kind, simulated")
    plots.save(figure, options.picture)


if __name__ == "__main__":
    command_line(__doc__, add_options, measure, draw, on_lab=False)
