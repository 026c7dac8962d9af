r"""Programs that no tuning has seen, with a table made from their profile alone: table IV of Zheng et al. 2020.

starling lab up single:16
starling lab run -- python bench/applications.py measure --mpicc mpicc.openmpi \
    -o docs/results/applications-openmpi.json -- mpirun.openmpi
python bench/applications.py draw docs/results/applications-openmpi.json docs/results/applications.svg

For each program and number of ranks: a run under `starling profile`, `starling tune --profile` for what it needs, then
the program in three ways, in turns: natively, with `--strategy table`, and without Starling but with the table's
settings exported to the MPI library. Each round begins with another of the three, since a first job finds caches
colder. `measure` adds only what the file lacks. Profiles and tables are kept in a folder beside the file, so that all
rounds follow the same table, and an interrupted `tune` goes on; they are made before the first round of any program,
and `--rounds 0` makes nothing else. `--small` has small sizes and few steps, to try it out.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import markdown
import plots
import result_files
from command import command_line
from program_runs import GRID, REAL, Run, Runner, WrongError, with_hpcc_input
from timing import made, place_of

from starling.lab import measured
from starling.lab.measured import MeasuredError, Measurement, Measurements
from starling.networks import platform_file
from starling.records import profile as profiles
from starling.records.record import read as read_record
from starling.tables import exporting
from starling.tables.formats import Format
from starling.tables.table import read as read_table

NATIVE, TABLE, EXPORTED = HOWS = ("native", "table", "exported")
SHOWN = 5
"""Most contexts of a record with notes in a measurement: those with most time."""
COMMUNICATES = 0.5
"""From this share of its native time in collectives on, a program is one that mostly communicates."""
FORMATS: Mapping[str, Format] = {"openmpi": Format.OPENMPI_RULES, "mpich": Format.MPICH_JSON}


@dataclass(frozen=True)
class Program:
    """Its arguments, usual and small; of HPCC and Quantum ESPRESSO those are in files."""

    argv: tuple[str, ...]
    small: tuple[str, ...]


PROGRAMS: Mapping[str, Program] = {
    "fft": Program(("fft", "512", "100"), ("fft", "64", "10")),
    "nbody": Program(("nbody", "3072", "300"), ("nbody", "96", "20")),
    "jacobi rows": Program(("jacobi", "1920", "500", "rows"), ("jacobi", "96", "20", "rows")),
    "jacobi columns": Program(("jacobi", "1920", "500", "columns"), ("jacobi", "96", "20", "columns")),
    "jacobi root": Program(("jacobi", "1920", "500", "root"), ("jacobi", "96", "20", "root")),
    "adams": Program(("adams", "15360", "200"), ("adams", "96", "25")),
    "hpcc": Program(("1000",), ("100",)),
    "pw.x": Program((), ()),
}
"""Numbers of ranks that are powers of two divide all sizes."""


def settings(table: Path, flavour: str, library: Path, file: Path) -> dict[str, str]:
    """Writes what a table says in the MPI library's words, and returns the variables with which it follows that."""
    if flavour not in FORMATS:
        raise MeasuredError(f"no export of a table is known here for {flavour}; there is one for {', '.join(FORMATS)}")
    found = exporting.export(read_table(table), FORMATS[flavour], file=str(file), library=library)
    file.write_text(found.text)
    if flavour == "mpich":
        return dict(line.removeprefix("export ").split("=", 1) for line in found.use)
    tuned = "OMPI_MCA_coll_tuned"
    return {f"{tuned}_use_dynamic_rules": "1", f"{tuned}_dynamic_rules_filename": str(file)}


class Suite:
    """The file at hand, and how to add to it."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self._options = options
        self._folder = folder
        self._platform = place_of(platform_file.platform(os.environ["STARLING_PLATFORM"]))
        self._kept = options.output.absolute().with_suffix("")
        self._kept.mkdir(exist_ok=True)
        ours = sorted({one.argv[0] for name, one in PROGRAMS.items() if name not in REAL})
        self._runner = Runner(options.mpicc, ours, folder, options.timeout)
        self.file = measured.read_or_empty(options.output)

    def skips(self, name: str, ranks: int) -> bool:
        """Whether a program cannot be measured here; says why, in the file as well."""
        why = self._runner.why_not(name) if name in REAL else ""
        if name == "hpcc" and ranks not in GRID:
            why = f"there is no input for {ranks} ranks"
        if why:
            print(f"{name} is skipped: {why}", file=sys.stderr)
            self.file.machine.setdefault("skipped", {})[name] = why
        return bool(why)

    def _run(self, name: str, ranks: int, before: Sequence[str] = (), env: Mapping[str, str] | None = None) -> Run:
        program = PROGRAMS[name].small if self._options.small else PROGRAMS[name].argv

        def prepare(folder: Path) -> None:
            if name == "hpcc":
                with_hpcc_input(folder, int(program[0]), ranks)

        real = REAL.get(name)
        return self._runner.run(
            real.argv if real else program,
            [*self._options.launcher, "-n", str(ranks)],
            real,
            before=before,
            env={"STARLING_HISTORY": "off", **(env or {})},
            prepare=prepare,
        )

    def tuned(self, name: str, ranks: int) -> tuple[profiles.Profile, Path]:
        """The profile and the table of a program, made where they are not there yet."""
        stem = f"{name.replace(' ', '-')}-{ranks}"
        profile, table = (self._kept / f"{stem}.{what}.json" for what in ("profile", "table"))
        if not profile.exists():
            self._run(name, ranks, ["starling", "profile", "-o", str(profile), "--"])
        if not table.exists():
            options = ["--profile", str(profile), "--budget", self._options.budget, "--mpicc", self._options.mpicc]
            options += ["-o", str(table), "--", *self._options.launcher, "-n", str(ranks)]
            self._runner.start(["starling", "tune", "--quiet", *options])
        return profiles.read(profile)[0], table

    def measure(self, name: str, ranks: int, turn: int) -> None:
        """The three jobs of a program in a round."""
        if any((one.what, one.ranks, one.round) == (name, ranks, turn) for one in self.file.measurements):
            return
        profile, table = self.tuned(name, ranks)
        run = profile.record.run
        rules = self._folder / "exported"
        exported = settings(table, run.mpi_flavour, Path(self._runner.library), rules)
        record = self._folder / "record.json"
        record.unlink(missing_ok=True)
        follow = ["starling", "run", "--quiet", "--strategy", "table", "--table", str(table), "--record", str(record)]
        ways: dict[str, tuple[list[str], dict[str, str]]] = {
            NATIVE: ([], {}),
            TABLE: ([*follow, "--"], {}),
            EXPORTED: ([], exported),
        }
        first = turn % len(HOWS)
        done = {how: self._run(name, ranks, *ways[how]) for how in (*HOWS[first:], *HOWS[:first])}
        jobs = {how: done[how] for how in HOWS}
        notes: dict[str, dict[str, Any]] = {
            NATIVE: {"of_run": round(profile.of_run or 0.0, 4)},
            TABLE: {"contexts": self._choices(record)},
            EXPORTED: {},
        }
        for how, job in jobs.items():
            if name in REAL and not REAL[name].agree(job.result, jobs[NATIVE].result):
                raise WrongError(f"{name}, {how}: {job.result} instead of {jobs[NATIVE].result}")
            for what, seconds in ((name, sum(job.seconds)), *((f"{name} {k}", s) for k, s in job.kernels.items())):
                self.file.measurements.append(
                    Measurement(
                        what=what,
                        platform=self._platform,
                        mpi=f"{run.mpi_flavour} {run.mpi_version}",
                        ranks=ranks,
                        how=how,
                        round=turn,
                        seconds=[seconds],
                        cpu_idle=job.cpu_idle,
                        made=made(),
                        notes=notes[how] if what == name else {},
                    )
                )
        self.file.write(self._options.output)
        totals = ", ".join(f"{how} {sum(job.seconds):.2f} s ({job.cpu_idle:.0%} idle)" for how, job in jobs.items())
        print(f"round {turn}: {name} on {ranks} ranks: {totals}", flush=True)

    def _choices(self, record: Path) -> list[dict[str, Any]]:
        contexts = sorted(read_record(record)[0].contexts, key=lambda one: one.seconds or 0, reverse=True)
        return [one.model_dump(include={"collective", "bytes", "calls", "stage", "winner"}) for one in contexts[:SHOWN]]


def measure(options: argparse.Namespace) -> None:
    """Measures what is missing in the output file."""
    with tempfile.TemporaryDirectory(prefix="applications-") as folder:
        suite = Suite(options, Path(folder))
        jobs = [(name, ranks) for name in options.programs for ranks in options.ranks if not suite.skips(name, ranks)]
        for name, ranks in jobs:
            suite.tuned(name, ranks)
        for name, ranks in jobs:
            for turn in range(options.rounds):
                suite.measure(name, ranks, turn)


class Gain(NamedTuple):
    """How many times as fast a program is as natively: the means of all rounds, and the least and most of a round."""

    middle: float
    least: float
    most: float

    @property
    def told(self) -> str:
        """In a cell."""
        return f"{self.middle:.2f} ({self.least:.2f}-{self.most:.2f})"


@dataclass(frozen=True)
class Row:
    """A program, or a part that it times, on so many ranks."""

    what: str
    ranks: int
    rounds: Mapping[str, Sequence[Measurement]]
    """By how."""

    def seconds(self, how: str) -> float:
        """The mean of all rounds."""
        return mean(measured.seconds_of(self.rounds[how]))

    def gain(self, how: str) -> Gain:
        """Of a way against native."""
        pairs = zip(self.rounds[NATIVE], self.rounds[how], strict=True)
        ratios = [native.seconds[0] / other.seconds[0] for native, other in pairs]
        return Gain(self.seconds(NATIVE) / self.seconds(how), min(ratios), max(ratios))

    @property
    def cpu_bound(self) -> bool:
        """Whether its times are those of the processors."""
        return measured.cpu_bound(one for rounds in self.rounds.values() for one in rounds)

    @property
    def of_run(self) -> float | None:
        """The share of collectives in the profiled run; None for a part."""
        found: float | None = self.rounds[NATIVE][0].notes.get("of_run")
        return found

    @property
    def choice(self) -> str:
        """What the table had for the context with most time."""
        contexts = self.rounds[TABLE][0].notes.get("contexts")
        if not contexts:
            return ""
        return f"{contexts[0]['collective']} {contexts[0]['bytes']}: {contexts[0]['winner']}"


def rows_of(file: Measurements) -> list[Row]:
    """In the order of measuring. Raises MeasuredError where a way is missing."""
    found: dict[tuple[str, int], dict[str, list[Measurement]]] = {}
    for one in file.measurements:
        found.setdefault((one.what, one.ranks), {}).setdefault(one.how, []).append(one)
    for (what, _), rounds in found.items():
        for how in HOWS:
            if how not in rounds:
                raise result_files.unmeasured(what, how)
    return [Row(what, ranks, rounds) for (what, ranks), rounds in found.items()]


def table(file: Measurements) -> str:
    """Table IV: what a table from a profile gains, and what its exported settings do alone."""
    rows = rows_of(file)
    cells = []
    for row in rows:
        share = "" if row.of_run is None else f"{row.of_run:.0%}".replace("%", " %")
        gains = [cell for how in (TABLE, EXPORTED) for cell in (_seconds(row.seconds(how)), row.gain(how).told)]
        name = f"{row.what} (CPU-bound)" if row.cpu_bound else row.what
        cells.append(
            [name, row.ranks, len(row.rounds[NATIVE]), share, _seconds(row.seconds(NATIVE)), *gains, row.choice]
        )
    titles = ["program", "ranks", "runs", "in collectives", "native", "table", "native / it", "exported", "native / it"]
    rounds = sorted({len(row.rounds[NATIVE]) for row in rows})
    number = f"{rounds[0]}" if len(rounds) == 1 else f"{rounds[0]} to {rounds[-1]}"
    told = markdown.table([*titles, "the table's way where most time is spent"], cells)
    summary = f"Means of {number} runs; in parentheses the least and most of a round. {_summary(rows)}"
    return f"{told}\n\n{summary}\n\n{markdown.origin(one.made for one in file.measurements)}"


def _seconds(value: float) -> str:
    return f"{value:.1f} s" if value >= 1 else f"{1e3 * value:.1f} ms"


def _summary(rows: Sequence[Row]) -> str:
    """What the goals ask of whole programs: the best, the mean of those that mostly communicate, and the worst."""
    whole = [row for row in rows if row.of_run is not None]
    said = []
    for how in (TABLE, EXPORTED):
        gains = {f"{row.what} on {row.ranks} ranks": row.gain(how).middle for row in whole}
        most, least = max(gains, key=gains.__getitem__), min(gains, key=gains.__getitem__)
        busy = [row.gain(how).middle for row in whole if (row.of_run or 0) >= COMMUNICATES]
        often = f", in the mean of the {len(busy)} that mostly communicate {mean(busy):.2f}" if busy else ""
        name = "with the table" if how == TABLE else "with its exported settings alone"
        said.append(f"{name} at best {gains[most]:.2f} ({most}), at worst {gains[least]:.2f} ({least}){often}")
    return f"Whole programs: {'; '.join(said)}."


def _name(row: Row) -> str:
    once = ", 1 round" if len(row.rounds[NATIVE]) == 1 else ""
    return f"{row.what}, {row.ranks} ranks{once}{' (CPU-bound)' if row.cpu_bound else ''}"


def draw(options: argparse.Namespace) -> None:
    """How many times as fast each program is, a panel for each file. One round has no spread, and is said to be one."""
    pyplot = plots.pyplot()
    files = [measured.read(path) for path in options.measured]
    figure, axes = pyplot.subplots(1, len(files), figsize=(7 * len(files), 5), layout="constrained", squeeze=False)
    for panel, file in zip(axes.flat, files, strict=True):
        rows = rows_of(file)
        for place, how in enumerate((TABLE, EXPORTED)):
            gains = [row.gain(how) for row in rows]
            middles = [one.middle for one in gains]
            heights = [height + 0.36 * (place - 0.5) for height in range(len(rows))]
            panel.barh(heights, middles, height=0.32, label=how)
            for height, row, gain in zip(heights, rows, gains, strict=True):
                if len(row.rounds[how]) > 1:
                    spread = [[max(0, gain.middle - gain.least)], [max(0, gain.most - gain.middle)]]
                    panel.errorbar(gain.middle, height, xerr=spread, color="black", linewidth=0.8)
        panel.set_yticks(range(len(rows)), [_name(row) for row in rows])
        panel.invert_yaxis()
        panel.axvline(1, color="black", linewidth=0.8)
        panel.set(title=f"{file.measurements[0].platform}: {file.measurements[0].mpi}", xlabel="native's time / it")
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    plots.save(figure, options.picture)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of `measure`."""
    parser.add_argument("--mpicc", required=True, help="the compiler wrapper of the launcher's MPI")
    parser.add_argument("--programs", nargs="+", default=tuple(PROGRAMS), choices=tuple(PROGRAMS))
    parser.add_argument("--ranks", nargs="+", type=int, default=(16, 8), help="numbers of ranks, powers of two")
    parser.add_argument("--budget", default="2m", help="of `starling tune`, for each program and number of ranks")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="small sizes and few steps")
    parser.add_argument("--timeout", type=float, default=900, help="seconds that a job may take")


if __name__ == "__main__":
    command_line(__doc__, add_options, measure, draw)
