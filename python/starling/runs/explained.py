"""Who has said where a run's record is or why there is none, so that it is said once.

A small file that is named by a variable: the library puts a letter into it where it has said why there is no record,
and so does a `starling run` within another one when it has said anything.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

VARIABLE = "STARLING_EXPLAINED"
BY_LIBRARY = "l"
BY_COMMAND = "c"


@contextlib.contextmanager
def channel(environ: Mapping[str, str]) -> Iterator[Path | None]:
    """The file of the `starling run` that we run under, else one of our own; nothing where none can be made."""
    outer = Path(environ.get(VARIABLE, ""))
    if outer.is_file():
        yield outer
        return
    try:
        own = tempfile.NamedTemporaryFile(prefix="starling-run-")  # noqa: SIM115 - closed below
    except OSError:
        yield None
        return
    with own:
        yield Path(own.name)


def marks(file: Path | None) -> str:
    """The letters that were put in so far."""
    try:
        return file.read_text() if file else ""
    except OSError:
        return ""


def mark(file: Path | None) -> None:
    """Notes that we said it."""
    with contextlib.suppress(OSError):
        if file is not None:
            with file.open("a") as out:
                out.write(BY_COMMAND)
