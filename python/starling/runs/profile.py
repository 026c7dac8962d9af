"""`starling profile`: a launcher line run natively, with the library noting what its collectives do."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from starling.launchers import launcher, process
from starling.messages import MISUSE, log, printable
from starling.runs import explained, run, settings

SIZES = 256
"""Message sizes of a collective that a profile tells apart, where no setting says how many."""


def _wishes(file: Path, given: Mapping[str, str]) -> dict[str, settings.Setting]:
    """The settings of a profiled run; those in force stay where they do not matter to it. Raises SettingsError."""
    environ = os.environ
    in_force = settings.in_force(given, environ, settings.find_files(settings.working_folder(), environ))
    own = {"strategy": "native", "history": "off", "record": str(file.absolute()), "profile": "1", "quiet": "1"}
    more = {} if "sizes" in in_force else {"sizes": str(SIZES)}
    return {**in_force, **{name: settings.Setting(value, "starling profile") for name, value in (own | more).items()}}


@contextlib.contextmanager
def _output_to_stderr() -> Iterator[None]:
    """Sends what programs write to standard output to standard error."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def run_profiled(line: Sequence[str], file: Path, given: Mapping[str, str], *, keep_stdout: bool) -> int:
    """Runs the line and lets the library write its profile to `file`, which must not exist. Returns the exit status.

    It is the program's own; 1 where that is 0 and there is no profile, for a reason that was told; 2 for a file that
    cannot be written, in which case nothing was started. With `keep_stdout` the program's output goes to stderr.
    """
    if file.exists():
        log(f"{printable(file)}: exists; remove it, or name another file with -o")
        return MISUSE
    if not os.access(file.absolute().parent, os.W_OK):
        log(f"{printable(file.absolute().parent)}: no folder that can be written to; name another file with -o")
        return MISUSE
    with (
        _output_to_stderr() if keep_stdout else contextlib.nullcontext(),
        explained.channel(os.environ) as channel,
    ):
        environ = os.environ if channel is None else {**os.environ, explained.VARIABLE: str(channel)}
        before = explained.marks(channel)
        if launcher.is_program(line[0]):
            try:
                status = run.tuned(line, _wishes(file, given), environ)
            except settings.SettingsError as error:
                log(f"{error}; nothing was started; correct this first")
                return MISUSE
        else:
            try:
                status = process.run(line, os.environ)  # the system reports why it fails
            except process.StartError as error:
                log(str(error))
                return error.status
        is_explained = explained.BY_LIBRARY in explained.marks(channel).removeprefix(before)
    if file.exists():
        return status
    if is_explained:
        return status or 1
    if status != 0:
        log(f"no profile of this run, which ended with exit status {status}")
        return status
    log("no profile: the program made no MPI call that Starling saw, or did not get to MPI_Finalize")
    return 1
