"""Ensures that the place of a run's record, or why there is none, is reported only once.

A variable names a small file: the library writes a letter into it when it has reported why there is no record, and a
`starling run` within another one when it has reported anything.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from starling import files

VARIABLE = "STARLING_EXPLAINED"
BY_LIBRARY = "l"
BY_COMMAND = "c"


@contextlib.contextmanager
def channel(environ: Mapping[str, str]) -> Iterator[Path | None]:
    """The file of the enclosing `starling run`, else a new one; None where none can be made."""
    outer = Path(environ.get(VARIABLE, ""))
    if outer.is_file():
        yield outer
        return
    with contextlib.ExitStack() as stack:
        own: Path | None = None
        with contextlib.suppress(OSError):
            folder = stack.enter_context(files.temporary_folder("run"))
            (folder / "explained").touch()
            own = folder / "explained"
        yield own


def marks(file: Path | None) -> str:
    """The letters written so far."""
    try:
        return file.read_text() if file else ""
    except OSError:
        return ""


def mark(file: Path | None) -> None:
    """Records that this command has reported it."""
    with contextlib.suppress(OSError):
        if file is not None:
            with file.open("a") as out:
                out.write(BY_COMMAND)
