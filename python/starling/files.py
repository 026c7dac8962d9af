"""Files that people name, read whole and written whole."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MOST_BYTES = 64 << 20
"""Bytes of the longest file that is read."""


def read(path: Path) -> bytes:
    """All of a file, or of a pipe, as of a shell's `<(zcat record.json.gz)`, till all who write to it have closed it.

    Raises OSError, also where it is longer than MOST_BYTES, and for a device, which has no end.
    """
    is_pipe = path.is_fifo()
    opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC | (0 if is_pipe else os.O_NONBLOCK))
    try:
        mode = os.fstat(opened).st_mode
        if stat.S_ISDIR(mode):
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(mode) and not is_pipe:
            raise OSError(None, "it is neither a file nor a pipe")
        with os.fdopen(opened, "rb", closefd=False) as file:
            data = file.read(MOST_BYTES + 1)
    finally:
        os.close(opened)
    if len(data) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"it is longer than {MOST_BYTES >> 20} MiB")
    return data


def write(path: Path, text: str) -> None:
    r"""Writes a file under a temporary name, then renames it: never half of it, and what it replaces stays till then.

    A device or a pipe gets the text as it is, and so does a file in a folder that takes no other. Bytes of a name that
    are not UTF-8 become escapes like `\udcff`, as JSON has them. Raises OSError.
    """
    data = text.encode("utf-8", "backslashreplace")
    if path.exists() and (not path.is_file() or path.is_relative_to("/dev") or path.is_relative_to("/proc")):
        path.write_bytes(data)
        return
    place = Path(os.path.realpath(path))  # a link stays one
    unfinished = place.with_name(f".{place.name[:50]}.{os.urandom(6).hex()}.unfinished")
    try:
        opened = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except PermissionError:
        if not place.exists():
            raise
        place.write_bytes(data)
        return
    try:
        with os.fdopen(opened, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            unfinished.chmod(stat.S_IMODE(place.stat().st_mode))
        unfinished.replace(place)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
