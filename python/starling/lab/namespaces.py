"""Network namespaces: which exist, which processes run in them, and sockets in them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

KEPT = Path("/run/netns")
"""The folder in which `ip netns` keeps them."""

_CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


def existing(names: Iterable[str]) -> list[str]:
    """Those of `names` that exist, also as a file left by an incomplete one."""
    return [name for name in names if (KEPT / name).exists()]


def processes(names: Iterable[str]) -> dict[int, str]:
    """The processes in the namespaces of these names, and the namespace of each."""
    wanted: dict[tuple[int, int], str] = {}
    for name in names:
        with contextlib.suppress(OSError):
            status = (KEPT / name).stat()
            wanted[status.st_dev, status.st_ino] = name
    found: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):  # it has ended in the meantime
                status = (entry / "ns/net").stat()
                where = wanted.get((status.st_dev, status.st_ino))
                if where is not None:
                    found[int(entry.name)] = where
    found.pop(os.getpid(), None)
    return found


def command_of(pid: int) -> str:
    """The name of a process, for messages."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "ended"


def end_processes(names: Iterable[str], patience: float = 2.0) -> int:
    """Ends all processes in these namespaces, by SIGKILL if they ignore SIGTERM; returns their number."""
    ended: set[int] = set()
    for number in (signal.SIGTERM, signal.SIGKILL):
        until = time.monotonic() + patience
        printable: set[int] = set()
        while (left := set(processes(names))) and time.monotonic() < until:
            for pid in left - printable:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            printable |= left
            ended |= left
            time.sleep(0.02)
    return len(ended)


@contextlib.contextmanager
def inside(name: str) -> Iterator[None]:
    """Sockets that this thread makes in this context belong to that namespace for good. Raises OSError."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        there = os.open(KEPT / name, os.O_RDONLY | os.O_CLOEXEC)
        try:
            _enter(there)
        finally:
            os.close(there)
        try:
            yield
        finally:
            _enter(home)
    finally:
        os.close(home)


def unmount(path: Path) -> None:
    """Unmounts a file; the tool `umount` would leave a folder in /run. Raises OSError."""
    if _libc.umount2(os.fsencode(path), 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(path))


def _enter(handle: int) -> None:
    if _libc.setns(handle, _CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"setns: {os.strerror(number)}")
