"""Merging the run records of a folder, done by the library."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from starling.installation.questions import ask


@dataclass(frozen=True)
class Merger:
    """The result of merging: the number of runs in the written records, their names, and files left, with reasons."""

    runs: int
    written: list[str]
    skipped: list[tuple[str, str]]


def merge(folder: Path) -> Merger:
    """Merges the run records of a folder into one for each machine and MPI. Raises RepositoryError with the reason."""
    found = ask("merge", str(folder))
    return Merger(found["runs"], found["written"], [(one["file"], one["why"]) for one in found["skipped"]])
