r"""Orthogonal groups against other ways on simulated networks: bars as in figure 8 of Hartmann et al.

python bench/orthogonal_groups.py measure -o docs/results/orthogonal-groups.json
python bench/orthogonal_groups.py draw docs/results/orthogonal-groups.json docs/results/orthogonal-groups.svg

`measure` adds only what the file lacks. Simulated time repeats to the last digit, so each way is called once;
communicators are made before the call's time begins.
"""

from __future__ import annotations

import os
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import plots
from command import command_line
from markdown import origin, table
from simulated import LATENCY, version
from timing import made

from starling.algorithms import repository
from starling.lab import measured, simulation
from starling.lab.measured import Measurement, Measurements
from starling.lab.simulation import Case
from starling.lab.state import LabError
from starling.networks import platform_file

KIBI = 1024
SIZES = (KIBI, 8 * KIBI, 64 * KIBI, 512 * KIBI)
SELECTOR = "ompi"
"""Whose choice of algorithms SMPI's native collectives follow."""
GROUPS = "orthogonal groups"
MESSAGES = "point to point"
LIBRARY = "the library's own"
KINDS = (GROUPS, MESSAGES, LIBRARY)

OURS: Mapping[str, Sequence[str]] = {
    "bcast": ("sequential", "binomial", "chain", "scatter_allgather"),
    "reduce": ("sequential", "binomial", "chain", "rabenseifner"),
    "gather": ("sequential", "binomial"),
    "scatter": ("sequential", "binomial"),
    "allgather": ("ring", "bruck", "recursive_doubling", "neighbor_exchange", "simple"),
    "allreduce": ("recursive_doubling", "rabenseifner", "ring", "reduce_bcast"),
    "reduce_scatter_block": ("recursive_halving", "pairwise", "ring", "butterfly"),
    "alltoall": ("hypercube", "bruck", "ring", "simple", "linear_window"),
}
"""Ways by messages: stars, trees, hypercubes and rings, as in the paper's section 2, and what is usual today."""
THEIRS: Mapping[str, Sequence[str]] = {
    "bcast": ("binomial_tree", "ompi_pipeline", "ompi_split_bintree", "scatter_LR_allgather"),
    "reduce": ("ompi_basic_linear", "ompi_binomial", "ompi_binary", "ompi_chain", "ompi_pipeline"),
    "gather": ("ompi_basic_linear", "ompi_binomial", "ompi_linear_sync"),
    "scatter": ("ompi_basic_linear", "ompi_binomial"),
    "allgather": ("bruck", "rdb", "NTSLR", "ompi_neighborexchange"),
    "allreduce": ("rdb", "lr", "ompi_ring_segmented", "redbcast"),
    "reduce_scatter_block": ("ompi_basic_recursivehalving", "ompi_ring"),
    "alltoall": ("ompi_pairwise", "bruck", "basic_linear"),
}
"""SMPI's names of Open MPI's algorithms."""
SETTING = {"reduce_scatter_block": "reduce_scatter"}
"""SMPI's name of a collective where that differs."""


class Job(NamedTuple):
    """What is simulated on so many ranks, one on each host of a switch."""

    ranks: int
    collectives: Sequence[str]
    sizes: Sequence[int]


_WITHOUT_ALLTOALL = tuple(name for name in OURS if name != "alltoall")
_TREES = ("bcast", "reduce", "gather", "scatter", "allreduce")
JOBS = (
    Job(48, _WITHOUT_ALLTOALL, SIZES),
    Job(48, ("alltoall",), SIZES[:2]),
    Job(96, _WITHOUT_ALLTOALL, SIZES),
    Job(96, ("alltoall",), SIZES[:1]),
    Job(256, _TREES, SIZES),
    Job(1024, _TREES, SIZES[:3]),
)
"""The paper's numbers of ranks, and more of the collectives that take few enough messages."""


class Suite:
    """The file at hand, and how to add to it."""

    def __init__(self, output: Path, program: Path) -> None:
        self._output = output
        self._program = program
        self._mpi = f"{version()}, as {SELECTOR}"
        self._file = measured.read_or_empty(output)

    def simulate(self, job: Job, collective: str, strategy: str, only: Sequence[str], theirs: str = "") -> None:
        """One simulation of a collective, unless the file has it: `only` these algorithms, or one of the library's."""
        platform = f"single:{job.ranks}"
        how = f"smpi {theirs}" if theirs else strategy
        cases = [Case(collective, size) for size in job.sizes]
        there = {(one.platform, one.what, one.bytes) for one in self._file.measurements if one.notes["run"] == how}
        if all((platform, one.collective, one.bytes) in there for one in cases):
            return
        network = platform_file.adjusted(platform_file.platform(platform), latency=LATENCY)
        settings = {"smpi/coll-selector": SELECTOR}
        if theirs:
            settings[f"smpi/{SETTING.get(collective, collective)}"] = theirs
        environ = {**os.environ, "STARLING_ITER": "1", "STARLING_SAMPLES": "max"}
        if only:
            environ["STARLING_ONLY"] = ",".join(f"{collective}:{name}" for name in ("native", *only))
        began = time.monotonic()
        warmup = _tried(collective, job.ranks, only) + 1 if only else 1
        try:
            found = simulation.job(
                self._program,
                network,
                network.hosts,
                job.ranks,
                cases,
                strategy,
                1,
                environ,
                print,
                settings,
                warmup=warmup,
            )
        except LabError as error:
            print(f"{platform}, {collective}, {how}: {error}", flush=True)
            return
        for one in found:
            times = one.candidates if only else {how: one.median}
            for way, seconds in times.items():
                if way == "native" and only:
                    continue
                self._file.measurements.append(
                    Measurement(
                        what=collective,
                        bytes=one.case.bytes,
                        platform=platform,
                        mpi=self._mpi,
                        ranks=job.ranks,
                        how=way,
                        seconds=[seconds],
                        made=made(),
                        notes={"run": how, "kind": kind_of(way)},
                    )
                )
        self._file.write(self._output)
        print(f"{platform}, {collective}: {how} ({time.monotonic() - began:.0f} s)", flush=True)


def kind_of(way: str) -> str:
    """What kind of way a name stands for; empty for native."""
    if way == "native":
        return ""
    if way.startswith("smpi "):
        return LIBRARY
    return GROUPS if way.startswith("groups") else MESSAGES


def _groups(collective: str) -> list[str]:
    """The algorithms on meshes of groups."""
    listed = repository.listing()["algorithms"]
    return [one["name"] for one in listed if one["collective"] == collective and one["name"].startswith("groups")]


def _tried(collective: str, ranks: int, only: Sequence[str]) -> int:
    """How many ways the algorithms are on so many ranks."""
    count = 0
    for entry in repository.listing(ranks)["algorithms"]:
        if entry["collective"] == collective and entry["name"] in only:
            ways = 1
            for parameter in entry["parameters"]:
                ways *= max(1, len(parameter["values"]))
            count += ways
    return count


def add_options(_measuring: ArgumentParser) -> None:
    """`measure` has none of its own."""


def measure(options: Namespace) -> None:
    """Measures what is missing in the output file."""
    with tempfile.TemporaryDirectory(prefix="groups-") as folder:
        suite = Suite(options.output, simulation.compiled(Path(folder), os.environ, print))
        for job in JOBS:
            for collective in job.collectives:
                suite.simulate(job, collective, "native", ())
                suite.simulate(job, collective, "star-basic", (*_groups(collective), *OURS[collective]))
                for theirs in THEIRS[collective]:
                    suite.simulate(job, collective, "native", (), theirs)


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
        cells = [f"{100 * one.least:.0f} / {100 * one.mean:.0f} / {100 * one.most:.0f}" for one in of_kind.values()]
        rows.append((ranks, what, *cells, of_kind[GROUPS].best))
    titles = ("ranks", "collective", *(f"{kind}, %" for kind in KINDS), "fastest groups, from small sizes to large")
    return table(titles, rows) + f"\n\nMade {origin(one.made for one in file.measurements)}."


def draw(options: Namespace) -> None:
    """The bars, a panel for each number of ranks."""
    pyplot = plots.pyplot()
    everything = list(bars(measured.read(options.measured[0])))
    numbers = list(dict.fromkeys(ranks for ranks, _, _ in everything))
    figure, axes = pyplot.subplots(1, len(numbers), figsize=(15, 5.5), layout="constrained", squeeze=False)
    for panel, ranks in zip(axes.flat, numbers, strict=True):
        rows = [(what, of_kind) for here, what, of_kind in everything if here == ranks]
        for place, kind in enumerate(KINDS):
            for row, (_, of_kind) in enumerate(rows):
                if kind not in of_kind:
                    continue
                bar = of_kind[kind]
                height = row + 0.27 * (place - 1)
                label = kind if row == 0 else None
                panel.barh(
                    height,
                    100 * (bar.most - bar.least),
                    left=100 * bar.least,
                    height=0.24,
                    color=f"C{place}",
                    alpha=0.45,
                    label=label,
                )
                panel.plot([100 * bar.mean], [height], "|", color=f"C{place}", markersize=9, markeredgewidth=2.5)
        panel.set_yticks(range(len(rows)), [what for what, _ in rows])
        panel.invert_yaxis()
        panel.axvline(0, color="black", linewidth=0.8)
        panel.grid(visible=True, axis="x", alpha=0.3)
        panel.set(title=f"{ranks} ranks", xlabel="% of native's time saved", xlim=(-60, 100))
    axes.flat[0].legend(loc="lower left", fontsize="small")
    figure.suptitle("Least, mean (line) and most time saved over sizes, by the fastest way of a kind at each size")
    plots.save(figure, options.picture)


if __name__ == "__main__":
    command_line(__doc__, add_options, measure, draw, on_lab=False)
