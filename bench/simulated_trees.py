r"""A broadcast over trees, by segment size, ranks and cluster; the lottery: figures 4 to 8 of Nishtala et al. 2003.

python bench/simulated_trees.py measure -o docs/results/simulated-trees.json
python bench/simulated_trees.py draw docs/results/simulated-trees.json simulated-trees.svg

On simulated clusters: `star-basic` tries every tree and segment size once, and its measurements are kept. Calls begin
on all ranks at once, or (`computing`) on each rank after its last call and a second of computation. `measure` adds only
what the file lacks. Times are those of the slowest rank.
"""

from __future__ import annotations

import os
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import mean, median
from typing import Any

import plots
import result_files
from command import command_line
from markdown import number, origin, table
from simulated import LATENCY, version
from timing import made
from trees import TREES, bytes_of, segment

from starling.lab import measured, simulation
from starling.lab.measured import Measurement, Measurements
from starling.lab.simulation import Case, Tried
from starling.networks import platform_file
from starling.networks.platform_file import Platform
from starling.terminal.figures import human_bytes


@dataclass(frozen=True)
class Cluster:
    """Its name in results, its short name, and the rates of links, bit/s, where they differ."""

    name: str
    topology: str
    host_rate: int | None = None
    trunk_rate: int | None = None

    def network(self) -> Platform:
        """Its platform."""
        network = platform_file.platform(self.topology)
        return platform_file.adjusted(network, host_rate=self.host_rate, trunk_rate=self.trunk_rate, latency=LATENCY)


CLUSTERS = (
    Cluster("one switch", "single:48"),
    Cluster("four switches", "star:4x8"),
    Cluster("8 ranks a node", "fattree:4x8", 10_000_000_000, 100_000_000),
)
"""The last is like the paper's dense Seaborg: there a link of 10 Gbit/s represents the memory of a rank's node, and
the trunk of 100 Mbit/s the node's link."""
BYTES = 262144
RANKS = (2, 4, 8, 16, 32)
FEW = 8
"""Least number of ranks in the table: fewer are on one switch everywhere."""
ONLY = {"STARLING_ONLY": ",".join(f"bcast:{tree}" for tree in TREES)}
SETTINGS = {"smpi/async-small-thresh": "0", "smpi/send-is-detached-thresh": "0"}
"""Every message waits for its receiver, so that segments follow one another, as on a connection."""
COMPUTATION = {"together": 0.0, "computing": 1.0}
"""Seconds between calls, longer than any call."""
ITERATIONS = {"together": "1", "computing": "3"}
"""Calls of a candidate: where ranks do not synchronise, the first call includes the rest of the last candidate."""
LOTTERY = "lottery"
LOTTERY_BYTES = 65536
LOTTERY_RANKS = (4, 8, 16, 32, 48)
LOTTERY_CALLS = 1000
"""The paper's formula has 700 calls until each of 29 candidates was drawn once."""


class Suite:
    """The file at hand, and how to add to it."""

    def __init__(self, output: Path, program: Path) -> None:
        self._output = output
        self._program = program
        self._mpi = version()
        self.file = measured.read_or_empty(output)

    def has(self, cluster: Cluster, ranks: int, what: str, size: int) -> bool:
        """Whether the file has anything of it."""
        wanted = (cluster.name, ranks, what, size)
        return any((one.platform, one.ranks, one.what, one.bytes) == wanted for one in self.file.measurements)

    def tried(self, cluster: Cluster, ranks: int, size: int, strategy: str, kind: str, calls: int = 1) -> Tried:
        """One simulation of a broadcast; the calls of the lottery count from the first."""
        network = cluster.network()
        env = {**os.environ, **ONLY, "STARLING_ITER": ITERATIONS[kind]}
        began, warmup = time.monotonic(), 0 if strategy == LOTTERY else None
        found = simulation.job(
            self._program,
            network,
            network.hosts,
            ranks,
            [Case("bcast", size)],
            strategy,
            calls,
            env,
            print,
            SETTINGS,
            COMPUTATION[kind],
            warmup,
        )[0]
        print(f"{cluster.name}, {ranks} ranks, {strategy}, {kind} ({time.monotonic() - began:.0f} s)", flush=True)
        return found

    def add(self, cluster: Cluster, ranks: int, what: str, size: int, times: dict[str, Sequence[float]]) -> None:
        """Adds seconds by candidate or strategy."""
        self.file.measurements += [
            Measurement(
                what=what,
                bytes=size,
                platform=cluster.name,
                mpi=self._mpi,
                ranks=ranks,
                how=how,
                seconds=[float(f"{one:.6g}") for one in seconds],
                made=made(),
            )
            for how, seconds in times.items()
        ]
        self.file.write(self._output)


def measure(options: Namespace) -> None:
    """Measures what is missing in the output file."""
    with tempfile.TemporaryDirectory(prefix="simulated-trees-") as folder:
        suite = Suite(options.output, simulation.compiled(Path(folder), os.environ, print))
        for ranks, cluster, kind in product(RANKS, CLUSTERS, COMPUTATION):
            if not suite.has(cluster, ranks, kind, BYTES):
                found = suite.tried(cluster, ranks, BYTES, "star-basic", kind)
                suite.add(cluster, ranks, kind, BYTES, {name: [time] for name, time in found.candidates.items()})
        for ranks in LOTTERY_RANKS:
            if not suite.has(CLUSTERS[0], ranks, LOTTERY, LOTTERY_BYTES):
                each = suite.tried(CLUSTERS[0], ranks, LOTTERY_BYTES, "star-basic", "together").candidates
                calls = suite.tried(CLUSTERS[0], ranks, LOTTERY_BYTES, LOTTERY, "together", LOTTERY_CALLS).seconds
                times = {name: [time] for name, time in each.items()} | {LOTTERY: calls}
                suite.add(CLUSTERS[0], ranks, LOTTERY, LOTTERY_BYTES, times)


Times = dict[tuple[str, int, str], dict[str, Sequence[float]]]


def times_of(file: Measurements) -> Times:
    """Seconds of each candidate, by cluster, ranks and what."""
    found: Times = {}
    for one in file.measurements:
        found.setdefault((one.platform, one.ranks, one.what), {})[one.how] = one.seconds
    return found


def ranks_of(times: Times, place: str, what: str) -> list[int]:
    """The numbers of ranks with measurements."""
    return sorted(ranks for name, ranks, kind in times if (name, kind) == (place, what))


def best_of(times: dict[str, Sequence[float]], tree: str) -> tuple[float, str]:
    """The seconds of a tree with its best segment size, and this size; of two equal ones the longer.

    Where only one tree was tried, that one: between two ranks all are the same.
    """
    each = [(seconds[0], -bytes_of(segment(name)), name) for name, seconds in times.items() if "?" in name]
    fastest = min([one for one in each if one[2].startswith(f"{tree}?")] or each)
    return fastest[0], segment(fastest[2])


def _told(seconds: float, size: str) -> str:
    return f"{number(1e3 * seconds)}, {human_bytes(int(size)) if size != 'none' else 'none'}"


def clusters(file: Measurements) -> str:
    """Milliseconds of each tree with its best segment size, by cluster and ranks, and whether ranks compute."""
    rows = []
    times = times_of(file)
    cases = (
        (kind, cluster, ranks)
        for kind, cluster in product(COMPUTATION, CLUSTERS)
        for ranks in ranks_of(times, cluster.name, kind)
        if ranks >= FEW
    )
    for kind, cluster, ranks in cases:
        of_case = times[cluster.name, ranks, kind]
        best = {tree: best_of(of_case, tree) for tree in TREES}
        fastest = min(best, key=best.__getitem__)
        native = of_case["native"][0]
        told = (_told(*one) for one in best.values())
        rows.append((kind, cluster.name, ranks, number(1e3 * native), *told, f"{native / best[fastest][0]:.2f}"))
    titles = ("calls begin", "cluster", "ranks", "native", *TREES, "native / best")
    return f"{table(titles, rows)}\n\n{origin(one.made for one in file.measurements)}"


def lottery(file: Measurements) -> str:
    """The lottery's median and mean beside the best and the slowest candidate, by ranks, milliseconds.

    Raises MeasuredError where the lottery is alone.
    """
    rows = []
    times = times_of(file)
    for ranks in ranks_of(times, CLUSTERS[0].name, LOTTERY):
        of_case = times[CLUSTERS[0].name, ranks, LOTTERY]
        calls = of_case[LOTTERY]
        others = {name: seconds[0] for name, seconds in of_case.items() if name != LOTTERY}
        if "native" not in others:
            raise result_files.unmeasured(f"{CLUSTERS[0].name}, {ranks} ranks", "native")
        best, slowest = min(others, key=others.__getitem__), max(others, key=others.__getitem__)
        last = calls[-(len(calls) // 4) :]
        figures = (median(calls), mean(calls), median(last), mean(last), others["native"])
        ends = (f"{name}: {number(1e3 * others[name])}" for name in (best, slowest))
        rows.append((ranks, *(number(1e3 * one) for one in figures), *ends))
    titles = ("ranks", "lottery: median", "mean", "last quarter: median", "mean", "native", "best", "slowest")
    return table(titles, rows)


def draw_lines(panel: Any, times: Times, cluster: Cluster, kind: str) -> None:
    """Time against ranks: each tree with its best segment size (figure 4)."""
    there_are = ranks_of(times, cluster.name, kind)
    for color, tree in enumerate(TREES):
        line = [1e3 * best_of(times[cluster.name, ranks, kind], tree)[0] for ranks in there_are]
        panel.plot(there_are, line, "o-", color=f"C{color}", label=tree, markersize=3)
    line = [1e3 * times[cluster.name, ranks, kind]["native"][0] for ranks in there_are]
    panel.plot(there_are, line, "k--", label="native")
    panel.set(title=f"time: {cluster.name}, {kind}", xlabel="ranks", ylabel="ms")
    ranks_axis(panel, RANKS)
    plots.logarithmic(panel)


def draw_segments(panel: Any, times: Times, cluster: Cluster, kind: str) -> None:
    """The best segment size against ranks (figure 5)."""
    there_are = ranks_of(times, cluster.name, kind)
    for color, tree in enumerate(TREES[:3]):
        sizes = [min(bytes_of(best_of(times[cluster.name, ranks, kind], tree)[1]), BYTES) for ranks in there_are]
        shifted = [1.06 ** (color - 1) * size / 1024 for size in sizes]  # overlapping lines stay visible
        panel.plot(there_are, shifted, "o-", color=f"C{color}", label=tree, markersize=3)
    panel.set(title=f"best segment: {cluster.name}, {kind}", xlabel="ranks", ylabel="KiB")
    ranks_axis(panel, RANKS)
    plots.logarithmic(panel)
    panel.set_yticks([1, 4, 16, 64, 256])


def ranks_axis(panel: Any, ranks: Sequence[int]) -> None:
    """Ranks as they are, on a logarithmic axis."""
    panel.set_xscale("log", base=2)
    panel.set_xticks(ranks, [str(one) for one in ranks])


def draw_lottery(panels: Sequence[Any], times: Times) -> None:
    """The lottery over the trees by ranks (figure 7); its calls, and how their times are spread (figure 8)."""
    place = CLUSTERS[0].name
    there_are = ranks_of(times, place, LOTTERY)
    for color, tree in enumerate(TREES):
        line = [1e3 * best_of(times[place, ranks, LOTTERY], tree)[0] for ranks in there_are]
        panels[0].plot(there_are, line, "o-", color=f"C{color}", label=tree, markersize=3)
    for how, style, name in ((median, "ks-", "median"), (mean, "k^--", "mean")):
        line = [1e3 * how(times[place, ranks, LOTTERY][LOTTERY]) for ranks in there_are]
        panels[0].plot(there_are, line, style, label=f"lottery, {name}", markersize=4)
    panels[0].set(title="lottery over the trees", xlabel="ranks", ylabel="ms")
    ranks_axis(panels[0], there_are)
    plots.logarithmic(panels[0])
    panels[0].legend(fontsize="x-small")
    most = max(there_are)
    calls = [1e3 * one for one in times[place, most, LOTTERY][LOTTERY]]
    panels[1].plot(calls, ".", markersize=2)
    panels[1].set(title=f"its calls on {most} ranks", xlabel="call", ylabel="ms")
    plots.logarithmic(panels[1])
    panels[2].hist(calls, bins=60)
    panels[2].set(title="and their distribution", xlabel="ms", ylabel="calls")
    plots.logarithmic(panels[2])


def draw(options: Namespace) -> None:
    """Time and best segment against ranks, a column for each cluster; the lottery."""
    pyplot = plots.pyplot()
    times = times_of(measured.read(options.measured[0]))
    figure, axes = pyplot.subplots(5, len(CLUSTERS), figsize=(14, 15), layout="constrained")
    for column, cluster in enumerate(CLUSTERS):
        for row, kind in enumerate(COMPUTATION):
            draw_lines(axes[row, column], times, cluster, kind)
            draw_segments(axes[2 + row, column], times, cluster, kind)
            axes[row, column].legend(fontsize="x-small")
            axes[2 + row, column].legend(fontsize="x-small")
    draw_lottery(axes[4], times)
    plots.save(figure, options.picture)


def add_options(_: ArgumentParser) -> None:
    """There are none."""


if __name__ == "__main__":
    command_line(__doc__, add_options, measure, draw, on_lab=False)
