"""Queries to the installed library, through its program `starling-repository`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from starling.installation.variants import AGAIN, package_folders
from starling.messages import printable

_FAILED = 1
"""Exit status of the program where it fails; it prints the reason."""
_MISUSED = 2
"""Exit status of the program for arguments that name nothing known."""


class RepositoryError(Exception):
    """The repository cannot be listed; the text says why and what to do."""


class UnknownError(RepositoryError):
    """The repository lacks what was requested; the text names what it has."""


class Complaint(NamedTuple):
    """The library's complaint about the value of a variable."""

    variable: str
    value: str
    why: str


def complaints(environ: Mapping[str, str]) -> tuple[list[Complaint], list[str]]:
    """What is wrong with the STARLING_* variables of an environment, and a sentence for each unknown one.

    Raises RepositoryError where the installation cannot check them.
    """
    found = ask("complaints", environ=environ)
    return [Complaint(**one) for one in found["complaints"]], list(found["unknown"])


def available_memory() -> int:
    """Bytes that processes can still have here, within the limits of control groups; 0 if it is not known.

    Raises RepositoryError.
    """
    return int(ask("memory")["available"])


def settings_table() -> list[dict[str, Any]]:
    """Every setting of the library, from a file that was made with the package: a run does not wait for a program.

    Raises RepositoryError where the installation has no such table.
    """
    places = [folder / "settings.json" for folder in package_folders("libexec")]
    for place in places:
        try:
            found: list[dict[str, Any]] = json.loads(place.read_text(encoding="utf-8"))
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            raise RepositoryError(f"{printable(place)}: {printable(error)}; {AGAIN}") from error
        return found
    raise RepositoryError(f"{printable(places[0])}: not there, the installation is incomplete; {AGAIN}")


def repository() -> Path:
    """The program `starling-repository`. Raises RepositoryError."""
    places = [folder / "starling-repository" for folder in package_folders("libexec")]
    program = next((place for place in places if place.is_file()), None)
    if program is None:
        raise RepositoryError(f"{printable(places[0])}: not there, the installation is incomplete; {AGAIN}")
    return program


def ask(*words: str, environ: Mapping[str, str] | None = None, given: str = "") -> dict[str, Any]:
    """The output of `starling-repository`, which may read `given` from /dev/stdin.

    Raises UnknownError for unknown words, else RepositoryError.
    """
    program = repository()
    try:
        line = [str(program), *words]
        done = subprocess.run(
            line, env=environ, input=given, capture_output=True, text=True, errors="replace", check=False
        )
        if done.returncode == _MISUSED:
            raise UnknownError(done.stderr.strip().removeprefix(f"{program.name}: "))
        if done.returncode == _FAILED and done.stderr:
            raise RepositoryError(done.stderr.strip().removeprefix(f"{program.name}: "))
        done.check_returncode()
        found: dict[str, Any] = json.loads(done.stdout)
    except (OSError, subprocess.CalledProcessError, json.JSONDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "does not work"
        raise RepositoryError(f"{printable(program)}: {why}; {AGAIN}") from error
    return found
