"""Flags to compile and link a program with the library: its headers, and the variant for the compiler's MPI."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from starling.installation.variants import AGAIN, Flavour, Variant, library, package_folders
from starling.messages import printable, quoted

PROBE = """#include <mpi.h>
#if defined(OPEN_MPI)
starling_abi openmpi
#elif defined(MPI_ABI_VERSION)
starling_abi abi
#elif defined(MPICH_NUMVERSION)
starling_abi mpich
#endif
"""


class LinkingError(Exception):
    """No flags can be told; the text says why and what to do."""


def headers() -> Path:
    """The folder of the C headers, the Fortran include file and the Fortran module's source."""
    for folder in package_folders("sources"):
        if (folder / "include" / "starling" / "patterns.h").is_file():
            return folder / "include"
    raise LinkingError(f"{package_folders('sources')[0]}: the headers are missing; {AGAIN}")


def variant_of(compiler: str) -> Variant:
    """The variant for the MPI whose header a compiler wrapper finds."""
    path = shutil.which(compiler)
    if path is None:
        raise LinkingError(f"no compiler {quoted(compiler)} on PATH; name one with --mpicc, or the MPI with --mpi")
    try:
        done = subprocess.run(
            [path, "-E", "-P", "-x", "c", "-"], input=PROBE, capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LinkingError(f"{printable(path)} does not run: {error}") from error
    words = done.stdout.split()
    if "starling_abi" not in words:
        raise LinkingError(f"{printable(path)} finds no mpi.h of a known MPI; name the MPI with --mpi")
    return Variant(words[words.index("starling_abi") + 1])


def variant_for(mpi: Flavour | None, compiler: str) -> Variant:
    """The variant of an MPI that the user names, else of the compiler."""
    return mpi.variant if mpi else variant_of(compiler)


def compiling() -> list[str]:
    """The flags to compile: `<starling/patterns.h>`, `<ADCL.h>` and `ADCL.inc` are found with them."""
    folder = headers()
    return [f"-I{folder}", f"-I{folder / 'starling'}"]


def linking(variant: Variant, environ: Mapping[str, str]) -> list[str]:
    """The flags to link, which also tell the program where to find the library when it runs.

    The library is linked even if no name of it is used, and stands before the MPI library, which a wrapper puts last:
    so it stands in front of the MPI functions as if it were preloaded.
    """
    file = library(variant, environ)
    if file is None:
        raise LinkingError(f"the library for {variant.serves} is not built; starling doctor tells how to build it")
    folder = file.parent
    return ["-Wl,--no-as-needed", f"-L{folder}", f"-lstarling-{variant}", f"-Wl,-rpath,{folder}"]
