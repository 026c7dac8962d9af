"""Merging the run records of a folder, which the library does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from starling.installation.questions import ask


@dataclass(frozen=True)
class Merger:
    """What merging did: the number of runs in the records it wrote, their file names, and files it left, with why."""

    runs: int
    written: list[str]
    skipped: list[tuple[str, str]]


def merge(folder: Path) -> Merger:
    """Merges the run records of a folder into one for each machine and MPI. Raises RepositoryError with the reason."""
    found = ask("merge", str(folder))
    return Merger(found["runs"], found["written"], [(one["file"], one["why"]) for one in found["skipped"]])
