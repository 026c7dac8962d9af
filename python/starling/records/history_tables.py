"""The history as tables for people and as JSON values for programs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.text import Text

from starling.messages import printable
from starling.records.history import Entry, Known, Place, Skipped
from starling.records.report import BELOW_ONE, BY_FIRST, EVEN, EXPLAINED_BY_FIRST, gain_text, kind, marked, size
from starling.terminal.figures import human_seconds
from starling.terminal.tables import Column, fitted, line

_PROGRAM = 32
"""Most characters of a program's command line that are shown."""


def _cut(text: str) -> str:
    return text if len(text) <= _PROGRAM else f"{text[: _PROGRAM - 3]}..."


def _program(entry: Entry) -> str:
    """The start of the program's command line, without the folders of its name; or what was merged."""
    if entry.merged:
        return entry.title
    word, blank, rest = entry.title.partition(" ")
    return _cut(word.rpartition("/")[2] + blank + rest)


def _or_dash(value: object) -> str:
    return str(value or "-")


def render_list(entries: Sequence[Entry], console: Console) -> None:
    """Prints a line for each record, the latest last."""
    runs = [entry.run for entry in entries]
    columns = [
        Column("started (UTC)", [f"{entry.started:%Y-%m-%d %H:%M}" for entry in entries], right=False),
        Column("machine", [_or_dash(run.machine) for run in runs], leave=6, right=False),
        Column("program", [_program(entry) for entry in entries], right=False),
        Column("ranks", [str(run.ranks) for run in runs], leave=7),
        Column("nodes", [str(run.nodes) for run in runs], leave=2),
        Column("MPI", [f"{run.mpi_flavour} {run.mpi_version}" for run in runs], leave=3, right=False),
        Column("strategy", [_cut(_or_dash(run.strategy)) for run in runs], leave=5, right=False),
        Column("contexts", [str(entry.contexts) for entry in entries], leave=1),
        Column("time", [human_seconds(run.seconds) for run in runs], leave=4),
        Column("file", [entry.path.name for entry in entries], right=False),
    ]
    console.print(fitted(columns, console.width))


def list_json(entries: Sequence[Entry], skipped: Sequence[Skipped]) -> dict[str, Any]:
    """The records and the skipped files as JSON values; `merged` has the names of the files merged into a record."""
    listed = [
        {
            "file": str(entry.path),
            "runs": entry.runs,
            "merged": sorted(entry.merged),
            **entry.run.model_dump(exclude={"settings"}),
            "contexts": entry.contexts,
        }
        for entry in entries
    ]
    return {"records": listed, "skipped": [one._asdict() for one in skipped]}


def _place(place: Place) -> str:
    machine = place.machine or "machine not recorded"
    return f"{printable(machine)}, {printable(place.mpi_flavour)} {printable(place.mpi_version)}"


def _marked(known: Known, text: str) -> str:
    return marked(text, by_first=not known.compared.by_all_ranks, ranks=known.key.ranks)


def render_known(found: Sequence[Known], console: Console) -> None:
    """Prints a table for each machine and MPI."""
    for number, (place, group) in enumerate(groupby(found, key=lambda one: one.place)):
        rows = list(group)
        if number:
            console.print()
        console.print(line(_place(place), style="bold"))
        columns = [
            Column("collective", [kind(one.key) for one in rows], right=False),
            Column("bytes", [size(one.key) for one in rows]),
            Column("ranks", [str(one.key.ranks) for one in rows]),
            Column("nodes", [_or_dash(one.key.nodes) for one in rows], leave=3),
            Column("best", [one.best.public_name if one.best else "-" for one in rows], right=False),
            Column("median", [_marked(one, human_seconds(one.compared.candidate)) for one in rows], leave=5),
            Column("native", [_marked(one, human_seconds(one.compared.native)) for one in rows], leave=4),
            Column("gain", [_marked(one, gain_text(one.compared.gain)) for one in rows]),
            Column("samples", [str(one.best.samples) if one.best else "-" for one in rows], leave=2),
            Column("runs", [str(one.runs) for one in rows], leave=1),
        ]
        console.print(fitted(columns, console.width))
    notes = [EXPLAINED_BY_FIRST] if any(BY_FIRST in _marked(one, "0") for one in found if one.best) else []
    if any((gain := one.compared.gain) is not None and gain < EVEN for one in found):
        notes.append(BELOW_ONE)
    if notes:
        console.print()
    for note in notes:
        console.print(Text(note))


def known_json(found: Sequence[Known], skipped: Sequence[Skipped]) -> dict[str, Any]:
    """The knowledge as JSON values, in seconds; null where nothing was measured."""
    listed = [
        {
            **one.place._asdict(),
            **one.key._asdict(),
            "best": one.best.public_name if one.best else None,
            "median_s": one.best.median_s if one.best else None,
            "native_s": one.native.median_s if one.native else None,
            "ratio": one.compared.gain,
            "by_all_ranks": one.compared.by_all_ranks,
            "agreed_s": one.best.agreed_s if one.best else None,
            "native_agreed_s": one.native.agreed_s if one.native else None,
            "samples": one.best.samples if one.best else 0,
            "runs": one.runs,
        }
        for one in found
    ]
    return {"known": listed, "skipped": [one._asdict() for one in skipped]}
