"""`starling run`: a launcher line with the library preloaded into every rank."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from starling.installation import variants
from starling.launchers import launcher, process, variables
from starling.messages import MISUSE, log, printable
from starling.records import history_folder
from starling.records.world import world
from starling.runs import checks, explained, settings


def _records(folder: Path | None) -> set[Path]:
    try:
        return set(history_folder.runs(folder)) if folder else set()
    except OSError:
        return set()


def _natively(line: Sequence[str], environ: Mapping[str, str]) -> int:
    try:
        return process.run(line, environ)
    except process.StartError as error:
        log(str(error))
        return error.status


def run(line: Sequence[str], flags: Mapping[str, str]) -> int:
    """Runs the line tuned, or natively after one line of explanation where it must be. Returns its exit status.

    A line that cannot be tuned because of its flags is not run: what is wrong is reported, and the status is 2.
    """
    environ = os.environ
    if complaint := checks.empty_flag(flags):
        log(complaint)
        return MISUSE
    if not launcher.is_program(line[0]):
        return _natively(line, environ)  # the system reports why it fails
    in_force, wrong_files = settings.without_wrong_files(
        flags, environ, settings.find_files(settings.working_folder(), environ)
    )
    return tuned(line, in_force, environ, wrong_files)


def tuned(
    line: Sequence[str],
    requested: Mapping[str, settings.Setting],
    environ: Mapping[str, str],
    wrong_files: Sequence[str] = (),
) -> int:
    """Runs the line with these settings as `run` does. `wrong_files` is what is wrong with files that set others."""
    quiet = "quiet" in requested and requested["quiet"].value == "1"
    in_force, wrong = checks.described(requested)
    wrong = [*checks.record_in_vain(requested), *wrong]
    # The library checks variables itself, except the platform, which it gets in another form.
    wrong += [one for one in checks.wrong(in_force, environ) if one.in_flag or one.in_file]
    wrong.sort(key=lambda one: not one.in_flag)
    if wrong and wrong[0].in_flag:
        log(wrong[0].text)
        return MISUSE
    if wrong_files or wrong:
        texts = "; ".join([*wrong_files, *(one.text for one in wrong)])
        log(f"{texts}; no setting counts until this is corrected, and the program runs natively")
        return _natively(line, environ)

    found = launcher.locate(line)
    flavour = in_force.get("mpi")
    warning = variants.foreign_launcher(line, found, environ) if flavour is None else None
    if warning:
        log(warning)
    preloaded = variants.preloaded(variants.Flavour(flavour.value) if flavour else None, environ)
    if not preloaded:
        mpicc = launcher.compiler_beside(line[found.at], found.identity.flavour if found.identity else None) or "MPICC"
        missing = f"no library for {flavour.value}" if flavour else "the library is missing"
        log(f"{missing}, so it runs natively; build it with: starling doctor --build {printable(mpicc)}")
        return _natively(line, environ)

    with explained.channel(environ) as channel:
        beside = variants.beside_sanitizer(line, found, environ)
        wanted = {**settings.variables(in_force, environ), **preloaded, **beside}
        if channel is not None:
            wanted[explained.VARIABLE] = str(channel)
        argv, env = variables.rewrite(line, found, wanted, environ)
        history, copy = settings.history_folder(in_force, environ), wanted.get(settings.VARIABLES["record"])
        before = _StateBefore(
            history,
            Path(copy) if copy else None,
            explained.marks(channel),
            is_found_again="history" not in in_force or Path(in_force["history"].source).name == settings.FILE,
        )
        try:
            status = process.run(argv, env)
        except process.StartError as error:
            log(str(error))
            return error.status
        if not quiet and (message := before.message(status, explained.marks(channel))):
            log(message)
            explained.mark(channel)
            if not warning and (message := _alone(line, found, before.new_records())):
                log(message)
    return status


class _StateBefore:
    """The records before a run, to find those that it made.

    `is_found_again`: `starling report` without a file looks into the same history.
    """

    def __init__(self, history: Path | None, copy: Path | None, marks: str, *, is_found_again: bool) -> None:
        self._history, self._copy, self._marks = history, copy, marks
        self._records = _records(history)
        self._copied = _written(copy)
        self._is_found_again = is_found_again

    def new_records(self) -> list[Path]:
        """Those in the history, the last one last; without any the copy that was asked for."""
        if new := sorted(_records(self._history) - self._records, key=lambda path: path.name):
            return new
        return [self._copy] if self._copy and _written(self._copy) not in (None, self._copied) else []

    def message(self, status: int, marks: str) -> str | None:
        """Where the record is, or that there is none; None where that was reported or no record was requested."""
        new_marks = marks[len(self._marks) :]
        if explained.BY_COMMAND in new_marks:
            return None
        if new := self.new_records():
            is_found_again = self._is_found_again and new[-1] != self._copy
            file = "" if is_found_again else f" {printable(shlex.quote(str(new[-1])))}"
            return f"record {printable(new[-1])}; see it with: starling report{file}"
        if explained.BY_LIBRARY in new_marks or (self._history is None and self._copy is None):
            return None
        if status != 0:
            return (
                f"no record of this run, which ended with exit status {status}: "
                "a record is made in MPI_Finalize and, in longer runs, once a minute"
            )
        return "no record: the program made no MPI call that Starling saw, or did not get to MPI_Finalize"


def _alone(line: Sequence[str], found: launcher.Located, records: Sequence[Path]) -> str | None:
    """What is wrong with a line whose ranks did not find each other; None where nothing is.

    Only records of the line's own programs count, and none where they are of several: a script is no launcher, and
    other jobs write into the same history.
    """
    starts = {Path(line[at]).name for at in launcher.programs(line, found)}
    worlds = [one for one in map(world, records) if one and Path(one.program.split(" ")[0]).name in starts]
    if not worlds or any((one.program, one.ranks) != (worlds[0].program, 1) for one in worlds):
        return None
    return variants.alone("run", line, found, worlds[0].mpi, worlds=len(worlds))


def _written(file: Path | None) -> tuple[int, int] | None:
    """Values that change when a file is rewritten."""
    try:
        found = file.stat() if file else None
    except OSError:
        return None
    return (found.st_ino, found.st_mtime_ns) if found else None
