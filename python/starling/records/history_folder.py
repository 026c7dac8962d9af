"""The files in a history folder, by their names."""

from __future__ import annotations

from pathlib import Path

MERGED = "merged-"
"""Prefix of the names of merged records."""


def runs(history: Path) -> list[Path]:
    """The files of a history folder with names of records of a single run. No pipe, which would hold up a reader.

    Raises OSError.
    """
    named = (path for path in history.glob("*.json") if not path.name.startswith(MERGED))
    return [path for path in named if path.is_file() or not path.exists()]


def newest_first(history: Path) -> list[Path]:
    """The same, newest first; none where the folder cannot be read."""

    def written(path: Path) -> tuple[str, int]:
        # Names begin with the time in seconds, 15 characters; within a second the file's own time decides.
        return path.name[:15], path.lstat().st_mtime_ns

    try:
        return sorted(runs(history), key=written, reverse=True)
    except OSError:
        return []
