"""Files that people name, read whole and written whole, and folders for the time of a command."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

MOST_BYTES = 64 << 20
"""Bytes of the longest file that is read."""

_HELD = ".held"
"""Ends the names of temporary folders on which their processes hold a lock, which the system drops with the process."""


@contextlib.contextmanager
def temporary_folder(purpose: str) -> Iterator[Path]:
    """A folder for the block, named after its purpose. Raises OSError.

    That of a process that was killed goes when the next one is made.
    """
    _remove_abandoned(Path(tempfile.gettempdir()))
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"starling-{purpose}-", suffix=_HELD))
        folder.chmod(0o700)  # whatever the umask
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        with contextlib.suppress(OSError):  # where there are no locks, nobody removes it either
            fcntl.flock(held, fcntl.LOCK_EX)
        if folder.exists():
            break
        os.close(held)  # another process took it for abandoned before it was locked
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(held)


def _remove_abandoned(place: Path) -> None:
    for folder in place.glob(f"starling-*{_HELD}"):
        try:
            opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            if os.fstat(opened).st_uid == os.geteuid():
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            pass  # its process is there
        finally:
            os.close(opened)


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
