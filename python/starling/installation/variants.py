"""The variants of the library, one for each MPI ABI: where they are, and which one a launcher line needs."""

from __future__ import annotations

import os
import pwd
import shutil
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from starling.launchers import elf, launcher
from starling.messages import printable


class Variant(StrEnum):
    """An ABI that the library is built for."""

    OPENMPI = "openmpi"
    MPICH = "mpich"
    ABI = "abi"

    @property
    def serves(self) -> str:
        """The MPI libraries of this ABI, in words."""
        return {
            Variant.OPENMPI: "Open MPI 4 and 5",
            Variant.MPICH: "MPICH 4 and 5, Intel MPI, others of the MPICH ABI",
            Variant.ABI: "programs built for the standard ABI of MPI 5 (mpicc_abi)",
        }[self]


class Flavour(StrEnum):
    """What `--mpi` takes."""

    OPENMPI = "openmpi"
    MPICH = "mpich"
    INTEL = "intel"
    ABI = "abi"

    @property
    def variant(self) -> Variant:
        """The variant of the library that serves it."""
        return Variant.MPICH if self is Flavour.INTEL else Variant(self.value)


class Choice(NamedTuple):
    """The variant for a line, and the reason for it."""

    variant: Variant
    because: str


def home(environ: Mapping[str, str]) -> Path | None:
    """$HOME where it is absolute, else the user's home known to the system, else None."""
    requested = environ.get("HOME", "")
    if not requested.startswith("/"):
        try:
            requested = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            return None
    return Path(requested) if requested.startswith("/") else None


def users_folder(environ: Mapping[str, str], variable: str, below_home: str) -> Path | None:
    """The folder of an XDG variable if absolute, else the one below the home; None without a home."""
    requested = environ.get(variable, "")
    if requested.startswith("/"):
        return Path(requested)
    known = home(environ)
    return known / below_home if known else None


def data_home(environ: Mapping[str, str]) -> Path | None:
    """$XDG_DATA_HOME where it is absolute, else ~/.local/share; None without a home."""
    return users_folder(environ, "XDG_DATA_HOME", ".local/share")


def package_folders(name: str) -> list[Path]:
    """The package's folders of that name: `lib`, `libexec` or `sources`. An editable installation may have several."""
    import starling  # noqa: PLC0415 - its path is known only when it is loaded

    return [Path(folder) / name for folder in starling.__path__]


def library_folders(environ: Mapping[str, str]) -> list[Path]:
    """The folders searched for variants, in this order: the package's, then the user's own."""
    own = data_home(environ)
    return [*package_folders("lib"), *([own / "starling" / "lib"] if own else [])]


def library(variant: Variant, environ: Mapping[str, str]) -> Path | None:
    """The library of a variant; None where it is not built."""
    places = (folder / f"libstarling-{variant}.so" for folder in library_folders(environ))
    return next((place for place in places if place.is_file()), None)


def _elf_file(word: str) -> Path | None:
    path = shutil.which(word) or (word if Path(word).is_file() else None)
    return Path(path) if path else None


def choose(
    line: Sequence[str],
    found: launcher.Located,
    environ: Mapping[str, str],
    requested: Flavour | None = None,
    ask: Callable[[str], launcher.Identity | None] = launcher.identify,
) -> Choice | None:
    """The variant for a line: by the user's choice, else by the MPI of the program, else by that of the launcher.

    A program that needs no MPI itself may run one that does (`mpirun valgrind ./app`), so the words behind it are
    checked too. An interpreter loads MPI later: that of its launcher. None where the variant cannot be found.
    """
    if requested is not None:
        return Choice(requested.variant, f"--mpi {requested}")
    starts = list(launcher.programs(line, found))
    for start in starts:
        end = next((part.end for part in launcher.parts(line, found) if part.start <= start < part.end), len(line))
        for word in [line[start], *(word for word in line[start + 1 : end] if launcher.is_program(word))]:
            file = _elf_file(word)
            needed = elf.mpi_of(file, environ) if file else None
            if needed is not None:
                return Choice(Variant(needed[0]), f"{printable(word)} needs {printable(needed[1])}")
    if found.identity is not None and found.identity.flavour is not None:
        flavour = Flavour(found.identity.flavour)
        return Choice(flavour.variant, f"{printable(line[found.at])} is the launcher of {flavour}")
    # No launcher of a known MPI: an interpreter takes the MPI installed beside it, a script the first on PATH.
    interpreter = shutil.which(line[starts[0]]) if starts else None
    beside = [str(Path(interpreter).parent / "mpiexec")] if interpreter else []
    for candidate in [*beside, "mpiexec", "mpirun"]:
        identity = ask(candidate)
        if identity is not None and identity.flavour is not None:
            where = candidate if os.sep in candidate else f"{candidate} on PATH"
            return Choice(Flavour(identity.flavour).variant, f"{printable(where)} is of {identity.flavour}")
    return None


_WHOSE = {"openmpi": "Open MPI's", "mpich": "MPICH's", "intel": "Intel MPI's"}
_LINKED_WITH = {"openmpi": "Open MPI", "mpich": "MPICH or Intel MPI"}


def _may_use_pmix(program: Path, library: str, environ: Mapping[str, str]) -> bool:
    """Whether a program of the MPICH ABI may find its other ranks by PMIx, which Open MPI's launcher offers.

    Cray's may, Intel's if configured so, others if linked with it.
    """
    printable = environ.get("I_MPI_PMI") or environ.get("I_MPI_PMI_LIBRARY")
    return bool(printable) or "_" in Path(library).name or elf.needs_pmix(program, environ)


def foreign_launcher(line: Sequence[str], found: launcher.Located, environ: Mapping[str, str]) -> str | None:
    """A warning where launcher and program have different MPIs: each rank is then a world of its own.

    None where that is not certain: the launcher is srun or chosen by `env PATH=...`, the program is a script, an
    interpreter or a wrapper, or its MPI may work with the launcher.
    """
    flavour = found.identity.flavour if found.identity else None
    if flavour is None or any(word.startswith("PATH=") for word in line[: found.at]):
        return None
    for start in launcher.programs(line, found):
        file = _elf_file(line[start])
        needed = elf.mpi_of(file, environ) if file else None
        if file is None or needed is None or needed[0] not in _LINKED_WITH or needed[0] == Flavour(flavour).variant:
            continue
        if flavour == "openmpi" and _may_use_pmix(file, needed[1], environ):
            continue
        word = line[found.at]
        launched_by = printable(word) if os.sep in word else f"{printable(word)} ({printable(shutil.which(word))})"
        return (
            f"{printable(line[start])} is linked with {_LINKED_WITH[needed[0]]} ({printable(needed[1])}), "
            f"and {launched_by} is {_WHOSE[flavour]}: each rank will be alone; use the launcher of its MPI"
        )
    return None
