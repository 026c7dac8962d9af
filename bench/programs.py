r"""Whole programs on the lab that is up: without Starling, with `auto` from nothing, and with that run's history.

starling lab up single:16
starling lab run -- python bench/programs.py measure --mpicc mpicc.openmpi -o docs/results/programs-openmpi.json \
    -- mpirun.openmpi -n 16
python bench/programs.py draw docs/results/programs-openmpi.json programs.svg

Those of bench/programs/ have the collectives of STAR-MPI's applications (Faraj, Yuan and Lowenthal 2006, table 2),
check their own results and time their steps. LAMMPS, HPCC and Quantum ESPRESSO are Debian's, unchanged: their time is
that of the whole job, including its launch and Starling's probe of the network, and their output must be the same three
times. Jobs get no platform file. `--strategy` takes another strategy than `auto`. Programs take turns,
`--rounds` times. `measure` adds only what the file lacks.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import markdown
import plots
import result_files
from command import command_line
from program_runs import REAL, Run, Runner, WrongError
from timing import made, place_of

from starling.lab import measured
from starling.lab.measured import Measurement, Measurements
from starling.networks import platform_file
from starling.records.record import RunRecord, read

OURS = ("fft", "nbody", "molecular_dynamics", "nanotube")
NATIVE = "native"
FROM_HISTORY = " from history"
SHOWN = 5
"""Most contexts of a record with notes in a measurement: those with most time."""


@dataclass(frozen=True)
class Job:
    """One run, and its record if Starling was there."""

    run: Run
    record: RunRecord | None

    @property
    def notes(self) -> dict[str, Any]:
        """The choices in the contexts with most time, and the cost of tuning in seconds."""
        notes: dict[str, Any] = {"result": self.run.result}
        if self.record:
            contexts = sorted(self.record.contexts, key=lambda one: one.seconds or 0, reverse=True)
            notes["tuning_s"] = sum(one.tuning_seconds or 0 for one in contexts)
            notes["contexts"] = [
                one.model_dump(include={"collective", "bytes", "calls", "stage", "winner", "seconds"})
                for one in contexts[:SHOWN]
            ]
        return notes


class Suite:
    """The file at hand, and how to add to it."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self._options = options
        self._folder = folder
        self._platform = place_of(platform_file.platform(os.environ["STARLING_PLATFORM"]))
        self._runner = Runner(options.mpicc, OURS, folder, options.timeout)
        self.file = measured.read_or_empty(options.output)

    def skips(self, name: str) -> bool:
        """Whether a program cannot be measured here; says why, in the file as well."""
        if name in OURS:
            return False
        why = self._runner.why_not(name)
        if not why:
            return False
        print(f"{name} is skipped: {why}", file=sys.stderr)
        self.file.machine.setdefault("skipped", {})[name] = why
        return True

    def _run(self, name: str, how: str, history: Path) -> Job:
        record, before = self._folder / "record.json", []
        record.unlink(missing_ok=True)
        if how != NATIVE:
            strategy = self._options.strategy
            flags = ["--quiet", "--strategy", strategy, "--history", str(history), "--record", str(record)]
            before = ["starling", "run", *flags, "--"]
        real = REAL.get(name)
        run = self._runner.run(real.argv if real else (name,), self._options.launcher, real, before=before)
        return Job(run, read(record)[0] if how != NATIVE else None)

    def measure(self, name: str, turn: int) -> None:
        """The three jobs of a program in a round; the third uses the history of the second."""
        if any((one.what, one.round) == (name, turn) for one in self.file.measurements):
            return
        with tempfile.TemporaryDirectory(dir=self._folder) as place:
            history = Path(place)
            hows = (NATIVE, self._options.strategy, self._options.strategy + FROM_HISTORY)
            jobs = {how: self._run(name, how, history) for how in hows}
        for how, job in jobs.items():
            if name in REAL and not REAL[name].agree(job.run.result, jobs[NATIVE].run.result):
                raise WrongError(f"{name}, {how}: {job.run.result} instead of {jobs[NATIVE].run.result}")
        run = next(job.record.run for job in jobs.values() if job.record)
        self.file.measurements += [
            Measurement(
                what=name,
                platform=self._platform,
                mpi=f"{run.mpi_flavour} {run.mpi_version}",
                ranks=run.ranks,
                how=how,
                round=turn,
                seconds=job.run.seconds,
                cpu_idle=job.run.cpu_idle,
                made=made(),
                notes=job.notes,
            )
            for how, job in jobs.items()
        ]
        self.file.write(self._options.output)
        totals = ", ".join(
            f"{how} {sum(job.run.seconds):.1f} s ({job.run.cpu_idle:.0%} idle)" for how, job in jobs.items()
        )
        print(f"round {turn}: {name}: {totals}", flush=True)


def measure(options: argparse.Namespace) -> None:
    """Measures what is missing in the output file."""
    with tempfile.TemporaryDirectory(prefix="programs-") as folder:
        suite = Suite(options, Path(folder))
        programs = [name for name in options.programs if not suite.skips(name)]
        for turn in range(options.rounds):
            for name in programs:
                suite.measure(name, turn)


Rounds = dict[str, list[Measurement]]
"""The measurements of a program, by how."""


def programs_of(file: Measurements) -> dict[str, Rounds]:
    """In the order of the table."""
    found: dict[str, Rounds] = {name: {} for name in (*OURS, *REAL)}
    for one in file.measurements:
        found[one.what].setdefault(one.how, []).append(one)
    return {name: rounds for name, rounds in found.items() if rounds}


def totals(rounds: Sequence[Measurement]) -> list[float]:
    """Seconds of all steps, of each round."""
    return [sum(one.seconds) for one in rounds]


def settled(rounds: Sequence[Measurement]) -> list[float]:
    """The last quarter of the steps of all rounds; of a program whose steps are not known, all of it."""
    return [value for one in rounds for value in one.seconds[-math.ceil(len(one.seconds) / 4) :]]


def chosen(rounds: Sequence[Measurement]) -> str:
    """The final candidate of the context with most time, in each round."""
    longest = [one.notes["contexts"][0] for one in rounds]
    return ", ".join(dict.fromkeys(f"{one['collective']} {one['bytes']}: {one['winner']}" for one in longest))


def tuned_in(file: Measurements) -> list[str]:
    """The hows but native, in order."""
    return list(dict.fromkeys(one.how for one in file.measurements if one.how != NATIVE))


def table(file: Measurements) -> str:
    """Totals and settled steps. Raises MeasuredError where a way is missing."""
    tuned = tuned_in(file)
    if not tuned:
        raise result_files.unmeasured(file.measurements[0].what, "what Starling does")
    titles = ["program", "native"]
    titles += [title for how in tuned for title in (how, "native / it", "of settled steps", "95 %")]
    rows = []
    for name, hows in programs_of(file).items():
        for how in (NATIVE, *tuned):
            if how not in hows:
                raise result_files.unmeasured(name, how)
        native = hows[NATIVE]
        bound = measured.cpu_bound(one for rounds in hows.values() for one in rounds)
        cells = [f"{name} (CPU-bound)" if bound else name, f"{median(totals(native)):.1f} s"]
        for how in tuned:
            gain = measured.ratio(settled(native), settled(hows[how]))
            total = median(totals(hows[how]))
            cells += [f"{total:.1f} s", f"{median(totals(native)) / total:.2f}"]
            few = len(settled(native)) < measured.FEWEST
            cells += [f"{gain.middle:.2f}", "" if few else f"{gain.low:.2f}-{gain.high:.2f}"]
        first = hows[tuned[0]]
        rows.append([*cells, chosen(first), f"{median(one.notes['tuning_s'] for one in first):.1f} s"])
    made = markdown.origin(one.made for one in file.measurements)
    return f"{markdown.table([*titles, 'ends with', 'tuning'], rows)}\n\n{made}"


def draw(options: argparse.Namespace) -> None:
    """The steps of the programs that time them, a row for each file."""
    pyplot = plots.pyplot()
    files = [measured.read(path) for path in options.measured]
    figure, axes = pyplot.subplots(
        len(files), len(OURS), figsize=(3 * len(OURS), 2.4 * len(files) + 0.6), layout="constrained", squeeze=False
    )
    for row, file in zip(axes, files, strict=True):
        programs = programs_of(file)
        for panel, name in zip(row, OURS, strict=True):
            for how, rounds in programs.get(name, {}).items():
                steps = [1e3 * median(step) for step in zip(*(one.seconds for one in rounds), strict=True)]
                panel.plot(steps, label=how, linewidth=0.8)
            panel.set(title=f"{name}: {file.measurements[0].mpi}")
            panel.title.set_fontsize(8)
            plots.logarithmic(panel)
    figure.supxlabel("step")
    figure.supylabel("ms")
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    plots.save(figure, options.picture)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of `measure`."""
    parser.add_argument("--mpicc", required=True, help="the compiler wrapper of the launcher's MPI")
    parser.add_argument("--programs", nargs="+", default=(*OURS, *REAL), choices=(*OURS, *REAL))
    parser.add_argument("--strategy", default="auto")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=900, help="seconds that a job may take")


if __name__ == "__main__":
    command_line(__doc__, add_options, measure, draw)
