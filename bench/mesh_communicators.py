r"""What the communicators of a mesh cost, next to calls of collectives and to what orthogonal groups save in a call.

starling lab up single:16
starling lab run -- python bench/mesh_communicators.py measure --mpicc mpicc.openmpi \
    -o docs/results/communicators-openmpi.json -- mpirun.openmpi -n 16
python bench/mesh_communicators.py measure --mpicc mpicc.mpich -o one-node.json -- mpirun.mpich -n 4
python bench/pages.py communicators docs/results/communicators-openmpi.json

On a lab, or without one on the processors of this machine. The meshes are the most regular ones of two and of three
dimensions. In a round each has a job with groups in the concurrent form and one with groups in the leader form, and
native has one; a job calls each collective with each size in a row. The first call on a mesh makes the communicators,
outside the call's time: `setup_s` of the run record, from when all ranks want them until all have them. They are the
same for all collectives and sizes. `measure` adds only what the file lacks.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import markdown
from command import command_line
from simulated_ways import candidates_like
from suite_tables import COLLECTIVES
from timing import Times, carried_out, compiled, made, place_of, timed

from starling.lab import measured
from starling.lab.measured import Measurement, Measurements
from starling.networks import platform_file

NATIVE = "native"
FORMS = ("groups", "groups_leader")
WARMUP = 2


def most_regular(ranks: int) -> list[str]:
    """The first mesh of each number of dimensions that so many ranks have."""
    meshes = [name.partition("mesh=")[2] for name in candidates_like("allreduce", "groups", ranks)]
    first = {mesh.count("x"): mesh for mesh in reversed(meshes)}
    return [first[dimensions] for dimensions in sorted(first)]


def setup_of(times: Times) -> float:
    """Seconds in which a job made communicators."""
    candidates = (one for context in times.record["contexts"] for one in context["candidates"])
    return sum(one.get("setup_s") or 0.0 for one in candidates)


class Suite:
    """The file at hand, and how to add to it."""

    def __init__(self, options: argparse.Namespace, program: Path) -> None:
        self._options = options
        self._program = program
        lab = os.environ.get("STARLING_PLATFORM")
        self._place = place_of(platform_file.platform(lab)) if lab else f"one node, {os.cpu_count()} processors"
        self._file = measured.read_or_empty(options.output)
        self._there = {(one.how, one.round) for one in self._file.measurements}

    def _job(self, how: str, turn: int, collectives: Sequence[str]) -> None:
        if not collectives or (how, turn) in self._there:
            return
        strategy = how if how == NATIVE else "forced:" + ",".join(f"{one}:{how}" for one in collectives)
        cases = [f"{one}:{size}" for one in collectives for size in self._options.sizes]
        times = timed(self._options.launcher, self._program, strategy, cases, warmup=WARMUP, calls=self._options.calls)
        run = times.record["run"]
        for case, seconds in times.seconds.items():
            what, _, size = case.partition(":")
            if how != NATIVE and not carried_out(times, what, how):
                continue
            self._file.measurements.append(
                Measurement(
                    what=what,
                    bytes=int(size),
                    platform=self._place,
                    mpi=f"{run['mpi_flavour']} {run['mpi_version']}",
                    ranks=run["ranks"],
                    how=how,
                    round=turn,
                    seconds=seconds,
                    cpu_idle=times.cpu_idle if "STARLING_PLATFORM" in os.environ else None,
                    made=made(),
                    notes={} if how == NATIVE else {"setup_s": setup_of(times)},
                )
            )
        self._file.write(self._options.output)
        print(f"round {turn}: {how}: communicators {1000 * setup_of(times):.2f} ms", flush=True)

    def round(self, turn: int) -> None:
        """The jobs of a round."""
        collectives: Sequence[str] = self._options.collectives
        self._job(NATIVE, turn, collectives)
        ranks = self._file.measurements[0].ranks
        offered = {one: candidates_like(one, "groups", ranks) for one in collectives}
        for mesh in most_regular(ranks):
            for form in FORMS:
                how = f"{form}?mesh={mesh}"
                self._job(how, turn, [one for one in collectives if how in offered[one]])


def measure(options: argparse.Namespace) -> None:
    """Measures what is missing in the output file."""
    with tempfile.TemporaryDirectory(prefix="mesh-communicators-") as folder:
        suite = Suite(options, compiled(options.mpicc, Path(folder)))
        for turn in range(options.rounds):
            suite.round(turn)


class Row(NamedTuple):
    """A mesh and a cell, in seconds."""

    mesh: str
    setups: Sequence[float]
    collective: str
    bytes: int
    native: float
    groups: float
    form: str
    cpu_bound: bool

    @property
    def pays_after(self) -> float | None:
        """Calls whose savings are as long as the communicators took; None if calls save nothing."""
        saved = self.native - self.groups
        return median(self.setups) / saved if saved > 0 else None


def rows_of(file: Measurements) -> Iterator[Row]:
    """Of each cell on each mesh the form that is faster there."""
    rounds: dict[tuple[str, int, str], list[Measurement]] = {}
    setups: dict[str, dict[tuple[str, int], float]] = {}
    for one in file.measurements:
        rounds.setdefault((one.what, one.bytes or 0, one.how), []).append(one)
        mesh = one.how.partition("mesh=")[2]
        if mesh:
            setups.setdefault(mesh, {})[(one.how, one.round)] = one.notes["setup_s"]
    calls = {key: median(seconds for one in some for seconds in one.seconds) for key, some in rounds.items()}
    cells = list(dict.fromkeys((what, size) for what, size, _ in rounds))
    for mesh, made_in in setups.items():
        for what, size in cells:
            keys = {form: (what, size, f"{form}?mesh={mesh}") for form in FORMS}
            middle = {form: calls[key] for form, key in keys.items() if key in calls}
            if not middle:
                continue
            form = min(middle, key=middle.__getitem__)
            native = (what, size, NATIVE)
            cpu_bound = any(measured.cpu_bound(rounds[key]) for key in (native, keys[form]))
            yield Row(mesh, list(made_in.values()), what, size, calls[native], middle[form], form, cpu_bound)


def table(*files: Measurements) -> str:
    """A row for each mesh and cell."""
    titles = (
        *("cluster, MPI", "mesh", "making its communicators, ms", "collective", "bytes", "native, ms", "groups, ms"),
        *("form", "making / native call", "pays after, calls"),
    )
    lines: list[list[object]] = []
    for file in files:
        first = file.measurements[0]
        for row in rows_of(file):
            middle = median(row.setups)
            scattered = f"{1000 * min(row.setups):.2f} to {1000 * max(row.setups):.2f}"
            lines.append(
                [
                    f"{first.platform}, {first.mpi}, {first.ranks} ranks",
                    row.mesh,
                    f"{1000 * middle:.2f} ({scattered})",
                    row.collective + (" (CPU-bound)" if row.cpu_bound else ""),
                    row.bytes,
                    f"{1000 * row.native:.3f}",
                    f"{1000 * row.groups:.3f}",
                    "leader" if row.form == "groups_leader" else "concurrent",
                    markdown.number(middle / row.native),
                    "never" if row.pays_after is None else f"{row.pays_after:.0f}",
                ]
            )
    made_on = (one.made for file in files for one in file.measurements)
    return f"{markdown.table(titles, lines)}\n\n{markdown.origin(made_on)}"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of `measure`."""
    parser.add_argument("--mpicc", required=True, help="the compiler wrapper of the launcher's MPI")
    parser.add_argument("--collectives", nargs="+", default=("allreduce", "allgather"), choices=COLLECTIVES)
    parser.add_argument("--sizes", type=int, nargs="+", default=(64, 4096), help="bytes of a block")
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)


if __name__ == "__main__":
    command_line(__doc__, add_options, measure, needs_lab=False)
