"""The history: a folder of run records, their joint knowledge, and their removal (docs/history.md).

Runs and tools add and remove files at any time, so a listed file may no longer exist.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from starling import files
from starling.messages import printable, quoted
from starling.records import record as records
from starling.records.merging import merge
from starling.records.record import Candidate, Compared, ContextKey, Outline, RecordError, Run, RunRecord, compared

_NAME = re.compile(r"(merged-)?(?P<time>\d{8}T\d{6})-.+-\d+\.json")
"""Names of the library's records; the time is UTC."""
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class HistoryError(Exception):
    """The history cannot be read or changed; the text says where, why, and what to do."""


class Key(NamedTuple):
    """The key of knowledge: a call key and how its communicator's ranks are placed on hosts (docs/run-record.md)."""

    collective: str
    bytes: int | None
    bucket: bool
    up_to: int | None
    ranks: int
    nodes: int
    ranks_per_node: int
    in_place: bool
    operator_class: str | None

    @classmethod
    def of(cls, context: ContextKey) -> Key:
        """The key of a context."""
        return cls(*(getattr(context, name) for name in cls._fields))


class Place(NamedTuple):
    """The place at which runs are comparable: a machine, empty where unknown, and an MPI library."""

    machine: str
    mpi_flavour: str
    mpi_version: str

    @classmethod
    def of(cls, run: Run) -> Place:
        """The place of a run."""
        return cls(run.machine, run.mpi_flavour, run.mpi_version)


@dataclass(frozen=True)
class Entry:
    """A record of the history without its measurements. A merged one names the files merged into it."""

    path: Path
    title: str
    run: Run
    merged: frozenset[str]
    keys: frozenset[Key]
    contexts: int

    @property
    def runs(self) -> int:
        """The number of runs in it."""
        return records.number_of_runs(self.merged) if self.merged else 1

    @property
    def started(self) -> datetime:
        """When the run started, or the latest of the merged runs."""
        time = datetime.fromisoformat(self.run.started)
        return time if time.tzinfo else time.replace(tzinfo=UTC)


class Skipped(NamedTuple):
    """The name of a file that is no complete record, and the reason."""

    file: str
    why: str


@dataclass(frozen=True)
class History:
    """A folder of records. `entries` are sorted by time; `held` are files that were merged into a merged record."""

    folder: Path
    entries: list[Entry]
    held: list[Entry]
    skipped: list[Skipped]

    def of(self, machine: str | None) -> list[Entry]:
        """The records of one machine, or all of them."""
        return [entry for entry in self.entries if machine in (None, entry.run.machine)]

    def machines(self) -> list[str]:
        """The machines with records."""
        return sorted({entry.run.machine for entry in self.entries if entry.run.machine})


def _why(path: Path, error: RecordError) -> str:
    """The reason, without the path and the line before it."""
    return re.sub(r"^(:\d+)?: ", "", str(error).removeprefix(printable(path)))


def _entry(path: Path) -> Entry:
    found: Outline | RunRecord
    try:
        found = Outline.model_validate_json(files.read(path))
    except (OSError, ValidationError):
        found = records.read(path)[0]  # raises the right error
    keys = frozenset(map(Key.of, found.contexts))
    return Entry(path, found.title, found.run, frozenset(found.merged), keys, len(found.contexts))


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(
            path
            for path in folder.iterdir()
            if path.suffix == ".json" and not path.name.startswith(".") and path.is_file()
        )
    except FileNotFoundError:
        return []
    except OSError as error:
        raise HistoryError(
            f"{printable(folder)}: the history cannot be read: {error.strerror}; name another: --history"
        ) from error


def read(folder: Path) -> History:
    """All records of a folder; none if it does not exist. Raises HistoryError where it cannot be read."""
    entries: list[Entry] = []
    skipped: list[Skipped] = []
    for path in _files(folder):
        try:
            entries.append(_entry(path))
        except RecordError as error:
            if path.exists():
                skipped.append(Skipped(path.name, _why(path, error)))
    taken = {name for entry in entries for name in entry.merged if name != entry.path.name}
    entries.sort(key=lambda entry: (entry.started, entry.path.name))
    held = [entry for entry in entries if entry.path.name in taken]
    return History(folder, [entry for entry in entries if entry.path.name not in taken], held, skipped)


@dataclass(frozen=True)
class Known:
    """The knowledge of the runs at one place about one key: the fastest candidate and native, seconds a call.

    The fastest is by agreed times, or, if ranks never agreed on any candidate, by rank 0's. `runs` counts the runs of
    records that have the key; of a merged record, all.
    """

    place: Place
    key: Key
    best: Candidate | None
    native: Candidate | None
    runs: int

    @property
    def compared(self) -> Compared:
        """The best against native."""
        return compared(self.best, self.native)


def _fastest(candidates: Iterable[Candidate]) -> Candidate | None:
    usable = [one for one in candidates if one.eligible and one.samples]
    for time in (attrgetter("agreed_s"), attrgetter("median_s")):
        if timed := [one for one in usable if time(one) is not None]:
            return min(timed, key=time)
    return None


def known(entries: Iterable[Entry]) -> tuple[list[Known], list[Skipped]]:
    """The joint knowledge of the records, and the records that could not be added up.

    The library adds them up, as for a run that starts from them and as for merging. Raises RepositoryError.
    """
    runs: Counter[tuple[Place, Key]] = Counter()
    with files.temporary_folder("history") as held:
        folder = held / "records"  # merging takes a lock of its own
        folder.mkdir()
        for entry in entries:
            runs.update(dict.fromkeys(((Place.of(entry.run), key) for key in entry.keys), entry.runs))
            (folder / entry.path.name).symlink_to(entry.path.absolute())
        skipped = [Skipped(*one) for one in merge(folder).skipped] if runs else []
        added_up = [records.read(path)[0] for path in _files(folder) if path.name not in {one.file for one in skipped}]
    found = [
        Known(place, key, _fastest(context.candidates), context.candidate("native"), runs[place, key])
        for one in added_up
        for place in [Place.of(one.run)]
        for context in one.contexts
        for key in [Key.of(context)]
    ]
    return sorted(found, key=lambda one: [(part is not None, part) for part in (*one.place, *one.key)]), skipped


def age(text: str) -> timedelta:
    """The duration of `30d`, `12h`, `2w` or `90m`. Raises ValueError."""
    match = re.fullmatch(r"(\d{1,4})([mhdw])", text)
    if match is None:
        raise ValueError(f"{quoted(text)} is no age; give 1 to 9999 with m, h, d or w behind it, as in 30d")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def _time_in(name: str) -> datetime | None:
    """The time in a record's name; None for other names."""
    match = _NAME.fullmatch(name)
    try:
        return datetime.strptime(match["time"], "%Y%m%dT%H%M%S").replace(tzinfo=UTC) if match else None
    except ValueError:
        return None


def to_clear(found: History, machine: str | None, before: datetime | None) -> list[Path]:
    """The records of a machine that started before some time; files merged into a merged record come before it.

    So an interrupted removal brings no run back. Damaged files are included where they have the name of a record and no
    machine is given; other files never are.
    """
    there = {entry.path.name: entry for entry in (*found.held, *found.entries)}
    chosen = [entry for entry in found.of(machine) if before is None or entry.started < before]
    order: list[Path] = []

    def add(entry: Entry) -> None:
        for name in sorted(entry.merged):
            if name in there and name != entry.path.name:
                add(there.pop(name))
        order.append(entry.path)

    for entry in chosen:
        add(entry)
    if machine is None:
        damaged = [(found.folder / one.file, _time_in(one.file)) for one in found.skipped]
        order += [path for path, time in damaged if time is not None and (before is None or time < before)]
    return list(dict.fromkeys(order))


def remove(paths: Iterable[Path], removed: Callable[[Path], None]) -> None:
    """Removes files and calls `removed` for each; files that are gone already do not count. Raises HistoryError."""
    for path in paths:
        try:
            path.unlink()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise HistoryError(f"{printable(path)}: cannot be removed: {error.strerror}") from error
        removed(path)
