"""Files of this folder's scripts: read with a check of which script wrote them, and written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from starling.lab import measured
from starling.lab.measured import MeasuredError, Measurements
from starling.messages import not_written, printable


def measurements(path: Path, *scripts: str) -> Measurements:
    """The measurements, at least one, of a file that one of these scripts wrote. Raises MeasuredError."""
    file = measured.read(path)
    wrote = file.command[0] if file.command else ""
    if wrote not in scripts:
        by = f"its measurements are by {printable(wrote)}" if wrote else "its 'command' does not name a script"
        raise MeasuredError(f"{printable(path)}: {by}; give {written_by(*scripts)}")
    if not file.measurements:
        raise MeasuredError(f"{printable(path)}: it has no measurements; let bench/{wrote} measure first")
    return file


def written_by(*scripts: str) -> str:
    """Such a file in words."""
    return f"a file that {' or '.join(f'bench/{one}' for one in scripts)} wrote"


def rows(path: Path, wanted: str, keys: set[str], under: str | None = "played") -> list[dict[str, Any]]:
    """The rows, at least one, of a JSON file of the `wanted` kind: its list `under` a key, or the file itself.

    Each row has these keys. Raises MeasuredError.
    """
    remedy = f"give {wanted}"
    try:
        whole = json.loads(path.read_bytes())
    except OSError as error:
        raise MeasuredError(f"{printable(path)}: {error.strerror}; {remedy}") from error
    except ValueError as error:
        raise MeasuredError(f"{printable(path)}: it is no JSON: {printable(error)}; {remedy}") from error
    found = whole.get(under) if under is not None and isinstance(whole, dict) else whole
    if not isinstance(found, list):
        what = "it is no list" if under is None else f"it has no list '{under}'"
        raise MeasuredError(f"{printable(path)}: {what}; {remedy}")
    if not found:
        raise MeasuredError(f"{printable(path)}: it is empty; {remedy}")
    for number, row in enumerate(found, 1):
        missing = sorted(keys - row.keys()) if isinstance(row, dict) else sorted(keys)
        if missing:
            raise MeasuredError(f"{printable(path)}, row {number}: '{missing[0]}' is missing; {remedy}")
    return found


def unmeasured(where: str, what: str) -> MeasuredError:
    """What a table lacks because its file was not measured to the end."""
    return MeasuredError(f"{printable(where)}: {printable(what)} is not measured yet; let the measurement go on")


def output(path: Path) -> Path:
    """A file to be written, whose folder exists: asked before what takes long. Raises MeasuredError."""
    if not path.absolute().parent.is_dir():
        raise MeasuredError(not_written(path, FileNotFoundError()))
    return path


def write(path: Path, text: str) -> None:
    """Writes a file. Raises MeasuredError."""
    try:
        path.write_text(text)
    except OSError as error:
        raise MeasuredError(not_written(path, error)) from error
