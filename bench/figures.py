"""What Starling costs: calls passed through and tuned, the executor against hand-written code, communicators, starts.

    python bench/figures.py [--json FILE] [--quick] [--memory]

Runs on Debian's Open MPI and MPICH, and on MPICH 5 where it is installed. Compared runs are interleaved; figures are
medians with the quartiles.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from starling.algorithms import repository
from starling.records import record
from support.mpis import Mpi, compile_c, debian_mpis, installed_mpis, run_ranks
from support.tuned import library, preloaded

HERE = Path(__file__).parent
FORCED = "forced:allreduce:recursive_doubling,allgather:ring,bcast:binomial,alltoall:ring"
TABLE = {
    "schema": "starling-table-1",
    "machine": "",
    "mpi_flavour": "",
    "mpi_version": "",
    "made": {"when": "2026-01-01T00:00:00Z", "command": "", "starling": ""},
    "choices": [
        {
            "collective": "allreduce",
            "ranks": 2,
            "nodes": 1,
            "ranks_per_node": 2,
            "intervals": [{"from": 0, "below": None, "way": "recursive_doubling"}],
        }
    ],
    "points": [],
}
MODES: dict[str, dict[str, str] | None] = {
    "no preload": None,
    "pass-through": {"STARLING_EXCEPT": "allreduce"},
    "tuned, native forced": {"STARLING_STRATEGY": "forced:allreduce:native"},
    "tuned, star-basic settled": {"STARLING_STRATEGY": "star-basic"},
}


@dataclass(frozen=True)
class Spread:
    """A median with its quartiles."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Of at least two values."""
        low, median, high = statistics.quantiles(values, n=4, method="inclusive")
        return cls(low, median, high)

    def show(self, digits: int = 0) -> str:
        """For a table."""
        return f"{self.median:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"


@dataclass(frozen=True)
class Overhead:
    """Nanoseconds of one MPI_Allreduce in one mode, and the additional time over a run without preload.

    Of 8 bytes; with 192 keys in turns over 16 communicators and 12 sizes, 8 to 96 bytes.
    """

    mpi: str
    where: str
    mode: str
    winner: str
    nanoseconds: Spread
    more: Spread


@dataclass(frozen=True)
class Derived:
    """Nanoseconds of one MPI_Bcast of 64 bytes on MPI_COMM_SELF as MPI_DOUBLE and as one element of a contiguous type.

    `more` is the additional time of the type, within pairs of blocks.
    """

    mpi: str
    mode: str
    double: Spread
    derived: Spread
    more: Spread


@dataclass(frozen=True)
class Executor:
    """Microseconds of a call by the executor and written directly, and their ratio within pairs of blocks.

    `steps` is the ratio without what a call that sends no message costs: entry, choice and two readings of the clock.
    """

    mpi: str
    ranks: int
    collective: str
    bytes: int
    executor: Spread
    direct: Spread
    ratio: Spread
    steps: Spread


@dataclass(frozen=True)
class Kept:
    """KiB of heap of a communicator with 16 keys on the fullest rank, and microseconds to free it.

    Both in addition to those without a preload.
    """

    mpi: str
    strategy: str
    kib: Spread
    microseconds: Spread


@dataclass(frozen=True)
class Freed:
    """Microseconds of processor time of MPI_Comm_free on rank 0, over the communicators of a program.

    Of each communicator it is the least of several runs: what only one run took is the machine's.
    """

    mpi: str
    mode: str
    median: float
    nearly_all: float
    """The 99th percentile."""
    longest: float


@dataclass(frozen=True)
class Start:
    """Milliseconds until a command has done its work, or until the program of a run starts."""

    what: str
    milliseconds: Spread
    more: Spread


def starts(rounds: int) -> list[Start]:
    """The command's starts and Python's own, in turn."""
    bare = "python -c pass"
    starling = str(Path(sys.executable).with_name("starling"))
    lines = {
        bare: [sys.executable, "-c", "pass"],
        "starling --version": [starling, "--version"],
        "starling run, until the program starts": [starling, "run", "--mpi", "openmpi", "--", "date", "+%s%N"],
    }
    times: dict[str, list[float]] = {what: [] for what in lines}
    env = {**os.environ, "STARLING_HISTORY": "off"}
    for _ in range(rounds):
        for what, line in lines.items():
            begin = time.time_ns()
            done = subprocess.run(line, env=env, capture_output=True, text=True, check=True)
            # `date` says when it was.
            end = int(done.stdout) if done.stdout.strip().isdecimal() else time.time_ns()
            times[what].append((end - begin) / 1e6)
    return [
        Start(what, Spread.of(found), Spread.of([one - own for one, own in zip(found, times[bare], strict=True)]))
        for what, found in times.items()
    ]


def overheads(mpi: Mpi, folder: Path, rounds: int, calls: int) -> list[Overhead]:
    """Every mode in turn, `rounds` times; each run warms up until a strategy has settled."""
    one_key = str(compile_c(mpi, HERE / "overhead.c", folder))
    mixed_keys = str(compile_c(mpi, HERE / "mixed_keys.c", folder))
    path = folder / "record.json"
    found = []
    cases: dict[str, tuple[int, list[str]]] = {
        where: (ranks, [one_key, str(calls), str(calls), "7", where]) for where, ranks in (("self", 1), ("world", 2))
    }
    cases["192 keys"] = (1, [mixed_keys, str(calls // 192), "7"])
    for where, (ranks, argv) in cases.items():
        times: dict[str, list[float]] = {mode: [] for mode in MODES}
        winners = dict.fromkeys(MODES, "")
        for _ in range(rounds):
            for mode, settings in MODES.items():
                env = {}
                if settings is not None:
                    env = {"LD_PRELOAD": str(library(mpi)), "STARLING_HISTORY": "off", "STARLING_RECORD": str(path)}
                done = run_ranks(mpi, ranks, argv, {**env, **(settings or {})}, 120).check()
                times[mode].append(statistics.median(map(float, done.stdout.split())))
                if settings is not None:
                    contexts = record.read(path)[0].contexts
                    winners[mode] = max(contexts, key=lambda context: context.calls).winner
        for mode in MODES:
            more = [one - plain for one, plain in zip(times[mode], times["no preload"], strict=True)]
            found.append(
                Overhead(
                    mpi.name, f"{where}, {ranks} ranks", mode, winners[mode], Spread.of(times[mode]), Spread.of(more)
                )
            )
    return found


def derived_types(mpi: Mpi, folder: Path, calls: int, blocks: int) -> list[Derived]:
    """A derived datatype against a predefined one, in turn in one run: native and by the executor."""
    program = str(compile_c(mpi, HERE / "derived_type.c", folder))
    found = []
    for mode, strategy in (("no preload", None), ("native forced", "native"), ("executor", "forced:bcast:binomial")):
        env = {}
        if strategy is not None:
            env = {"LD_PRELOAD": str(library(mpi)), "STARLING_HISTORY": "off", "STARLING_STRATEGY": strategy}
        done = run_ranks(mpi, 1, [program, str(calls), str(calls), str(blocks), "self"], env, 120).check()
        pairs = [tuple(map(float, line.split())) for line in done.stdout.splitlines()]
        found.append(
            Derived(
                mpi.name,
                mode,
                Spread.of([double for double, _ in pairs]),
                Spread.of([derived for _, derived in pairs]),
                Spread.of([derived - double for double, derived in pairs]),
            )
        )
    return found


def executors(mpi: Mpi, ranks: int, folder: Path, calls: int, blocks: int) -> list[Executor]:
    """The executor against hand-written code at 8 bytes and 64 KiB, in one run."""
    # gcc takes MPICH's MPI_STATUSES_IGNORE for an array that is too short.
    program = str(compile_c(mpi, HERE / "executor.c", folder, ["-Wno-stringop-overflow"]))
    env = preloaded(mpi, folder, [library(mpi)], sleeping=False)
    env |= {"STARLING_STRATEGY": FORCED, "STARLING_HISTORY": "off"}
    done = run_ranks(mpi, ranks, [program, str(calls), str(blocks)], env, 400).check()
    measured: dict[tuple[str, int], list[list[float]]] = {}
    for line in done.stdout.splitlines():
        collective, size, *times = line.split()
        measured.setdefault((collective, int(size)), []).append([float(one) for one in times])
    return [
        Executor(
            mpi.name,
            ranks,
            collective,
            size,
            Spread.of([executor for executor, *_ in blocks_of]),
            Spread.of([direct for _, direct, *_ in blocks_of]),
            Spread.of([executor / direct for executor, direct, *_ in blocks_of]),
            Spread.of([(executor - more + less) / direct for executor, direct, more, less in blocks_of]),
        )
        for (collective, size), blocks_of in measured.items()
    ]


def kept(mpi: Mpi, folder: Path, rounds: int, calls: int) -> list[Kept]:
    """Each strategy and no preload in turn, `rounds` times, on 2 ranks."""
    program = str(compile_c(mpi, HERE / "keys.c", folder))
    table = folder / "table.json"
    table.write_text(json.dumps(TABLE))
    preload = {"LD_PRELOAD": str(library(mpi)), "STARLING_HISTORY": "off"}
    needed = {
        "forced": {"STARLING_STRATEGY": "forced:allreduce:recursive_doubling"},
        "table": {"STARLING_STRATEGY": "table", "STARLING_TABLE": str(table), "STARLING_FOREIGN_TABLE": "1"},
    }
    modes: dict[str, dict[str, str]] = {
        strategy["name"]: preload | needed.get(strategy["name"], {"STARLING_STRATEGY": strategy["name"]})
        for strategy in repository.listing()["strategies"]
    }
    found: dict[str, list[tuple[float, float]]] = {strategy: [] for strategy in modes}
    for _ in range(rounds):
        plain, *others = (
            tuple(map(float, run_ranks(mpi, 2, [program, "16", str(calls)], env, 400).check().stdout.split()))
            for env in ({}, *modes.values())
        )
        for strategy, one in zip(modes, others, strict=True):
            found[strategy].append(((one[0] - plain[0]) / 1024, one[1] - plain[1]))
    return [
        Kept(mpi.name, strategy, Spread.of([kib for kib, _ in pairs]), Spread.of([free for _, free in pairs]))
        for strategy, pairs in found.items()
    ]


def frees(mpi: Mpi, folder: Path, rounds: int, communicators: int) -> list[Freed]:
    """No preload, `native` and `star` in turn, `rounds` times, on 2 ranks: keys that are new on each communicator."""
    program = str(compile_c(mpi, HERE / "frees.c", folder))
    preload = {"LD_PRELOAD": str(library(mpi)), "STARLING_HISTORY": "off", "STARLING_RECORD": str(folder / "freed")}
    modes: dict[str, dict[str, str]] = {
        "no preload": {},
        **{name: preload | {"STARLING_STRATEGY": name} for name in ("native", "star")},
    }
    found: dict[str, list[list[float]]] = {mode: [] for mode in modes}
    for _ in range(rounds):
        for mode, env in modes.items():
            printed = run_ranks(mpi, 2, [program, str(communicators), "16"], env, 400).check().stdout
            found[mode].append([float(line) for line in printed.split()])
    freed = []
    for mode, runs in found.items():
        least = sorted(min(of_one) for of_one in zip(*runs, strict=True))
        freed.append(Freed(mpi.name, mode, statistics.median(least), least[len(least) * 99 // 100], least[-1]))
    return freed


def main() -> None:
    """Measures, prints six tables, and writes them as JSON if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    parser.add_argument("--quick", action="store_true", help="a tenth of the calls: to see that it works")
    parser.add_argument("--memory", action="store_true", help="only what communicators keep")
    options = parser.parse_args()
    share = 10 if options.quick else 1
    begun = [] if options.memory else starts(5 if options.quick else 21)
    costs: list[Overhead] = []
    types: list[Derived] = []
    ratios: list[Executor] = []
    communicators: list[Kept] = []
    freed: list[Freed] = []
    with tempfile.TemporaryDirectory() as name:
        for mpi in [one for one in installed_mpis() if one in debian_mpis() or one.name == "mpich5"]:
            folder = Path(name) / mpi.name
            folder.mkdir()
            communicators += kept(mpi, folder, 2 if options.quick else 5, 400)
            freed += frees(mpi, folder, 2 if options.quick else 9, 2000 // share)
            if options.memory:
                continue
            costs += overheads(mpi, folder, 2 if options.quick else 9, 200_000 // share)
            types += derived_types(mpi, folder, 20_000 // share, 5 if options.quick else 101)
            for ranks in (2, 4):
                ratios += executors(mpi, ranks, folder, 2000 // share, 5 if options.quick else 31)
    print("MPI_Allreduce of 8 bytes (192 keys: 8 to 96), nanoseconds a call: median [quartiles]; more than no preload")
    for cost in costs:
        times = f"{cost.nanoseconds.show():>22} {cost.more.show():>20}"
        print(f"{cost.mpi:10} {cost.where:14} {cost.mode:26} {times}  {cost.winner}")
    print(
        "\nMPI_Bcast of 64 bytes on one rank, nanoseconds a call: as MPI_DOUBLE, as a contiguous type, its extra cost"
    )
    for kind in types:
        print(f"{kind.mpi:10} {kind.mode:26} {kind.double.show():>22} {kind.derived.show():>22} {kind.more.show():>20}")
    print("\nexecutor against hand-written code, microseconds a call: median [quartiles]; steps: without an empty call")
    for one in ratios:
        print(
            f"{one.mpi:10} {one.ranks} ranks  {one.collective:10} {one.bytes:6} bytes  "
            f"executor {one.executor.show(2):>20}  direct {one.direct.show(2):>20}  "
            f"ratio {one.ratio.show(3)}  steps {one.steps.show(3)}"
        )
    print("\na communicator with 16 keys, 2 ranks, beyond no preload: KiB of heap, microseconds of MPI_Comm_free")
    for comm in communicators:
        print(f"{comm.mpi:10} {comm.strategy:26} {comm.kib.show(1):>22} {comm.microseconds.show(1):>22}")
    print(
        "\nMPI_Comm_free of communicators with 16 new keys each, 2 ranks, microseconds of processor time: "
        "median, 99 %, longest"
    )
    for one_mode in freed:
        of_mode = (one_mode.median, one_mode.nearly_all, one_mode.longest)
        print(f"{one_mode.mpi:10} {one_mode.mode:26} " + " ".join(f"{figure:6.1f}" for figure in of_mode))
    print("\nstart of the command, milliseconds: median [quartiles]; more than Python alone")
    for start in begun:
        print(f"{start.what:40} {start.milliseconds.show(1):>22} {start.more.show(1):>22}")
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(
            json.dumps(
                {
                    "overhead": [asdict(cost) for cost in costs],
                    "derived types": [asdict(kind) for kind in types],
                    "executor": [asdict(one) for one in ratios],
                    "communicators": [asdict(comm) for comm in communicators],
                    "frees": [asdict(one) for one in freed],
                    "start": [asdict(start) for start in begun],
                },
                indent=1,
            )
        )


if __name__ == "__main__":
    main()
