r"""Collectives among the ranks of one node, this one: shared memory and `auto` against each MPI library at its best.

PYTHONPATH=tests python bench/one_node.py measure -o docs/results/one-node.json
python bench/one_node.py draw docs/results/one-node.json docs/results/one-node.svg

For each size, jobs take turns: native; native with each of the library's own settings for nodes (`BY_HAND`); each
candidate of the repository in shared memory; and `auto`, from nothing and with what that job has learnt. Native jobs
run without Starling. A job calls each collective in a row, each call behind a barrier, and checks every result; what
is kept is the median call of the slowest rank. Of small calls a thousand follow each other behind a barrier (`ROW`), of
which the last one's result is checked: one takes about as long as to read the clock. So those of rooted collectives
overlap, and their time is that of a rank in a stream of them.

Before each job line_time.c measures how long a cache line takes from one processor to the other and back, which the
measurement notes as `line_ns`: the host of a virtual machine moves its processors, and small calls take four times as
long where they are far from each other. The jobs of a round are compared with each other, so it counts only if all of
them found the processors alike.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from command import command_line
from one_node_tables import COLLECTIVES, HISTORY, NATIVE, NOTHING, draw
from simulated_ways import candidates_like
from timing import PROGRAM, made

from starling.lab import measured
from starling.lab.measured import Measurement
from support.mpis import Mpi, compile_c, environment, installed_mpis

CALLS: Mapping[int, int] = {8: 300, 1024: 300, 16384: 600, 262144: 120, 1048576: 40, 4194304: 16}
"""By bytes: the times of a collective in a job, after a tenth as many that do not count."""
ROW: Mapping[int, int] = {8: 1000, 1024: 1000}
"""By bytes: calls in a row that make a time; otherwise one."""


def row_of(size: int) -> int:
    """How many calls of so many bytes make a time."""
    return ROW.get(size, 1)


LINE_TIME = Path(__file__).with_name("line_time.c")
ALIKE = 1.5
"""Processors lie alike where a line takes less than that many times as long; it takes 95 ns, 300 or 490 here."""
TRIES = 4
"""Of a round whose jobs found processors placed differently."""


def _priority(component: str) -> dict[str, str]:
    return {f"OMPI_MCA_coll_{component}_priority": "100"}


def _posix(algorithm: str) -> dict[str, str]:
    return {f"MPIR_CVAR_{one}_POSIX_INTRA_ALGORITHM": algorithm for one in ("BARRIER", "BCAST", "REDUCE", "ALLREDUCE")}


BY_HAND: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "openmpi": {"sm": _priority("sm"), "han": _priority("han")},
    "mpich": {"release gather": _posix("release_gather"), "no release gather": _posix("mpir")},
    "intel": {"shm": {"I_MPI_COLL_INTRANODE": "shm"}, "pt2pt": {"I_MPI_COLL_INTRANODE": "pt2pt"}},
}
"""By flavour, the settings of each library for ranks of one node, under the names that the table gives them."""


def in_shared_memory(ranks: int) -> list[dict[str, str]]:
    """Candidates to force, by collective: all in memory that ranks share, one of each collective at a time.

    Trees that differ by their degree only are the same on two ranks: those of degree 2.
    """
    offered = {
        collective: [
            name for name in candidates_like(collective, "shared", ranks) if name.partition("k=")[2] in ("", "2")
        ]
        for collective in COLLECTIVES
    }
    return [
        {collective: names[turn] for collective, names in offered.items() if turn < len(names)}
        for turn in range(max(map(len, offered.values())))
    ]


def alike(lines: Sequence[float]) -> bool:
    """Whether processors lay alike each time that a line's time was measured."""
    return max(lines) < ALIKE * min(lines)


@dataclass(frozen=True)
class Programs:
    """What is run with one MPI: the calls, and what measures a line's time."""

    calls: Path
    line: Path


class Suite:
    """The file at hand, and how to add to it."""

    def __init__(self, options: Namespace, folder: Path) -> None:
        self._options = options
        self._folder = folder
        self._lines: list[float] = []
        self.file = measured.read_or_empty(options.output)

    def _has(self, mpi: str, size: int, turn: int) -> bool:
        return any(
            (one.mpi, one.bytes, one.round, one.notes.get("row", 1)) == (mpi, size, turn, row_of(size))
            for one in self.file.measurements
        )

    def _measure_line(self, mpi: Mpi, programs: Programs) -> None:
        done = subprocess.run(
            [programs.line], capture_output=True, text=True, check=True, timeout=60, env=environment(mpi)
        )
        self._lines.append(float(done.stdout))

    def _job(
        self, mpi: Mpi, programs: Programs, size: int, before: Sequence[str], extra: Mapping[str, str]
    ) -> dict[str, float]:
        """Median seconds of a call, by collective."""
        self._measure_line(mpi, programs)
        calls = CALLS[size]
        line = [
            *before,
            *mpi.launcher,
            "-n",
            str(self._options.ranks),
            str(programs.calls),
            "-r",
            str(row_of(size)),
            str(max(2, calls // 10)),
            str(calls),
        ]
        line += [f"{one}:{size}" for one in COLLECTIVES if one != "barrier"]
        line += ["barrier:0"] if size == min(CALLS) else []
        env = environment(mpi, extra)
        done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=300, env=env)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(line)}: exit status {done.returncode}: {done.stderr.strip()[-300:]}")
        return {one["collective"]: one["median_s"] for one in json.loads(done.stdout)["cases"]}

    def _jobs(self, mpi: Mpi, programs: Programs, size: int) -> Iterator[tuple[dict[str, str], dict[str, float]]]:
        """The jobs of a round: the name of each collective's way there, and its seconds."""
        yield dict.fromkeys(COLLECTIVES, NATIVE), self._job(mpi, programs, size, [], {})
        for name, env in BY_HAND[mpi.flavour].items():
            yield dict.fromkeys(COLLECTIVES, f"{NATIVE}, {name}"), self._job(mpi, programs, size, [], env)
        run = ["starling", "run", "--quiet", "--record", str(self._folder / "record.json")]
        for forced in in_shared_memory(self._options.ranks):
            strategy = "forced:" + ",".join(f"{one}:{name}" for one, name in forced.items())
            yield forced, self._job(mpi, programs, size, [*run, "--history", "off", "--strategy", strategy, "--"], {})
        with tempfile.TemporaryDirectory(dir=self._folder) as history:
            for name in (NOTHING, HISTORY):
                seconds = self._job(mpi, programs, size, [*run, "--history", history, "--"], {})
                yield dict.fromkeys(COLLECTIVES, name), seconds

    def _round(self, mpi: Mpi, programs: Programs, size: int, turn: int) -> list[Measurement]:
        self._lines.clear()
        found = [
            Measurement(
                what=collective,
                bytes=0 if collective == "barrier" else size,
                platform="this machine",
                mpi=mpi.name,
                ranks=self._options.ranks,
                how=name,
                round=turn,
                seconds=[seconds[collective]],
                made=made(),
                notes={"line_ns": self._lines[-1], "row": row_of(size)},
            )
            for names, seconds in self._jobs(mpi, programs, size)
            for collective, name in names.items()
            if collective in seconds
        ]
        self._measure_line(mpi, programs)  # behind the last job
        return found

    def measure(self, mpi: Mpi, programs: Programs, size: int, turn: int) -> None:
        """A round of all jobs with one size, again while processors move. A later run adds one that is left out."""
        if self._has(mpi.name, size, turn):
            return
        for _ in range(TRIES):
            found = self._round(mpi, programs, size, turn)
            lines = f"a line took {min(self._lines):.0f} to {max(self._lines):.0f} ns"
            if alike(self._lines):
                self.file.measurements += found
                self.file.write(self._options.output)
                print(f"round {turn}: {mpi.name}, {size} bytes; {lines}", flush=True)
                return
            print(f"round {turn}: {mpi.name}, {size} bytes: {lines}: the processors have moved", flush=True)


def measure(options: Namespace) -> None:
    """Measures what is missing in the output file."""
    with tempfile.TemporaryDirectory(prefix="one-node-") as folder:
        suite = Suite(options, Path(folder))
        chosen = [mpi for mpi in installed_mpis() if not options.mpi or mpi.name in options.mpi]
        programs = [
            (mpi, Programs(compile_c(mpi, PROGRAM, Path(folder)), compile_c(mpi, LINE_TIME, Path(folder))))
            for mpi in chosen
        ]
        for turn in range(options.rounds):
            for mpi, compiled in programs:
                for size in options.sizes:
                    suite.measure(mpi, compiled, size, turn)


def add_options(parser: ArgumentParser) -> None:
    """The options of `measure`."""
    parser.add_argument("--ranks", type=int, default=2, help="at most as many as this machine has processors")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", nargs="+", type=int, default=tuple(CALLS), choices=tuple(CALLS))
    parser.add_argument("--mpi", nargs="+", help="of the installed ones; by default all")


if __name__ == "__main__":
    command_line(__doc__, add_options, measure, draw, on_lab=False)
