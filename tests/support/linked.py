"""Programs that are linked with the library, as users link theirs."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

from support.mpis import Mpi, compile_c, compile_cxx, compile_fortran
from support.tuned import STARLING


@functools.cache
def _asked(*words: str) -> str:
    done = subprocess.run([*STARLING, "config", *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def linked(mpi: Mpi, source: Path, folder: Path, *options: str) -> str:
    """Compiles a C, C++ or Fortran file and links it; returns the program. Fortran may use the module `starling`."""
    flags = (*options, *_asked("--flags", "--mpicc", str(mpi.mpicc)).split())
    if source.suffix == ".f90":
        module = [_asked("--module")] if "use starling" in source.read_text() else []
        return str(compile_fortran(mpi, source, folder, [*module, *flags]))
    compiled = compile_cxx if source.suffix == ".cpp" else compile_c
    return str(compiled(mpi, source, folder, flags))
