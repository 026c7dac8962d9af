"""Reading files that anybody may have written."""

from __future__ import annotations

import errno
from pathlib import Path

MOST_BYTES = 64 << 20
"""Bytes of the longest file that is read."""


def read_bytes(path: Path) -> bytes:
    """What a file or a pipe holds, at most MOST_BYTES. Raises OSError, also where it is more."""
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"it is longer than {MOST_BYTES >> 20} MiB")
    return data


def read_text(path: Path) -> str:
    """The same as text. Raises UnicodeDecodeError where it is not UTF-8."""
    return read_bytes(path).decode("utf-8")
