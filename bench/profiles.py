r"""What programs do with collectives, by `starling profile`: tables II and III of Zheng et al. for programs at hand.

python bench/profiles.py measure --mpicc mpicc.openmpi -o docs/results/profiles.json -- mpirun.openmpi --oversubscribe
python bench/profiles.py measure --only cost ...      what a profile costs a call and a program

Each program runs in small problem sizes and few steps: which collectives it calls does not depend on how long it runs.
`measure` adds only what the file lacks. The tables are written by bench/pages.py.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import markdown
import result_files
from command import command_line
from program_runs import PROGRAMS, with_hpcc_input, with_inputs
from timing import made

from starling.lab import measured
from starling.lab.measured import Measurement, Measurements
from starling.records.profile import Profile, read
from starling.terminal.figures import human_bytes

PLATFORM = "this machine"
PROFILE = "profile"
WITHOUT = "without"
NATIVE = "native"
COST = Path(__file__).with_name("profile_cost.c")
CALLS, BLOCKS = 300, 2000
"""Calls in a block, and blocks."""
FASTEST = 0.05
"""Share of the times that count for costs: what delays the others is no cost of a profile."""
ROUNDS = 5
"""Runs of a program with and without."""


@dataclass(frozen=True)
class Program:
    """A program, its sizes, and the numbers of ranks; `size` stands for one of the sizes in `argv`."""

    argv: tuple[str, ...]
    sizes: tuple[int | None, ...] = (None,)
    ranks: tuple[int, ...] = (4, 8)


SUITE: Mapping[str, Program] = {
    "fft": Program(("fft", "size", "4"), (64, 128, 256, 512), (4, 8, 16)),
    "nbody": Program(("nbody", "size", "4"), (96, 192), (4, 8)),
    "molecular_dynamics": Program(("molecular_dynamics", "8", "4")),
    "nanotube": Program(("nanotube", "96", "4")),
    "hpcc": Program(("hpcc",), (100, 200), (4,)),
    "lmp melt": Program(("lmp", "-in", "melt.lmp", "-log", "none"), ranks=(4,)),
    "lmp salt": Program(("lmp", "-in", "salt.lmp", "-log", "none"), ranks=(4,)),
    "pw.x": Program(("pw.x", "-nd", "1", "-in", "silicon.in"), ranks=(4,)),
}


def _fastest(times: Sequence[float]) -> list[float]:
    return sorted(times)[: int(FASTEST * len(times))]


class Suite:
    """The file at hand, and how to add to it."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self._options = options
        self._folder = folder
        self.file = measured.read_or_empty(options.output)
        own = [PROGRAMS / f"{name}.c" for name in SUITE if (PROGRAMS / f"{name}.c").exists()]
        for source in [*own, COST]:
            line = [options.mpicc, "-std=c99", "-D_DEFAULT_SOURCE", "-O2", source, "-o", folder / source.stem, "-lm"]
            subprocess.run(line, check=True)

    def _run(self, line: Sequence[str], before: Sequence[str], ranks: int, folder: Path) -> str:
        own = self._folder / line[0]
        argv = [str(own) if own.exists() else line[0], *line[1:]]
        done = subprocess.run(
            [*before, *self._options.launcher, "-n", str(ranks), *argv],
            capture_output=True,
            text=True,
            cwd=folder,
            check=False,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "STARLING_HISTORY": "off"},
            timeout=self._options.timeout,
        )
        if done.returncode != 0:
            raise measured.MeasuredError(f"{' '.join(argv)}: exit status {done.returncode}: {done.stderr[-500:]}")
        return done.stdout

    def _add(self, what: str, ranks: int, how: str, seconds: list[float], mpi: str, **more: Any) -> None:
        notes = more.pop("notes", {})
        self.file.measurements.append(
            Measurement(
                what=what,
                platform=PLATFORM,
                mpi=mpi,
                ranks=ranks,
                how=how,
                seconds=seconds,
                made=made(),
                notes=notes,
                **more,
            )
        )
        self.file.write(self._options.output)

    def _profiled(self, line: Sequence[str], ranks: int, folder: Path) -> Profile:
        file = folder / "profile.json"
        file.unlink(missing_ok=True)
        self._run(line, ["starling", "profile", "-o", str(file), "--"], ranks, folder)
        return read(file)[0]

    def profile(self, name: str, size: int | None, ranks: int) -> None:
        """Adds the profile of one program, once."""
        if any((one.what, one.bytes, one.ranks) == (name, size, ranks) for one in self.file.measurements):
            return
        argv = [str(size) if word == "size" else word for word in SUITE[name].argv]
        with tempfile.TemporaryDirectory(dir=self._folder) as place:
            with_inputs(Path(place))
            if name == "hpcc" and size is not None:
                with_hpcc_input(Path(place), size, ranks)
            profile = self._profiled(argv, ranks, Path(place))
        run = profile.record.run
        notes = {
            "contexts": [
                {
                    "collective": one.context.collective,
                    "bytes": one.context.bytes,
                    "mean_bytes": one.all_ranks.mean_bytes,
                    "ranks": one.context.ranks,
                    "calls": one.context.calls,
                    "share": round(one.of_collectives, 4),
                }
                for one in profile.contexts
            ],
            "of_run": round(profile.of_run or 0.0, 4),
        }
        mpi = f"{run.mpi_flavour} {run.mpi_version}"
        self._add(name, ranks, PROFILE, [run.seconds or 0.0], mpi, bytes=size, notes=notes)
        print(f"{name} {size or ''} on {ranks} ranks: {run.seconds:.1f} s", flush=True)

    def cost(self) -> None:
        """Adds what a profile costs a call of 8 bytes on 2 ranks, and a program that makes many calls."""
        if any(one.what == "allreduce" for one in self.file.measurements):
            return
        with tempfile.TemporaryDirectory(dir=self._folder) as place:
            folder = Path(place)
            mpi = self._profiled(["nbody", "96", "1"], 2, folder).record.run
            name = f"{mpi.mpi_flavour} {mpi.mpi_version}"
            record = ["--history", "off", "--record", str(folder / "record.json"), "--quiet", "--"]
            for how, before in (
                (NATIVE, ["starling", "run", "--strategy", "native", *record]),
                (PROFILE, ["starling", "profile", "-o", str(folder / "cost.json"), "--"]),
            ):
                pairs = [
                    tuple(map(float, line.split()))
                    for line in self._run(["profile_cost", str(CALLS), str(BLOCKS)], before, 2, folder).splitlines()
                ]
                for which, seen in zip((how, f"{WITHOUT} {how}"), zip(*pairs, strict=True), strict=True):
                    self._add("allreduce", 2, which, _fastest([one * 1e-9 for one in seen]), name, bytes=8)
            for turn in range(ROUNDS):
                for how in (WITHOUT, PROFILE):
                    (folder / "real.json").unlink(missing_ok=True)
                    before = ["starling", "profile", "-o", str(folder / "real.json"), "--"] if how == PROFILE else []
                    printed = json.loads(self._run(["fft", "256", "400"], before, 2, folder))
                    self._add("fft", 2, how, _fastest(printed["step_seconds"]), name, bytes=256, round=turn)


def measure(options: argparse.Namespace) -> None:
    """Profiles all programs."""
    with tempfile.TemporaryDirectory() as folder:
        suite = Suite(options, Path(folder))
        if "cost" in options.only:
            suite.cost()
        for name in [name for name in SUITE if name in options.only]:
            if SUITE[name].argv[0] != name and shutil.which(SUITE[name].argv[0]) is None:
                continue
            for ranks in SUITE[name].ranks:
                for size in SUITE[name].sizes:
                    suite.profile(name, size, ranks)


def _profiles(file: Measurements) -> list[Measurement]:
    return [one for one in file.measurements if "contexts" in one.notes]


def collectives(file: Measurements) -> str:
    """Table II: the collectives of each program, those with most time first, and what they send."""
    rows = []
    for name in SUITE:
        found = [one for one in _profiles(file) if one.what == name]
        if not found:
            continue
        calls: dict[str, list[int]] = {}
        shares: dict[str, list[float]] = {}
        for one in found:
            for context in one.notes["contexts"]:
                sizes = context["bytes"] if context["bytes"] is not None else context["mean_bytes"]
                calls.setdefault(context["collective"], []).append(sizes or 0)
                shares.setdefault(context["collective"], []).append(context["share"] / len(found))
        by_time = sorted(calls, key=lambda collective: -sum(shares[collective]))
        text = ", ".join(f"{one} {_range(calls[one]) if one != 'barrier' else ''}".strip() for one in by_time)
        ranks = ", ".join(map(str, sorted({one.ranks for one in found})))
        of_run = median(one.notes["of_run"] for one in found)
        rows.append([name, ranks, text, f"{of_run:.0%}".replace("%", " %")])
    return markdown.table(["program", "ranks", "collectives: bytes", "of its time"], rows)


def _range(sizes: Sequence[int]) -> str:
    least, most = human_bytes(min(sizes)), human_bytes(max(sizes))
    return f"({least})" if least == most else f"({least} to {most})"


def alltoalls(file: Measurements) -> str:
    """Table III: the block of the alltoalls that all ranks make, by ranks and problem size."""
    rows = []
    for name in SUITE:
        found = [one for one in _profiles(file) if one.what == name and _blocks(one)]
        sizes = sorted({one.bytes for one in found if one.bytes is not None})
        for ranks in sorted({one.ranks for one in found}):
            cells = [
                f"{size}: {_blocks(one)}" for size in sizes for one in found if (one.bytes, one.ranks) == (size, ranks)
            ]
            cells = cells or [_blocks(one) for one in found if one.ranks == ranks]
            rows.append([name, str(ranks), "; ".join(cells)])
    return markdown.table(["program", "ranks", "problem size: bytes of a block"], rows)


def _blocks(one: Measurement) -> str:
    """The blocks of the alltoalls of a profile, those called most often first, at most four."""
    found = sorted(
        (context for context in one.notes["contexts"] if context["collective"].startswith("alltoall")),
        key=lambda context: -context["calls"],
    )
    named = [
        human_bytes(context["bytes"]) if context["bytes"] is not None else f"~{human_bytes(context['mean_bytes'])}"
        for context in found
    ]
    return ", ".join(named[:4]) + (f" and {len(named) - 4} more" if len(named) > 4 else "")


def cost(file: Measurements) -> str:
    """What a profile costs: a call, and a program. Raises MeasuredError where one was not measured."""

    def typical(what: str, how: str) -> float:
        some = [one for one in file.measurements if (one.what, one.how) == (what, how)]
        if not some:
            raise result_files.unmeasured(what, how)
        return median(measured.seconds_of(some))

    rows = []
    for how in (NATIVE, PROFILE):
        plain, seen = typical("allreduce", f"{WITHOUT} {how}"), typical("allreduce", how)
        ns = [f"{1e9 * one:.0f} ns" for one in (plain, seen, seen - plain)]
        rows.append([f"allreduce of 8 bytes, 2 ranks, `{how}`", *ns])
    plain, seen = typical("fft", WITHOUT), typical("fft", PROFILE)
    ms = [f"{1e3 * one:.3f} ms" for one in (plain, seen)]
    rows.append(["fft, 256 points a side, 2 ranks, a step", *ms, f"{(seen / plain - 1) * 100:+.1f} %"])
    return markdown.table(["", "without", "with", "cost"], rows)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--mpicc", required=True, help="the compiler wrapper of the launcher's MPI")
    parser.add_argument("--only", nargs="+", default=["cost", *SUITE], help="cost, or programs")
    parser.add_argument("--timeout", type=float, default=300, help="seconds of a job")
    parser.add_argument("launcher", nargs="+", metavar="LAUNCHER", help="without a number of ranks")


def _draw(_: argparse.Namespace) -> None:
    raise measured.MeasuredError("profiles have no picture here: starling profile --show FILE --html F.html draws one")


if __name__ == "__main__":
    command_line(__doc__, _options, measure, _draw, on_lab=False)
