"""Compiling and running small MPI programs of our own, for `doctor`, `demo`, `calibrate` and `tune`."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from starling.installation.variants import users_folder
from starling.launchers.launcher import Identity, Kind
from starling.messages import printable


class CompileError(Exception):
    """A program of ours cannot be compiled; the text says why and what to do."""


PROGRAM = """#include <mpi.h>
int main(int argc, char** argv) {
  int one = 1, sum = 0, ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum == ranks ? 0 : 1;
}
"""
"""The smallest program with a collective: its exit status shows whether the sum was right."""

_OWN_PROGRAM = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_ALLOW_RUN_AS_ROOT": "1",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}
"""Allows Open MPI to run as root, which is safe for our own small programs."""


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment for a program of ours, with the variables that Open MPI needs."""
    return {**environ, **_OWN_PROGRAM}


def line(launcher: str, identity: Identity, ranks: int) -> list[str]:
    """A launcher line for `ranks` ranks on this machine, however few cores it has."""
    options = ["--oversubscribe"] if identity.kind is Kind.OPENMPI else []
    return [launcher, *options, "-n", str(ranks)]


def compile_c(mpicc: str, source: Path, program: Path) -> str:
    """Compiles one C file; returns the compiler's error, empty on success."""
    try:
        done = subprocess.run(
            [mpicc, "-O2", str(source), "-o", str(program), "-lm"], capture_output=True, text=True, check=False
        )
    except OSError as error:
        return f"{printable(mpicc)}: {error.strerror}"
    if done.returncode == 0:
        return ""
    output = (done.stderr + done.stdout).strip().splitlines()
    return next((text for text in output if "error" in text), output[-1] if output else f"{mpicc} failed")


def cache(environ: Mapping[str, str]) -> Path:
    """The cache folder, for compiled programs."""
    return (users_folder(environ, "XDG_CACHE_HOME", ".cache") or Path(tempfile.gettempdir())) / "starling"


def compiled(mpicc: str, source: Path, environ: Mapping[str, str], headers: Sequence[Path] = ()) -> Path:
    """The program of a C file, compiled once per compiler, source and `headers`. Raises CompileError, OSError."""
    texts = "".join(file.read_text() for file in (source, *headers))
    key = hashlib.sha256(f"{Path(mpicc).resolve()}\n{texts}".encode()).hexdigest()[:16]
    program = cache(environ) / key / source.stem
    if not program.is_file():
        try:
            program.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CompileError(
                f"{printable(error.filename)}: {error.strerror}; set XDG_CACHE_HOME to a folder of yours"
            ) from error
        half = program.with_name(f".{program.name}.{os.getpid()}")
        if complaint := compile_c(mpicc, source, half):
            raise CompileError(
                f"{source.name} cannot be compiled: {printable(complaint)}; see what works with: starling doctor"
            )
        half.replace(program)
    return program
