"""The variants of the library, one for each MPI ABI: where they are, and what is preloaded."""

from __future__ import annotations

import os
import pwd
import shlex
import shutil
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from starling.launchers import elf, launcher
from starling.launchers.variables import PRELOAD
from starling.messages import printable

AGAIN = "install again: pip install . or cmake --build and cmake --install; sources alone do not run"
"""What to do where a part of the installation is missing or does not work."""
VARIANTS = "STARLING_VARIANTS"
"""A folder with variants that are not beside the library that chooses: those that the user built."""


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


def own_folder(environ: Mapping[str, str]) -> Path | None:
    """The user's own folder of variants, where `starling doctor --build` may not write into the package's."""
    data = data_home(environ)
    return data / "starling" / "lib" if data else None


def library_folders(environ: Mapping[str, str]) -> list[Path]:
    """The folders searched for variants, in this order: the package's, then the user's own."""
    own = own_folder(environ)
    return [*package_folders("lib"), *([own] if own else [])]


def library(variant: Variant, environ: Mapping[str, str]) -> Path | None:
    """The library of a variant; None where it is not built."""
    places = (folder / f"libstarling-{variant}.so" for folder in library_folders(environ))
    return next((place for place in places if place.is_file()), None)


def _elf_file(word: str) -> Path | None:
    path = shutil.which(word) or (word if Path(word).is_file() else None)
    return Path(path) if path else None


def preloaded(mpi: Flavour | None, environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that preload the library into any program. Empty where it is not built.

    It is the variant of an MPI that the user names, else the library that chooses in the program itself.
    """
    if mpi is not None:
        named = library(mpi.variant, environ)
        return {PRELOAD: str(named)} if named else {}
    chooser = next((place for folder in package_folders("lib") if (place := folder / "libstarling.so").is_file()), None)
    if chooser is None:
        return {}
    own = own_folder(environ)
    return {PRELOAD: str(chooser), **({VARIANTS: str(own)} if own and any(own.glob("libstarling-*.so")) else {})}


_ASAN_OPTIONS = "ASAN_OPTIONS"


def beside_sanitizer(line: Sequence[str], found: launcher.Located, environ: Mapping[str, str]) -> dict[str, str]:
    """The variable that lets a program built with -fsanitize=address start behind a preloaded library.

    Empty where no program of the line is one.
    """
    files = filter(None, (_elf_file(line[start]) for start in launcher.programs(line, found)))
    needed = (name for file in files for name in (elf.needs(file) or elf.Needs(())).needed)
    if not any(name.startswith("libasan.so") for name in needed):
        return {}
    options = [environ.get(_ASAN_OPTIONS), "verify_asan_link_order=0"]
    return {_ASAN_OPTIONS: ":".join(filter(None, options))}


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
        return (
            f"{printable(line[start])} is linked with {_LINKED_WITH[needed[0]]} ({printable(needed[1])}), and "
            f"{_launched_by(line, found)} is {_WHOSE[flavour]}: each rank will be alone; use the launcher of its MPI"
        )
    return None


def _launched_by(line: Sequence[str], found: launcher.Located) -> str:
    word = line[found.at]
    return printable(word) if os.sep in word else f"{printable(word)} ({printable(shutil.which(word))})"


def alone(
    command: str, line: Sequence[str], found: launcher.Located, mpi: tuple[str, str], *, worlds: int
) -> str | None:
    """What is wrong with a line whose program ran as one rank; None where that may have been wanted.

    `worlds`: how many such runs are known. `mpi`: flavour and version of the MPI that the program ran on.
    """
    if found.identity is None:
        example = f"starling {command} -- mpirun -n 4 {printable(shlex.join(line))}"
        return None if worlds > 1 else f"it ran with one rank; a launcher goes before the program: {example}"
    flavour, ran_on = found.identity.flavour, printable(" ".join(mpi))
    if flavour and mpi[0] in list(Flavour) and Flavour(flavour).variant != Flavour(mpi[0]).variant:
        return (
            f"each rank ran alone, as a program of one rank: {_launched_by(line, found)} is {_WHOSE[flavour]}, "
            f"and the program ran on {ran_on}; use the launcher of its MPI"
        )
    if worlds == 1:
        return None
    return (
        f"{worlds} runs of one rank were recorded meanwhile; if they are ranks of this one, "
        f"{_launched_by(line, found)} did not make them one job; use the launcher of their {ran_on}"
    )
