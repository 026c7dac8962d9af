"""The entry point of the command; `python -m starling` is `starling`.

`run` and `--version` load only what they need, not all commands.
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

_INTERRUPTED = 128 + signal.SIGINT


def main() -> None:
    """Runs the command that was typed. Interrupted before it has begun, it exits silently."""
    interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if interruptible:
        signal.signal(signal.SIGINT, _end)
    if os.environ.pop("STARLING_SIGINT", None) == "held":  # by cmake/install/starling.cpp
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    sys.argv[0] = sys.argv[0].removesuffix("-command")  # the name that was typed
    if isinstance(sys.stdout, io.TextIOWrapper):  # as stderr does; a locale may lack what a table or a record has
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            _run_command(sys.argv[1:], interruptible)
        finally:
            if sys.stdout is not None:  # it is closed
                sys.stdout.flush()
    except OSError as error:
        # Python would report output that is still in the buffer a second time when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if error.errno != errno.EPIPE:
            from starling.messages import log, printable

            log(f"{printable(error.filename or 'standard output')}: {error.strerror}")
        raise SystemExit(1) from None


def _end(_number: int, _frame: FrameType | None) -> None:
    os._exit(_INTERRUPTED)


def _run_command(words: Sequence[str], interruptible: bool) -> None:
    if words == ["--version"]:
        from starling.messages import version

        print(version())  # noqa: T201
        return
    plain = None
    if words[:1] == ["run"] and "_STARLING_COMPLETE" not in os.environ:
        from starling.runs import options, run

        plain = options.typed(words[1:])
    if plain is None:
        from starling.commands import cli, completion
    if interruptible:  # from here on there may be something to clean up
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if plain is None:
        completion.run(lambda: cli.app(prog_name="starling"))
        return
    try:
        status = run.run(plain.line, plain.flags)
    except KeyboardInterrupt:
        status = _INTERRUPTED
    raise SystemExit(status)


if __name__ == "__main__":
    main()
