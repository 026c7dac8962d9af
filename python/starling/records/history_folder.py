"""The files in a history folder, by their names."""

from __future__ import annotations

from pathlib import Path

MERGED = "merged-"
"""How the name of a record begins that holds several runs."""


def runs(history: Path) -> list[Path]:
    """The files of a history folder that are of a single run by their names. Raises OSError."""
    return [path for path in history.glob("*.json") if not path.name.startswith(MERGED)]


def newest_first(history: Path) -> list[Path]:
    """The same in falling order of time; none where the folder cannot be read."""

    def written(path: Path) -> tuple[str, int]:
        # Names begin with the time in seconds, 15 characters; within a second the file's own time decides.
        return path.name[:15], path.lstat().st_mtime_ns

    try:
        return sorted(runs(history), key=written, reverse=True)
    except OSError:
        return []
