"""`starling check`: what there is to gain for a program, from one native run (docs/check.md)."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from starling.installation import variants
from starling.launchers import launcher
from starling.messages import printable
from starling.records import profile as profiles
from starling.records.history import Key, Known, Place
from starling.records.profile import Profile, Profiled, percent
from starling.records.report import kind
from starling.tables.table import Shape, Table
from starling.terminal.figures import human_seconds
from starling.terminal.tables import Column, fitted

LITTLE = 0.05
"""Share of collectives in a run below which there is nothing to gain."""
MOSTLY = 0.5
"""Share of waiting in the time of collectives from which on the balance of work is what to look at first."""
_MANY = 100
"""Where a context has so many times the calls that its waiting was found by, that is an estimate."""
_LEAST_GAIN = 0.01
"""Share of a run that is worth a sentence."""
_ROWS = 8
_SHORT = 0.5
"""Seconds of a run below which its beginning counts too much."""


@dataclass(frozen=True)
class Gain:
    """What could be saved in a context: seconds of a rank in the mean, by which way, and who says so."""

    context: Profiled
    seconds: float
    way: str | None
    source: str


def _share(seconds: float, of: float) -> str:
    return percent(seconds / of if of else None)


@dataclass(frozen=True)
class Check:
    """What a native run says. Times are those of a rank in the mean, in seconds."""

    profile: Profile
    gains: Sequence[Gain]
    """Of all contexts, the largest first, then those with most time."""

    @property
    def ranks(self) -> int:
        """Of the job."""
        return self.profile.record.run.ranks

    @property
    def run(self) -> float:
        """The whole run, from MPI_Init to MPI_Finalize."""
        return self.profile.record.run.seconds or 0.0

    @property
    def collectives(self) -> float:
        """In collectives."""
        return self.profile.rank_seconds / self.ranks

    @property
    def waiting(self) -> float:
        """Of this, waiting for late ranks, where that can be told."""
        return self.profile.waiting / self.ranks

    @property
    def unequal_work(self) -> float:
        """Of this, waiting for ranks that had more to do: no algorithm shortens it."""
        return self.profile.unequal_work / self.ranks

    @property
    def uneven_ends(self) -> float:
        """The rest of the waiting: collectives let ranks go at different times, and the next one has to wait."""
        return self.waiting - self.unequal_work

    @property
    def known(self) -> float:
        """Seconds that faster ways of which times are known would save."""
        return sum(one.seconds for one in self.gains if one.way)

    @property
    def unknown(self) -> float:
        """Seconds that ways not known to be faster yet could save at most."""
        return self.uneven_ends + sum(one.seconds for one in self.gains if not one.way)

    @property
    def late(self) -> list[int]:
        """The rank for which the others waited most in the context with most waiting, if it was the last most often."""
        waited = sorted(self.profile.contexts, key=lambda one: -(one.all_ranks.waiting_rank_seconds or 0.0))
        return [one.late[0][0] for one in waited[:1] if one.late and one.late[0][1] >= MOSTLY]

    @property
    def caution(self) -> str:
        """Why these figures say little; empty where nothing is known against them."""
        run = self.profile.record.run
        if self.run < _SHORT:
            return f"so short a run tells little: {human_seconds(self.run)}; let it do more"
        if run.crowds_its_node:
            return f"{run.ranks} ranks on one node share its processors: most waiting is for one of these"
        return ""

    @property
    def estimate(self) -> str:
        """On how few calls the waiting rests where most of it does; empty where these are not few."""
        waited = max(self.profile.contexts, key=lambda one: one.all_ranks.waiting_rank_seconds or 0.0, default=None)
        if waited is None or not waited.waiting:
            return ""
        calls, sampled = waited.context.calls, waited.all_ranks.sampled_calls
        if calls <= _MANY * sampled:
            return ""
        return f"the waiting is an estimate: most of it is by {sampled} of {calls} calls; another run may tell another"

    @property
    def prospect(self) -> str:
        """What Starling could save, in one sentence."""
        by_known = f"{human_seconds(self.known)} ({_share(self.known, self.run)} of the run)"
        at_most = f"less than {human_seconds(self.unknown)} ({_share(self.unknown, self.run)}"
        if not any(one.way for one in self.gains):
            return f"Starling could save {at_most} of the run), which is all but waiting for unequal work"
        if all(one.way for one in self.gains):
            if self.known < _LEAST_GAIN * self.run:
                return f"nothing to save: no way that was measured here is faster by {percent(_LEAST_GAIN)} of the run"
            return f"Starling could save {by_known} with the ways that it knows to be faster here"
        return (
            f"Starling could save {by_known} with the ways that it knows to be faster here, and {at_most}), "
            "all but waiting for unequal work, where it has measured none"
        )

    def of_one_rank(self, line: Sequence[str]) -> str:
        """What to do where the program had a single rank, which has nobody to wait for."""
        run = self.profile.record.run
        mpi = (run.mpi_flavour, run.mpi_version)
        wrong = variants.alone("check", line, launcher.locate(line), mpi, worlds=1)
        return wrong or "it ran with one rank: there is nothing to gain"

    def advice(self, line: Sequence[str]) -> str:
        """What to do first."""
        if self.ranks == 1:
            return self.of_one_rank(line)
        share = self.collectives / self.run if self.run else 0.0
        command = shlex.join(line)
        crowded = self.profile.record.run.crowds_its_node
        if share < LITTLE:
            return f"nothing: collectives are {percent(share)} of the run"
        if self.known >= _LEAST_GAIN * self.run:
            return f"starling run -- {command}"
        if self.unequal_work >= MOSTLY * self.collectives and not crowded:
            late = f": the others wait most for rank {self.late[0]}" if self.late else ""
            return f"balance the work of ranks{late}; no algorithm shortens that"
        if self.unknown >= _LEAST_GAIN * self.run or crowded:
            return f"starling compare -- {command}"
        return "nothing: what is no waiting for unequal work is too little"


def _transfer(one: Profiled, ranks: int) -> float:
    """Seconds in a context that are not known to be waiting, of a rank of the job in the mean."""
    return (one.all_ranks.rank_seconds - (one.all_ranks.waiting_rank_seconds or 0.0)) / ranks


def _of_history(known: Mapping[Key, Known], one: Profiled) -> tuple[str, float] | None:
    """The fastest way of earlier runs and its time over native's."""
    found = known.get(Key.of(one.context))
    if found is None or found.best is None or not (gain := found.compared.gain):
        return None
    return found.best.public_name, 1 / gain


def _of_table(table: Table | None, one: Profiled) -> tuple[str, float] | None:
    """The table's way for a call of this size on just such a communicator, and its time over native's."""
    context = one.context
    if table is None or context.bytes is None:
        return None
    shape = Shape(context.collective, context.ranks, context.nodes, context.ranks_per_node)
    for choice in table.choices:
        for interval in choice.intervals if choice.shape == shape else ():
            if interval.holds(context.bytes) and interval.gain:
                return interval.way, 1 / interval.gain
    return None


def check(profile: Profile, known: Iterable[Known], table: Table | None) -> Check:
    """What a profile says, with what earlier runs and a table know of faster ways."""
    run = profile.record.run
    here = {one.key: one for one in known if one.place == Place.of(run)}
    gains = []
    for one in profile.contexts:
        transfer = _transfer(one, run.ranks)
        for source, found in (("table", _of_table(table, one)), ("history", _of_history(here, one))):
            if found is not None:
                way, ratio = found
                gains.append(Gain(one, max(0.0, transfer * (1 - ratio)), way, source))
                break
        else:
            gains.append(Gain(one, transfer, None, "transfer"))
    gains.sort(key=lambda one: (-one.seconds, -one.context.all_ranks.rank_seconds))
    return Check(profile, gains)


def as_json(found: Check, line: Sequence[str]) -> dict[str, Any]:
    """The same figures, in seconds of a rank in the mean."""
    return {
        "line": list(line),
        "run_s": found.run,
        "collectives_s": found.collectives,
        "waiting_s": found.waiting,
        "unequal_work_s": found.unequal_work,
        "late_ranks": found.late,
        "known_gain_s": found.known,
        "at_most_s": found.known + found.unknown,
        "first": found.advice(line),
        "contexts": [
            {
                "collective": one.context.context.collective,
                "bytes": one.context.context.bytes,
                "ranks": one.context.context.ranks,
                "calls": one.context.context.calls,
                "seconds": one.context.all_ranks.rank_seconds / found.ranks,
                "gain_s": one.seconds,
                "way": one.way,
                "source": one.source,
            }
            for one in found.gains
        ],
    }


def _to_save(one: Gain) -> str:
    if one.seconds <= 0:
        return "-"
    return ("" if one.way else "< ") + human_seconds(one.seconds)


def _by(one: Gain) -> str:
    if not one.way:
        return "-"
    return f"{one.way}, {one.source}" if one.seconds > 0 else f"none is faster, {one.source}"


def render(found: Check, line: Sequence[str], console: Console) -> None:
    """Prints where the time goes, what can be saved, and what to do first."""
    profile = found.profile
    console.print(Text.assemble((printable(profile.record.title), "bold"), profiles.heading(profile)))
    if found.ranks == 1:
        console.print(Text(found.of_one_rank(line)))
        return
    if not profile.contexts:
        console.print(Text("no collective that Starling could tune was called: there is nothing to gain"))
        return
    transfer = found.collectives - found.waiting
    rows = [
        ("collectives", found.collectives, found.run, "of the run"),
        ("waiting, unequal work", found.unequal_work, found.collectives, "of that: no algorithm shortens it"),
        ("waiting, uneven ends", found.uneven_ends, found.collectives, "of that: collectives let ranks go one by one"),
        ("transfer, and what else", transfer, found.collectives, "of that"),
    ]
    for name, seconds, of, words in rows:
        console.print(Text(f"  {name:24}{human_seconds(seconds):>8}  {_share(seconds, of):>7} {words}"))
    for doubt in filter(None, (found.caution, found.estimate)):
        console.print(Text(doubt))
    console.print(Text(found.prospect, style="bold"))
    console.print(Text(f"first: {found.advice(line)}", style="bold"))
    console.print()
    world = profile.record.run.ranks
    shown = found.gains[:_ROWS]
    columns = [
        Column("collective", [kind(one.context.context) for one in shown], right=False),
        Column("bytes", [profiles.block(one.context) for one in shown]),
        Column("ranks", [profiles.shape(one.context, world) for one in shown], leave=2),
        Column("calls", [str(one.context.context.calls) for one in shown], leave=1),
        Column("time", [human_seconds(one.context.all_ranks.rank_seconds / world) for one in shown]),
        Column("waiting", [percent(one.context.waiting) for one in shown]),
        Column("to save", [_to_save(one) for one in shown]),
        Column("by", [_by(one) for one in shown], right=False),
    ]
    console.print(fitted(columns, console.width))
