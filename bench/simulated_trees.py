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

from command import command_line
from simulated import LATENCY, version
from timing import made
from tree_tables import LOTTERY, draw
from trees import TREES

from starling.lab import measured, simulation
from starling.lab.measured import Measurement
from starling.lab.simulation import Case, Tried
from starling.networks import platform_file
from starling.networks.platform_file import Platform


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
ONLY = {"STARLING_ONLY": ",".join(f"bcast:{tree}" for tree in TREES)}
SETTINGS = {"smpi/async-small-thresh": "0", "smpi/send-is-detached-thresh": "0"}
"""Every message waits for its receiver, so that segments follow one another, as on a connection."""
COMPUTATION = {"together": 0.0, "computing": 1.0}
"""Seconds between calls, longer than any call."""
ITERATIONS = {"together": "1", "computing": "3"}
"""Calls of a candidate: where ranks do not synchronise, the first call includes the rest of the last candidate."""
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


def add_options(_: ArgumentParser) -> None:
    """There are none."""


if __name__ == "__main__":
    command_line(__doc__, add_options, measure, draw, on_lab=False)
