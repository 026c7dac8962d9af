"""Measures all that docs/results shows of emulated clusters: `python bench/everything.py FOLDER [NAME ...]`, as root.

Labs come up one after the other, each with its measurements, except those whose MPI is not installed. The scripts add
only what their files lack, so an interrupted run continues where it stopped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent


@dataclass(frozen=True)
class Mpi:
    """How an MPI is spelled: what results call it, its compiler wrapper and its launcher, what both need to know."""

    name: str
    mpicc: str
    launcher: str
    env: Mapping[str, str] = field(default_factory=dict)


OPENMPI = Mpi("openmpi", "mpicc.openmpi", "mpirun.openmpi")
MPICH = Mpi("mpich", str(ROOT / ".venv-mpich5/bin/mpicc"), str(ROOT / ".venv-mpich5/bin/mpiexec"))
_INTEL = ROOT / ".venv-intel"
INTEL = Mpi("intel", str(_INTEL / "bin/mpicc"), str(_INTEL / "bin/mpiexec"), {"I_MPI_ROOT": str(_INTEL)})


@dataclass(frozen=True)
class Job:
    """A script of this folder with the MPI to run it with; its file is called `name` and the MPI's name."""

    name: str
    script: str
    mpi: Mpi
    ranks: int | None
    options: Sequence[str] = ()


SLOW = ("--rate", "20mbit", "--packet", "0")
"""Pipelines and small messages: 1500-byte packets (docs/laboratory.md)."""
LARGE = ("--sizes", "16384", "65536", "262144")
SOME = ("--sizes", "16384", "65536", "--learning", "100", "--calls", "3")
LONG = ("--sizes", "16384", "65536", "--learning", "40", "--calls", "2")
"""An alltoall of 64 KiB takes 2 s where the middle trunk carries it."""
FIRST = ("--sizes", "16384", "--rounds", "1")
SMALL = ("--sizes", "1024", "--learning", "120")
PROGRAMS = (
    *("--rounds", "3", "--programs"),
    *("fft", "nbody", "molecular_dynamics", "nanotube", "lmp melt", "lmp salt", "pw.x"),
)
LABS: Sequence[tuple[Sequence[str], Sequence[Job]]] = (
    (
        ("single:16",),
        (
            Job("single", "suite.py", OPENMPI, 16, LARGE),
            Job("single", "suite.py", MPICH, 16, LARGE),
            Job("single", "suite.py", INTEL, 16, LARGE),
            Job("first", "first_calls.py", OPENMPI, 16),
            Job("first", "first_calls.py", MPICH, 16),
            Job("first", "first_calls.py", INTEL, 16),
            Job("communicators", "mesh_communicators.py", OPENMPI, 16),
            Job("communicators", "mesh_communicators.py", MPICH, 16),
            Job("programs", "programs.py", OPENMPI, 16, PROGRAMS),
        ),
    ),
    (
        ("star:4x8",),
        (
            Job("star", "suite.py", OPENMPI, 32, SOME),
            Job("star", "suite.py", MPICH, 32, SOME),
            Job("first-star", "first_calls.py", OPENMPI, 32, FIRST),
            Job("first-star", "first_calls.py", MPICH, 32, FIRST),
        ),
    ),
    (
        ("single:16", *SLOW),
        (
            Job("slow", "suite.py", OPENMPI, 16, SMALL),
            Job("slow", "suite.py", MPICH, 16, SMALL),
            Job("trees", "trees.py", OPENMPI, None, ("--ranks", "16", "8", "4")),
            Job("trees", "trees.py", MPICH, None, ("--ranks", "16")),
            Job(
                "computing",
                "trees.py",
                OPENMPI,
                None,
                ("--ranks", "16", "8", "4", "--rounds", "1", "--computation", "0.5"),
            ),
            Job("adapting", "adapting.py", OPENMPI, 16),
        ),
    ),
    (("star:4x4", *SLOW), (Job("switches", "trees.py", OPENMPI, None, ("--ranks", "16", "8", "4", "--rounds", "1")),)),
    (
        ("single:4", "--ranks-per-host", "4", *SLOW),
        (Job("nodes", "trees.py", OPENMPI, None, ("--ranks", "16", "8", "4", "--rounds", "1")),),
    ),
    (
        ("chain:4x8",),
        (
            Job("chain", "suite.py", OPENMPI, 32, LONG),
            Job("chain", "suite.py", MPICH, 32, LONG),
            Job("first-chain", "first_calls.py", OPENMPI, 32, FIRST),
            Job("first-chain", "first_calls.py", MPICH, 32, FIRST),
        ),
    ),
    (("single:8", "--ranks-per-host", "2"), (Job("first-nodes", "first_calls.py", OPENMPI, 16),)),
)


def run(job: Job, folder: Path) -> int:
    """Runs a job on the lab that is up; returns its exit status."""
    output = folder / f"{job.name}-{job.mpi.name}.json"
    measure = [sys.executable, str(HERE / job.script), "measure", "--mpicc", job.mpi.mpicc, "-o", str(output)]
    launcher = [job.mpi.launcher, *(["-n", str(job.ranks)] if job.ranks else [])]
    line = ["starling", "lab", "run", "--", *measure, *job.options, "--", *launcher]
    start = time.monotonic()
    print(f"==> {output.name}", flush=True)
    status = subprocess.run(line, check=False, env={**os.environ, **job.mpi.env}).returncode
    print(f"==> {output.name}: {(time.monotonic() - start) / 60:.1f} min, exit status {status}", flush=True)
    return status


def main() -> int:
    """Measures. The exit status is 1 where a measurement failed."""
    if len(sys.argv) < 2:
        sys.exit("everything.py: name a folder for the results")
    folder, only = Path(sys.argv[1]), sys.argv[2:]
    known = {f"{job.name}-{job.mpi.name}" for _, jobs in LABS for job in jobs}
    if unknown := sorted(set(only) - known):
        sys.exit(f"everything.py: {', '.join(unknown)}: no such measurement; there are: {', '.join(sorted(known))}")
    folder.mkdir(parents=True, exist_ok=True)
    failed = False
    for lab, jobs in LABS:
        todo = [job for job in jobs if not only or f"{job.name}-{job.mpi.name}" in only]
        for job in todo:
            if shutil.which(job.mpi.mpicc) is None:
                print(f"{job.name}-{job.mpi.name}: {job.mpi.mpicc} is not installed: left out", file=sys.stderr)
        todo = [job for job in todo if shutil.which(job.mpi.mpicc)]
        if not todo:
            continue
        subprocess.run(["starling", "lab", "up", *lab], check=True)
        try:
            failed |= sum(run(job, folder) != 0 for job in todo) > 0
        finally:
            subprocess.run(["starling", "lab", "down"], check=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
