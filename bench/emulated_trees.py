r"""A broadcast over trees, by segment size, ranks and cluster; the lottery: figures 4, 5, 7, 8 of Nishtala et al. 2003.

starling lab up single:16 --rate 20mbit --packet 0
starling lab run -- python bench/emulated_trees.py measure --cluster "one switch" --mpicc mpicc.openmpi \
    -o docs/results/emulated-trees.json -- mpirun.openmpi

On the emulated network: a job of each tree and segment size, where calls begin behind a barrier (`together`), or on
each rank after its last call and a computation (`computing`); native before and after them; and the lottery over the
same candidates. `measure` adds only what the file lacks; the laboratory is the cluster that it names.
"""

from __future__ import annotations

import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from command import command_line
from timing import Times, carried_out, compiled, made, timed
from tree_tables import LOTTERY, draw
from trees import SEGMENTS, TREES, bytes_of

from starling.lab import measured
from starling.lab.measured import Measurement

NATIVE = "native"


def candidates(size: int) -> Iterator[str]:
    """Native at both ends of a round, and each tree with the segments that divide a message."""
    yield NATIVE
    for tree in TREES:
        yield from (f"{tree}?segment={one}" for one in SEGMENTS if one == "none" or bytes_of(one) < size)
    yield NATIVE


class Cluster:
    """What is measured on a laboratory, under its name in the results."""

    def __init__(self, options: Namespace, program: Path) -> None:
        self._options = options
        self._program = program
        self._file = measured.read_or_empty(options.output)

    def trees(self, ranks: int, begins: str, computation: float) -> None:
        """Every candidate that is not yet measured, with calls that begin so."""
        for name in candidates(self._options.bytes):
            turns = 2 if name == NATIVE else 1
            if self._rows(ranks, begins, name) < turns:
                strategy = NATIVE if name == NATIVE else f"forced:bcast:{name}"
                times = self._timed(ranks, strategy, warmup=1, calls=self._options.calls, computation=computation)
                if name == NATIVE or carried_out(times, "bcast", name):
                    self._add(ranks, begins, name, times)

    def lottery(self, ranks: int) -> None:
        """The lottery without history."""
        if not self._rows(ranks, LOTTERY, LOTTERY):
            only = ["--only", ",".join(f"bcast:{tree}" for tree in TREES)]
            times = self._timed(ranks, LOTTERY, warmup=0, calls=self._options.lottery_calls, extra=only)
            self._add(ranks, LOTTERY, LOTTERY, times)

    def _rows(self, ranks: int, what: str, how: str) -> int:
        wanted = (self._options.cluster, ranks, what, how)
        return sum((one.platform, one.ranks, one.what, one.how) == wanted for one in self._file.measurements)

    def _timed(
        self, ranks: int, strategy: str, *, warmup: int, calls: int, computation: float = 0, extra: Sequence[str] = ()
    ) -> Times:
        return timed(
            [*self._options.launcher, "-n", str(ranks)],
            self._program,
            strategy,
            [f"bcast:{self._options.bytes}"],
            warmup=warmup,
            calls=calls,
            computation=computation,
            options=extra,
        )

    def _add(self, ranks: int, what: str, how: str, times: Times) -> None:
        run = times.record["run"]
        seconds = times.seconds[f"bcast:{self._options.bytes}"]
        self._file.measurements.append(
            Measurement(
                what=what,
                bytes=self._options.bytes,
                platform=self._options.cluster,
                mpi=f"{run['mpi_flavour']} {run['mpi_version']}",
                ranks=ranks,
                how=how,
                round=self._rows(ranks, what, how),
                seconds=[float(f"{one:.6g}") for one in seconds],
                cpu_idle=times.cpu_idle,
                made=made(),
            )
        )
        self._file.write(self._options.output)
        told = f"{self._options.cluster}, {ranks} ranks, {what}, {how}: {1e3 * median(seconds):.1f} ms"
        print(f"{told} (idle {times.cpu_idle:.0%})", flush=True)


def measure(options: Namespace) -> None:
    """Measures what is missing in the output file."""
    with tempfile.TemporaryDirectory(prefix="emulated-trees-") as folder:
        cluster = Cluster(options, compiled(options.mpicc, Path(folder)))
        for ranks in options.ranks:
            cluster.trees(ranks, "together", 0)
            cluster.lottery(ranks)
            cluster.trees(ranks, "computing", options.computation)


def add_options(parser: ArgumentParser) -> None:
    """The options of `measure`."""
    parser.add_argument("--cluster", required=True, help="the laboratory's name in the results")
    parser.add_argument("--mpicc", required=True, help="the compiler wrapper of the launcher's MPI")
    parser.add_argument("--bytes", type=int, default=65536)
    parser.add_argument("--ranks", type=int, nargs="+", default=[16, 8, 4], help="the launcher gets each as -n")
    parser.add_argument("--calls", type=int, default=5, help="of a candidate")
    parser.add_argument("--lottery-calls", type=int, default=1000)
    parser.add_argument("--computation", type=float, default=0.5, help="seconds between calls, longer than any call")


if __name__ == "__main__":
    command_line(__doc__, add_options, measure, draw)
