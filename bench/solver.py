r"""The protocol of the ADCL paper (Gabriel, Feki, Benkert and Resch 2008, section 3) on the solver of examples/solver.

python bench/solver.py measure --mpicc mpicc.openmpi -o local.json -- mpirun.openmpi -n 2
starling lab up single:8 --rate 50mbit --packet 0
starling lab run -- python bench/solver.py measure --mpicc mpicc.openmpi --points 32x32x32 --minutes 12 \
    -o docs/results/solver-emulated.json -- mpirun.openmpi -n 8 --mca osc pt2pt
python bench/solver.py simulate -o docs/results/solver-simulated.json
python bench/pages.py solver-best docs/results/solver-emulated.json

`measure` runs every implementation for all iterations, and then each search, one job after the other, and that in three
rounds, all in one allocation: with the launcher as given. Open MPI 4.1 makes windows over TCP only if told to use its
component pt2pt. `simulate` does it on clusters of 32 to 512 simulated ranks.
Simulated times repeat, so some iterations of each implementation tell the others; the searches are then played on them
(bench/searches.py). Both add only what the file lacks.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from command import mistakes_told
from searches import SEARCHES, implementations, steady
from simulated import version
from timing import made, place_of

from starling.lab import idle, measured, simulator
from starling.lab.measured import Measurement
from starling.networks import platform_file
from starling.networks.platform_file import Platform

SOURCE = Path(__file__).parents[1] / "examples" / "solver" / "solver.c"
ITERATIONS = 700
ROUNDS = 3
HERE = "this machine"
"""The platform of ranks that are not in a laboratory."""
POINTS = ("32x32x32", "64x32x32", "64x64x32")
"""Of a rank: the paper's small, medium and large problem."""
NAMES = tuple(name for name, _ in implementations())
PARTS = 10
"""So many times of a job are kept."""


class Machine(NamedTuple):
    """A simulated cluster: switches with hosts, which hang on one more."""

    rate: int
    """Bits per second of a host's link."""
    blocking: int
    """How many times what a switch's link carries its hosts can send."""
    latency: float
    """Seconds of each link."""
    hosts: int = 16
    """On each switch."""
    ranks: int = 1
    """On each host."""

    def platform(self, ranks: int) -> Platform:
        """For so many ranks."""
        bare = platform_file.platform(f"tree:{ranks // (self.hosts * self.ranks)}x{self.hosts}")
        trunk_rate = self.hosts * self.rate // self.blocking
        return platform_file.adjusted(
            bare, host_rate=self.rate, trunk_rate=trunk_rate, ranks=self.ranks, latency=self.latency
        )


MACHINES: Mapping[str, Machine] = {
    "10 Gbit/s": Machine(10 * 10**9, 1, 1e-6),
    "1 Gbit/s": Machine(10**9, 1, 5e-6),
    "1 Gbit/s, 12:1": Machine(10**9, 12, 5e-6),
    "100 Gbit/s": Machine(100 * 10**9, 1, 5e-7),
    "10 Gbit/s, 12:1": Machine(10 * 10**9, 12, 1e-6),
    "10 Gbit/s, 8 ranks a host": Machine(10 * 10**9, 1, 1e-6, hosts=4, ranks=8),
}
"""Fast networks, Gigabit Ethernet as SharkGE has it, switches that block as on CacauGE, and nodes as DataStar's."""
SIMULATED: Sequence[tuple[int, Sequence[str]]] = (
    (32, POINTS[1:]),
    (64, POINTS),
    (128, POINTS),
    (256, POINTS[1:]),
    (512, POINTS[1:]),
)
"""Ranks, and points of each, in the order in which they are simulated."""
TESTS: Mapping[str, str] = {"smpi/test": "0"}
"""SMPI would let ranks sleep 0.1 ms and more in each MPI_Test that finds nothing, and there is one for each plane."""
PACKED = "_pack"
"""These are not simulated: copying takes no simulated time, so they are as fast as with derived datatypes."""
FEW, FEWEST = 20, 6
"""Iterations that are simulated of each implementation; the fewest of those with fences, which keep ranks in step."""


def iterations_simulated(how: str) -> int:
    """Of an implementation. Ranks that nothing keeps in step drift apart before iterations take equally long."""
    return FEWEST if how.startswith("Winfe") else FEW


def total(one: Measurement) -> float:
    """Seconds of all iterations, those that were not made included."""
    not_made: int = one.notes.get("not_made", 0)
    return sum(one.seconds) + not_made * steady(one.seconds)


def iterations(one: Measurement) -> int:
    """How many iterations `total` is of."""
    found: int = one.notes.get("iterations", ITERATIONS)
    return found


class Protocol:
    """A file of measurements, and how to add what it lacks."""

    def __init__(self, output: Path) -> None:
        self._output = output
        self._file = measured.read_or_empty(output)

    def lacks(self, platform: str, ranks: int, points: str, how: str, turn: int) -> bool:
        """Whether it is still to be measured."""
        known = ((one.platform, one.ranks, one.what, one.how, one.round) for one in self._file.measurements)
        return (platform, ranks, points, how, turn) not in known

    def add(self, one: Measurement) -> None:
        """Adds one to the file."""
        self._file.measurements.append(one)
        self._file.write(self._output)
        print(
            f"{one.platform}, {one.ranks} ranks, {one.what}, {one.how}, round {one.round}: {total(one):.4g} s",
            flush=True,
        )


def parts(seconds: Sequence[float]) -> list[float]:
    """The times of consecutive iterations, in few sums."""
    size = -(-len(seconds) // PARTS)
    return [float(f"{sum(seconds[i : i + size]):.6g}") for i in range(0, len(seconds), size)]


def words_of(points: str, iterations: int, strategy: str) -> list[str]:
    """The program's arguments."""
    return [*points.split("x"), str(iterations), strategy]


def jobs(names: Iterable[str], searches: Iterable[str]) -> list[tuple[str, str, Mapping[str, object]]]:
    """What is run: its name in the file, the strategy, and settings."""
    of_searches = ((name, *SEARCHES[name]) for name in searches)
    return [*((name, f"forced:{name}", {}) for name in names), *of_searches]


def _asked(*words: str) -> list[str]:
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout.split()


def measure(options: argparse.Namespace) -> None:
    """Measures what the file lacks, with the launcher of the command line."""
    file = Protocol(options.output)
    lab = os.environ.get("STARLING_PLATFORM")
    platform = place_of(platform_file.platform(lab)) if lab else HERE
    with tempfile.TemporaryDirectory(prefix="solver-") as folder:
        program, record = Path(folder) / SOURCE.stem, Path(folder) / "record.json"
        flags = _asked("starling", "config", "--flags", "--mpicc", options.mpicc)
        subprocess.run([options.mpicc, "-O2", SOURCE, *flags, "-o", program, "-lm"], check=True)
        first = [*options.launcher, program, *words_of("4x4x4", 1, "native")]
        ranks = json.loads(subprocess.run(first, check=True, stdout=subprocess.PIPE, timeout=60).stdout)["ranks"]
        end, failed = time.monotonic() + 60 * options.minutes, 0
        for turn in range(options.rounds):
            for points in options.points:
                for how, strategy, settings in jobs(options.implementations, options.searches):
                    if not file.lacks(platform, ranks, points, how, turn):
                        continue
                    if time.monotonic() > end:
                        print(f"{options.minutes:g} minutes are over; the same command goes on from here", flush=True)
                        _end(failed)
                        return
                    kept = {"STARLING_HISTORY": "off", "STARLING_RECORD": str(record)}
                    env = {**os.environ, **kept, **{name: str(value) for name, value in settings.items()}}
                    line = [*options.launcher, program, *words_of(points, options.iterations, strategy)]
                    before = idle.ticks()
                    try:
                        done = subprocess.run(
                            line, check=True, stdout=subprocess.PIPE, env=env, timeout=options.timeout
                        )
                    except subprocess.SubprocessError as error:
                        print(f"{points}, {how}, round {turn}: {error}", flush=True)
                        failed += 1
                        continue
                    share = idle.ticks().idle_since(before)
                    found, run = json.loads(done.stdout), json.loads(record.read_text())["run"]
                    if strategy == f"forced:{how}" and found["implementation"] != how:
                        print(f"{how} cannot serve here", flush=True)
                        continue
                    file.add(
                        Measurement(
                            what=points,
                            platform=platform,
                            mpi=f"{run['mpi_flavour']} {run['mpi_version']}",
                            ranks=ranks,
                            how=how,
                            round=turn,
                            seconds=parts(found["iteration_seconds"]),
                            cpu_idle=round(share, 3),
                            made=made(),
                            notes={"chosen": found["implementation"], "iterations": options.iterations},
                        )
                    )
    _end(failed)


def _end(failed: int) -> None:
    if failed > 0:
        sys.exit(f"solver.py: {failed} jobs failed; the same command tries them again")


def simulate(options: argparse.Namespace) -> None:
    """Simulates what the file lacks."""
    file = Protocol(options.output)
    mpi = version()
    env = {**os.environ, "STARLING_HISTORY": "off"}
    with tempfile.TemporaryDirectory(prefix="solver-") as folder:
        program = Path(folder) / SOURCE.stem
        simulator.compile_program([SOURCE], program, simulator.archive(os.environ, print))
        for ranks, sizes in SIMULATED:
            if ranks > options.most_ranks:
                continue
            for name in options.machines:
                network = MACHINES[name].platform(ranks)
                for points in (one for one in sizes if one in options.points):
                    for how, strategy, _ in jobs((one for one in NAMES if not one.endswith(PACKED)), ()):
                        if not file.lacks(name, ranks, points, how, 0):
                            continue
                        began = time.monotonic()
                        made_here = iterations_simulated(how)
                        words = words_of(points, made_here, strategy)
                        ended = simulator.run(
                            program,
                            words,
                            network,
                            network.hosts,
                            ranks,
                            env,
                            capture=True,
                            on_line=print,
                            settings=TESTS,
                        )
                        if ended.status != 0:
                            print(f"{name}, {ranks} ranks, {points}, {how}: {ended.complaint}", flush=True)
                            continue
                        found = json.loads(ended.stdout)
                        seconds = [float(f"{one:.6g}") for one in found["iteration_seconds"]]
                        notes = {"chosen": found["implementation"], "not_made": ITERATIONS - made_here}
                        file.add(
                            Measurement(
                                what=points,
                                platform=name,
                                mpi=mpi,
                                ranks=ranks,
                                how=how,
                                seconds=seconds,
                                made=made(),
                                notes=notes,
                            )
                        )
                        print(f"    {time.monotonic() - began:.0f} s", flush=True)


def main() -> None:
    """Measures or simulates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    measuring = commands.add_parser("measure", help="run jobs with a launcher")
    measuring.add_argument("--mpicc", required=True, help="the compiler wrapper of the launcher's MPI")
    measuring.add_argument("--points", nargs="+", default=POINTS, metavar="XxYxZ", help="of a rank")
    measuring.add_argument("--implementations", nargs="+", default=NAMES, choices=NAMES, metavar="NAME")
    measuring.add_argument("--searches", nargs="*", default=tuple(SEARCHES), choices=tuple(SEARCHES), metavar="NAME")
    measuring.add_argument("--iterations", type=int, default=ITERATIONS)
    measuring.add_argument("--rounds", type=int, default=ROUNDS)
    measuring.add_argument("--minutes", type=float, default=float("inf"), help="after which no job begins")
    measuring.add_argument("--timeout", type=float, default=900, help="seconds of a job")
    measuring.add_argument("launcher", nargs="+", metavar="LAUNCHER", help="without a program")
    measuring.set_defaults(does=measure)
    simulating = commands.add_parser("simulate", help="simulate 32 to 512 ranks")
    simulating.add_argument("--points", nargs="+", default=POINTS, choices=POINTS, help="of a rank")
    simulating.add_argument("--most-ranks", type=int, default=512)
    simulating.add_argument("--machines", nargs="+", default=tuple(MACHINES), choices=tuple(MACHINES))
    simulating.set_defaults(does=simulate)
    for one in (measuring, simulating):
        one.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    with mistakes_told():
        options.does(options)


if __name__ == "__main__":
    main()
