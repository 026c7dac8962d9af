"""The history: a folder of run records, what they know together, and removing them (docs/history.md).

Runs write and tools remove in it at any time, so a file that was there a moment ago need not be there any more.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from starling.messages import printable, quoted
from starling.records import record as records
from starling.records.merging import merge
from starling.records.record import Candidate, Compared, ContextKey, Outline, RecordError, Run, RunRecord, compared

_NAME = re.compile(r"(merged-)?(?P<time>\d{8}T\d{6})-.+-\d+\.json")
"""What the library calls its records; the time is UTC."""
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class HistoryError(Exception):
    """The history cannot be read or changed; the text says where, why, and what to do."""


class Key(NamedTuple):
    """What is known apart: a call key and how its communicator's ranks lie on hosts (docs/run-record.md)."""

    collective: str
    bytes: int | None
    bucket: bool
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
    """Where runs are comparable: a machine, empty where it is not known, and an MPI library."""

    machine: str
    mpi_flavour: str
    mpi_version: str

    @classmethod
    def of(cls, run: Run) -> Place:
        """Where a run was."""
        return cls(run.machine, run.mpi_flavour, run.mpi_version)


@dataclass(frozen=True)
class Entry:
    """A record of the history without its measurements. A merged one names the files that it holds."""

    path: Path
    title: str
    run: Run
    merged: frozenset[str]
    keys: frozenset[Key]
    contexts: int

    @property
    def runs(self) -> int:
        """How many runs it tells of."""
        return records.number_of_runs(self.merged) if self.merged else 1

    @property
    def started(self) -> datetime:
        """When the run started, or the latest of those that were merged."""
        time = datetime.fromisoformat(self.run.started)
        return time if time.tzinfo else time.replace(tzinfo=UTC)


class Skipped(NamedTuple):
    """A file that is no whole record, by its name, and why."""

    file: str
    why: str


@dataclass(frozen=True)
class History:
    """A folder of records. `entries` are in the order of time; `held` are files that a merged record has taken over."""

    folder: Path
    entries: list[Entry]
    held: list[Entry]
    skipped: list[Skipped]

    def of(self, machine: str | None) -> list[Entry]:
        """The records of one machine, or all."""
        return [entry for entry in self.entries if machine in (None, entry.run.machine)]

    def machines(self) -> list[str]:
        """The machines that there are records of."""
        return sorted({entry.run.machine for entry in self.entries if entry.run.machine})


def _why(path: Path, error: RecordError) -> str:
    """The reason without the path and the line in front."""
    return re.sub(r"^(:\d+)?: ", "", str(error).removeprefix(printable(path)))


def _entry(path: Path) -> Entry:
    found: Outline | RunRecord
    try:
        found = Outline.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        found = records.read(path)[0]  # knows what to say
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
    """All records of a folder; of one that is not there, none. Raises HistoryError where it cannot be read."""
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
    """What the runs at one place know of one key: the fastest candidate, beside native, seconds a call.

    Fastest is what all ranks together found so, and only where they never agreed on any candidate, what rank 0 did.
    `runs` counts those of the records that have the key; of a merged record, all.
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
    """What those records know together, and records that could not be added up.

    The library adds them up, as for a run that starts from them and as in merging. Raises RepositoryError.
    """
    runs: Counter[tuple[Place, Key]] = Counter()
    with tempfile.TemporaryDirectory(prefix="starling-history-") as name:
        folder = Path(name)
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
    """`30d`, `12h`, `2w`, `90m` as a time. Raises ValueError."""
    match = re.fullmatch(r"(\d{1,4})([mhdw])", text)
    if match is None:
        raise ValueError(f"{quoted(text)} is no age; give 1 to 9999 with m, h, d or w behind it, as in 30d")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def _time_in(name: str) -> datetime | None:
    """The time in a record's name; nothing where it is not named as a record."""
    match = _NAME.fullmatch(name)
    try:
        return datetime.strptime(match["time"], "%Y%m%dT%H%M%S").replace(tzinfo=UTC) if match else None
    except ValueError:
        return None


def to_clear(found: History, machine: str | None, before: datetime | None) -> list[Path]:
    """The records of a machine that started before some time, those that merged ones have taken over first.

    So a removal that is interrupted brings no run back. Damaged files count where they are named as records and no
    machine is asked for; other files never do.
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
    """Removes files and tells of each that it removed; one that is gone already is none. Raises HistoryError."""
    for path in paths:
        try:
            path.unlink()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise HistoryError(f"{printable(path)}: cannot be removed: {error.strerror}") from error
        removed(path)
