"""Running a program as if it had been started directly: its streams, its signals, its exit status."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType

from starling.messages import printable

_FORWARDED = {
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGUSR1,
    signal.SIGUSR2,
}
_FROM_KERNEL = 0x80
"""si_code of a signal from the terminal: the program, in the same process group, has received it too."""

_PR_SET_PDEATHSIG = 1
"""From linux/prctl.h: the signal that a process gets when its parent ends, however it ends."""

NOT_FOUND = 127
NOT_EXECUTABLE = 126


class StartError(Exception):
    """A program that cannot be started; `status` is the exit status a shell would return."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def not_found(word: str) -> str:
    """Why a program does not start. Only a name without a folder is looked for on PATH."""
    if os.sep not in word:
        return f"{printable(word)}: not found; is its module or environment loaded?"
    if Path(word).exists():
        return f"{printable(word)}: cannot be executed: no permission, or the interpreter of its first line is missing"
    return f"{printable(word)}: there is no such file"


def ended_with_parent() -> Callable[[], None]:
    """A function for a child to call first, so that it gets SIGTERM when we end, even by SIGKILL."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def in_child() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:  # the parent ended before prctl took effect
            os._exit(128 + signal.SIGTERM)

    return in_child


@contextlib.contextmanager
def raising(error: Callable[[int], BaseException], *signals: signal.Signals) -> Iterator[None]:
    """In the block a signal of these raises the error that is made of its number."""

    def stop(number: int, _: FrameType | None) -> None:
        raise error(number)

    before = {number: signal.signal(number, stop) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def cleaning_up() -> contextlib.AbstractContextManager[None]:
    """Makes SIGTERM and SIGHUP raise SystemExit, so that the block removes its temporary files."""
    handled = [one for one in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(one) != signal.SIG_IGN]
    return raising(lambda number: SystemExit(128 + number), *handled)


def run(line: Sequence[str], env: Mapping[str, str]) -> int:
    """Runs a command with our streams and returns a shell's exit status: 128 + n where signal n ended it.

    Signals sent to us go to the command, and SIGTERM if we are killed. A script without a first line that names its
    interpreter is for the shell, as shells, `env` and `nohup` have it. Raises StartError.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # with SIGCHLD ignored there would be no exit status
    awaited = {*_FORWARDED, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, awaited)

    def as_it_was() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    tie = ended_with_parent()

    def in_child() -> None:
        tie()
        as_it_was()

    def start(words: list[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(words, env=dict(env), preexec_fn=in_child)  # noqa: PLW1509 - one thread only

    try:
        try:
            child = start(list(line))
        except OSError as error:
            script = shutil.which(line[0])
            if error.errno != errno.ENOEXEC or script is None:
                raise
            child = start(["/bin/sh", script, *line[1:]])
    except FileNotFoundError as error:
        as_it_was()
        raise StartError(not_found(line[0]), NOT_FOUND) from error
    except OSError as error:
        as_it_was()
        raise StartError(f"{printable(line[0])}: cannot be executed: {error.strerror}", NOT_EXECUTABLE) from error
    try:
        while (status := child.poll()) is None:
            received = signal.sigwaitinfo(awaited)
            if received.si_signo != signal.SIGCHLD and received.si_code != _FROM_KERNEL:
                os.kill(child.pid, received.si_signo)
    finally:
        as_it_was()
    return 128 - status if status < 0 else status
