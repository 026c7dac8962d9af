"""What a profiled run tells of a program's collectives, as a table for people (docs/profile.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from starling.messages import printable
from starling.records import record as records
from starling.records.record import Context, ContextProfile, OrderedCall, RunProfile, RunRecord
from starling.records.report import kind, size
from starling.terminal.figures import human_bytes, human_seconds
from starling.terminal.tables import Column, fitted

NOISE = 0.1
"""Share of waiting below which no rank is named as late: ranks differ by so much anyway."""
OFTEN = 0.3
"""Share of the sampled calls to which a rank came last, from which on it is named."""
_PAIRS = 8
"""Pairs of calls that follow each other that the table shows."""


@dataclass(frozen=True)
class Profiled:
    """One context of a profile, with what was measured on all ranks."""

    context: Context
    all_ranks: ContextProfile
    of_run: float | None
    """Share of all ranks' time from MPI_Init to MPI_Finalize."""
    of_collectives: float
    """Share of the time in collectives."""

    @property
    def waiting(self) -> float | None:
        """Share of the ranks' time in it that they waited for later ones; None where that cannot be told."""
        waited, all_of_it = self.all_ranks.waiting_rank_seconds, self.all_ranks.rank_seconds
        return None if waited is None else waited / all_of_it if all_of_it else 0.0

    @property
    def unequal_work(self) -> float | None:
        """Share of the ranks' time in it that they waited for ranks with more to do; None where that cannot be told."""
        waited, all_of_it = self.all_ranks.unequal_work_rank_seconds, self.all_ranks.rank_seconds
        return None if waited is None else waited / all_of_it if all_of_it else 0.0

    @property
    def late(self) -> list[tuple[int, float]]:
        """The ranks that the others waited for, and the share of calls to which each came last; most often first."""
        if not self.all_ranks.sampled_calls or (self.waiting or 0.0) < NOISE:
            return []
        shares = [(one.rank, one.calls / self.all_ranks.sampled_calls) for one in self.all_ranks.last]
        return [(rank, share) for rank, share in shares if share >= OFTEN]


@dataclass(frozen=True)
class Profile:
    """A whole profile: contexts by falling time, and calls that were only counted."""

    record: RunRecord
    contexts: Sequence[Profiled]
    counted: Sequence[Context]
    rank_seconds: float
    """Of all ranks in collectives."""
    of_run: float | None
    """Share of collectives in the run's time; None where that is not known."""
    whole: RunProfile
    """What belongs to no context."""

    @property
    def waiting(self) -> float:
        """Seconds that all ranks waited for later ones, where that can be told."""
        return sum(one.all_ranks.waiting_rank_seconds or 0.0 for one in self.contexts)

    @property
    def unequal_work(self) -> float:
        """Of these, the seconds that no algorithm can shorten: for ranks with more to do, or nobody knows why."""
        found = 0.0
        for one in (one.all_ranks for one in self.contexts):
            known = one.unequal_work_rank_seconds
            found += (one.waiting_rank_seconds or 0.0) if known is None else known
        return found


def of(record: RunRecord, name: str = "it") -> Profile:
    """The profile in a record. Raises RecordError where it is that of a run without one."""
    if record.profile is None:
        raise records.RecordError(
            f"{name}: a run record without a profile; make one with: starling profile -- mpirun -n 4 ./app"
        )
    found = [(context, context.profile) for context in record.contexts if context.profile is not None]
    spent = sum(all_ranks.rank_seconds for _, all_ranks in found)
    # The record has rank 0's seconds of the run; ranks that began earlier waited for it in their first collective.
    of_all = max(record.run.ranks * record.run.seconds, spent) if record.run.seconds else 0.0
    contexts = [
        Profiled(
            context,
            all_ranks,
            all_ranks.rank_seconds / of_all if of_all else None,
            all_ranks.rank_seconds / spent if spent else 0.0,
        )
        for context, all_ranks in found
    ]
    contexts.sort(key=lambda one: -one.all_ranks.rank_seconds)
    counted = [one for one in record.contexts if one.profile is None]
    return Profile(record, contexts, counted, spent, spent / of_all if of_all else None, record.profile)


def read(path: Path) -> tuple[Profile, str]:
    """The profile in a file, and the file's text. Raises RecordError."""
    record, text = records.read(path)
    return of(record, printable(path)), text


def percent(share: float | None) -> str:
    """`12.3 %`; `-` where unknown."""
    return "-" if share is None else f"{share:.1%}".replace("%", " %")


def block(one: Profiled) -> str:
    """The size of a context; the mean one, marked by `~`, where ranks cannot know it."""
    mean = one.all_ranks.mean_bytes
    return f"~{human_bytes(mean)}" if mean is not None else size(one.context)


def shape(one: Profiled, world: int) -> str:
    """The communicators on which it occurred: `all 8`, `8 of 4`, with nodes where they are several."""
    context, communicators = one.context, one.all_ranks.communicators
    what = f"all {context.ranks}" if context.ranks == world else f"{context.ranks}"
    many = f"{communicators} x " if communicators != 1 else ""
    nodes = f" on {context.nodes} nodes" if context.nodes > 1 else ""
    return f"{many}{what}{nodes}"


def late(one: Profiled) -> str:
    """Whom the others waited for: `3 (92 %)`."""
    return ", ".join(f"{rank} ({share:.0%})".replace("%", " %") for rank, share in one.late)


def named(call: OrderedCall) -> str:
    """`allreduce 8 B`."""
    return printable(call.collective) + (
        f" {human_bytes(call.bytes)}{'+' * call.bucket}" if call.bytes is not None else ""
    )


def summary(profile: Profile) -> str:
    """The run's time in collectives in one sentence."""
    text = (
        f"A rank spent {human_seconds(profile.rank_seconds / profile.record.run.ranks)} in collectives in the mean, "
        f"{percent(profile.of_run)} of the run"
    )
    if profile.rank_seconds and profile.waiting:
        text += f"; at least {percent(profile.waiting / profile.rank_seconds)} of that was waiting for late ranks"
        text += f", {percent(profile.unequal_work / profile.rank_seconds)} for unequal work"
    return text


def heading(profile: Profile) -> str:
    """What was profiled, behind the program's name."""
    run = profile.record.run
    return (
        f": {run.ranks} rank{'s' * (run.ranks != 1)} on {run.nodes} node{'s' * (run.nodes != 1)}, "
        f"{printable(run.mpi_flavour)} {printable(run.mpi_version)}, "
        f"{human_seconds(run.seconds)} from {printable(run.started)}"
    )


def columns(shown: Sequence[Profiled], world: int) -> list[Column]:
    """A row for each context."""
    return [
        Column("collective", [kind(one.context) for one in shown], right=False),
        Column("bytes", [block(one) for one in shown]),
        Column("ranks", [shape(one, world) for one in shown]),
        Column("calls", [str(one.context.calls) for one in shown]),
        Column("mean", [human_seconds(one.all_ranks.mean_seconds) for one in shown], leave=3),
        Column(
            "slowest rank",
            [f"{human_seconds(one.all_ranks.slowest_rank_seconds)} ({one.all_ranks.slowest_rank})" for one in shown],
            leave=4,
        ),
        Column("of run", [percent(one.of_run) for one in shown]),
        Column("of coll.", [percent(one.of_collectives) for one in shown], leave=1),
        Column(
            "max/mean",
            ["-" if one.all_ranks.imbalance is None else f"{one.all_ranks.imbalance:.2f}" for one in shown],
            leave=2,
        ),
        Column("waiting", [percent(one.waiting) for one in shown], leave=6),
        Column("by work", [percent(one.unequal_work) for one in shown], leave=3),
        Column("for rank", [late(one) for one in shown], leave=5, right=False),
    ]


def successions(profile: Profile, most: int = _PAIRS) -> list[tuple[str, str]]:
    """The most frequent pairs of calls that follow each other on rank 0, and what there is to say of each."""
    lines = []
    for one in profile.whole.order[:most]:
        between = (one.seconds_between or 0.0) / one.calls if one.calls else 0.0
        times = f"{one.calls} time{'s' * (one.calls != 1)}"
        lines.append((f"{named(one.from_)} -> {named(one.to)}", f"{times}, {human_seconds(between)} between"))
    return lines


def render(profile: Profile, console: Console, *, rows: int | None = 20) -> None:
    """Prints a profile: its contexts by time, at most `rows`, and which calls follow each other."""
    world = profile.record.run.ranks
    console.print(Text.assemble((printable(profile.record.title), "bold"), heading(profile)))
    if not profile.contexts and not profile.counted:
        console.print(Text("no collective was called"))
        return
    console.print(Text(summary(profile), style="bold"))
    if profile.contexts:
        shown = profile.contexts[:rows]
        console.print()
        console.print(fitted(columns(shown, world), console.width))
        if len(shown) < len(profile.contexts):
            console.print(Text(f"and {len(profile.contexts) - len(shown)} lighter ones: see them with --all"))
    if profile.counted:
        counted = [
            f"{printable(one.collective)} {one.calls}{' (one rank)' if one.ranks == 1 else ''}"
            for one in profile.counted
        ]
        console.print(Text(f"only counted: {', '.join(counted)}"))
    if lines := successions(profile):
        console.print()
        console.print(Text("on rank 0, calls follow each other:", style="bold"))
        width = max(len(pair) for pair, _ in lines)
        for pair, more in lines:
            console.print(Text(f"  {pair:{width}}  {more}"))
