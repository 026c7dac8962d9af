"""The programs of bench/programs on STAR-MPI's topologies, at sizes near its table 2: a part of simulated.py."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import star_tables
from markdown import number, origin, table
from timing import made

from starling.lab import simulator
from starling.lab.measured import Measurement, Measurements
from starling.lab.state import LabError
from starling.records import record

if TYPE_CHECKING:
    from simulated import Suite

PROGRAMS = Path(__file__).with_name("programs")
PART = "programs"
NATIVE, STAR = "native mpich", "star"


class Program(NamedTuple):
    """The paper's name of the program that ours represents, sizes by topology, and steps: natively, and to settle."""

    paper: str
    sizes: Mapping[str, int]
    steps: Mapping[str, int]


OURS = {
    "fft": Program("FFTW", {"a": 2048, "b": 2048}, {NATIVE: 3, STAR: 12}),
    "molecular_dynamics": Program("LAMMPS", {"a": 8, "b": 8}, {NATIVE: 3, STAR: 48}),
    "nanotube": Program("NTUBE", {"a": 8000, "b": 8000}, {NATIVE: 2, STAR: 14}),
    "nbody": Program("NBODY", {"a": 3632, "b": 11648}, {NATIVE: 2, STAR: 16}),
}
"""A transform's side must be a power of two, and a crystal has 4 atoms a cell: these are the nearest sizes."""


def run(suite: Suite, name: str, topology: str, how: str, environ: Mapping[str, str]) -> Measurement:
    """A program on a topology: the seconds of its steps, which it checks. Raises LabError."""
    program = OURS[name]
    short = star_tables.TOPOLOGIES[topology]
    network = suite.network(short)
    words = [str(program.sizes[topology]), str(program.steps[how])]
    with tempfile.TemporaryDirectory(prefix="simulated-programs-") as folder:
        built, path = Path(folder) / name, Path(folder) / "record.json"
        simulator.compile_program([PROGRAMS / f"{name}.c"], built, simulator.archive(os.environ, print))
        env = {**environ, "STARLING_STRATEGY": how.partition(" ")[0], "STARLING_RECORD": str(path)}
        ended = simulator.run(
            built,
            words,
            network,
            network.hosts,
            len(network.hosts),
            {**env, "STARLING_HISTORY": "off"},
            capture=True,
            on_line=print,
            settings={"smpi/coll-selector": "mpich"},
        )
        if ended.status != 0:
            raise LabError(f"{name}: {ended.complaint or ended.status}")
        longest = max(record.read(path)[0].contexts, key=lambda one: one.seconds or 0)
    notes: dict[str, Any] = {"part": PART, "collective": longest.collective, "winner": longest.winner}
    notes["settled"] = longest.stage == "monitor_adapt"
    notes["calls"] = longest.calls
    return Measurement(
        what=name,
        bytes=longest.bytes,
        platform=short,
        mpi=suite.mpi,
        ranks=len(network.hosts),
        how=how,
        seconds=[float(f"{one:.6g}") for one in json.loads(ended.stdout)["step_seconds"]],
        made=made(),
        notes=notes,
    )


def programs(suite: Suite, environ: Mapping[str, str]) -> None:
    """All of them natively and tuned."""
    known = {(one.platform, one.what, one.how) for one in suite.file.measurements}
    for name in OURS:
        for topology, short in star_tables.TOPOLOGIES.items():
            for how in (NATIVE, STAR):
                if (short, name, how) not in known:
                    suite.add(run(suite, name, topology, how, environ))
                    print(f"{name}, {short}, {how}", flush=True)


def table_of_programs(file: Measurements) -> str:
    """Milliseconds of communication a step, natively and in the last quarter, and what trying cost."""
    found = {(one.platform, one.what, one.how): one for one in file.measurements if one.notes.get("part") == PART}
    rows = []
    for name, program in OURS.items():
        for topology, short in star_tables.TOPOLOGIES.items():
            native, star = (found.get((short, name, how)) for how in (NATIVE, STAR))
            if native is None or star is None:
                continue
            paper = next(
                one for one in star_tables.TABLES_3_AND_4 if (one.program, one.topology) == (program.paper, topology)
            )
            before, after = median(native.seconds), median(star.seconds[-(len(star.seconds) // 4) :])
            lost = sum(star.seconds) - len(star.seconds) * after
            place = (
                name,
                f"({topology})",
                f"{star.notes['collective']} {star.bytes}",
                f"{program.paper} {paper.bytes}",
            )
            gain = (f"{before / after:.2f}", number(1e3 * lost), star.notes["winner"])
            ratio = f"{paper.mpich_s / paper.star_s:.2f}"
            settled = number(1e3 * after) + ("" if star.notes["settled"] else " (still trying)")
            rows.append((*place, ratio, number(1e3 * before), settled, *gain))
    titles = ("program", "T.", "collective", "paper's", "paper: program MPICH / STAR", "`mpich`: ms a step")
    more = ("`star`, settled", "`mpich` / `star`", "lost by trying, ms", "`star` uses")
    made_of = origin(one.made for one in found.values())
    return f"{table((*titles, *more), rows)}\n\n{made_of}"
