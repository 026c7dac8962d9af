"""A run record as a table for people: where the time went, which algorithm ran there, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from starling.messages import MOST_SHOWN, printable
from starling.records.record import Context, LeftOut, Phase, RunRecord, Unknown
from starling.terminal.figures import human_bytes, human_seconds
from starling.terminal.tables import Column, fitted, line

if TYPE_CHECKING:
    from starling.records.history import Key

STAGES = {
    "measure_select": "candidates are still tried in turn",
    "probe_group": "the candidates of the fastest group are still tried",
    "run_off": "native and the fastest candidate still take turns",
    "search": "candidates are still measured",
    "monitor": "the fastest is used; another search follows when its time drifts",
    "table": "the way that the tuning table has is used",
    "monitor_adapt": "the fastest is used, and watched for getting slower",
    "learning": "trials are still worth their cost",
    "settled": "no trial is worth its cost for now; native is measured again now and then",
    "lottery": "candidates are drawn, the fastest most often",
    "single": "only native is eligible, so nothing is tried",
    "forced": "the requested algorithm",
    "native": "left to the MPI library",
}
"""What the stages of the strategies mean (docs/strategies.md)."""
UNFINISHED = "the program did not get to MPI_Finalize: this is what was known at the last checkpoint"
LEARNING = {"learning", "measure_select", "probe_group", "run_off", "search"}
"""Those in which candidates are still tried."""
_BY_TABLE = "table"
_WITHOUT_CHOICE = {"single", "forced", "native", _BY_TABLE, "pass-through"}
"""Those from which a later run learns nothing."""
_FASTEST = 5
"""Candidates whose times are shown without --all."""
_DECISIONS = 4
_LONGEST_REASON = 4000
_EXPLAINED = 3
_MATERIAL = 0.01
"""Share of the time in collectives from which on contexts not counted in savings are mentioned."""
_MUCH_WAITING = 0.2
"""Share of the time in collectives from which on waiting for late ranks is told."""
_MOST = 0.5
"""Share of the time in collectives from which on what was saved there is what was saved."""
_MOSTLY_ONE = 0.5
"""Share of the waiting from which on one rank is named."""
_WHY_UNKNOWN = {
    Unknown.NATIVE: "native was not measured",
    Unknown.WAITING: "ranks mostly waited for each other",
    Unknown.DELAYS: "delays of calls hide it",
}
_NOT_COUNTED = {
    Unknown.NATIVE: "whose time with native is not known",
    Unknown.WAITING: "in which ranks mostly waited",
    Unknown.DELAYS: "in which delays hide it",
}
EVEN = 0.995
"""The smallest gain that is shown as 1.00x."""
BY_FIRST = "*"
"""Mark of a time or a gain of rank 0, where ranks agreed on none."""
EXPLAINED_BY_FIRST = (
    f"{BY_FIRST}: rank 0's time. The ranks agreed on no time, or on one without the waiting in rank 0's calls. "
    "Others may have taken longer: the root of a bcast, for example, returns before they do."
)
BELOW_ONE = (
    "A gain below 1 is no mistake: the choice rests on the slowest rank of each candidate's best call, or on a run-off "
    "with native; the times shown are typical ones."
)
BELOW_ONE_BY_TABLE = (
    "A gain below 1 with a table: its way is slower here than where it was measured, and is left once that is certain."
)


def kind(key: Context | Key) -> str:
    """The collective with the other parts of its call key: `allreduce (in place, non-commutative)`."""
    more = ["in place"] if key.in_place else []
    if key.operator_class not in (None, "built-in"):
        more.append(printable(key.operator_class))
    return f"{printable(key.collective)} ({', '.join(more)})" if more else printable(key.collective)


def size(key: Context | Key) -> str:
    """`64 KiB`; `64 KiB+` for all sizes up to twice that, `64 KiB to 96 KiB` for those up to another end."""
    if key.up_to is not None:
        return f"{human_bytes(key.bytes)} to {human_bytes(key.up_to)}"
    return human_bytes(key.bytes) + "+" * key.bucket


def _ranks(number: int) -> str:
    return f"{number} rank{'s' * (number != 1)}"


def _gain(context: Context) -> float | None:
    """The winner's speed-up over native; None where calls do not tell it."""
    tells_nothing = context.winner == "native" or context.is_lost_in_waiting or context.native_was_delayed
    return None if tells_nothing else context.compared.gain


def gain_text(gain: float | None) -> str:
    """`1.24x`; `-` where unknown."""
    return "-" if gain is None else f"{gain:.2f}x"


def marked(text: str, *, by_first: bool, ranks: int) -> str:
    """The text with the mark of rank 0's times, unless there is no other rank or no time."""
    return text + BY_FIRST if by_first and ranks > 1 and text != "-" else text


def _marked(context: Context, text: str) -> str:
    return marked(text, by_first=not context.compared.by_all_ranks, ranks=context.ranks)


def _spent(context: Context) -> str:
    text = human_seconds(context.spent)
    return marked(text, by_first=context.slowest_seconds is None, ranks=context.ranks)


def columns(contexts: Sequence[Context]) -> list[Column]:
    """A row for each context."""
    return [
        Column("collective", [kind(c) for c in contexts], right=False),
        Column("bytes", [size(c) for c in contexts]),
        Column("ranks", [str(c.ranks) for c in contexts], leave=5),
        Column("calls", [str(c.calls) for c in contexts], leave=6),
        Column("stage", [c.stage for c in contexts], leave=1, right=False),
        Column("winner", [c.winner for c in contexts], right=False),
        Column("median", [_marked(c, human_seconds(c.compared.candidate)) for c in contexts], leave=4),
        Column("native", [_marked(c, human_seconds(c.compared.native)) for c in contexts], leave=3),
        Column("gain", [_marked(c, gain_text(_gain(c))) for c in contexts]),
        Column("time", [_spent(c) for c in contexts]),
        Column("tuning", [human_seconds(c.tuning) for c in contexts], leave=2),
    ]


def _total(record: RunRecord, parts: Iterable[Context | LeftOut], seconds: Callable[[Any], float | None]) -> float:
    """Seconds of parts of a run, as a rank has them in the mean.

    The times of communicators with some of the ranks add up, although these may call at the same time.
    """

    def share(part: Context | LeftOut) -> float:
        return min(1.0, part.ranks / record.run.ranks) if isinstance(part, Context) else 1.0

    return sum((seconds(part) or 0.0) * share(part) for part in parts)


def summary(record: RunRecord) -> str:
    """Seconds in collectives, savings against native, cost of tuning, and contexts not counted.

    Seconds are the slowest rank's in each context where its ranks agreed on times, else rank 0's, and totals are those
    of a rank in the mean.
    """
    left_out = [record.left_out] if record.left_out else []
    parts: list[Context | LeftOut] = [*record.contexts, *left_out]
    spent = _total(record, parts, lambda part: part.spent)
    tuning = _total(record, parts, lambda part: part.tuning)
    known = [context for context in record.contexts if context.saved is not None]
    unknown: list[Context | LeftOut] = [context for context in record.contexts if context.saved is None]
    unknown += left_out
    seconds = _total(record, unknown, lambda part: part.spent)
    text = f"in collectives {human_seconds(min(spent, record.run.seconds or spent))}"
    if known and seconds <= _MOST * spent:
        saved = _total(record, known, lambda context: context.saved) - record.run.beside_collectives
        what = "saved against native" if saved >= 0 else "lost against native"
        text += f"; {what} {human_seconds(abs(saved))}, after the cost of tuning"
    text += f"; tuning cost {human_seconds(tuning)}"
    if unknown and (not known or seconds >= _MATERIAL * spent):
        calls = sum(part.calls for part in unknown)
        text += f"; not counted as saved or lost: {calls} call{'s' * (calls != 1)}, {human_seconds(seconds)}, "
        text += _NOT_COUNTED[_why_unknown(unknown)]
    if record.left_out:
        text += f"; of {_contexts(record.left_out.contexts)} only these sums are known"
    return text


def _why_unknown(unknown: Iterable[Context | LeftOut]) -> Unknown:
    """Why it is not known what was saved in the heaviest of these."""
    heaviest = max(unknown, key=lambda part: part.spent or 0.0, default=None)
    found = heaviest.savings if isinstance(heaviest, Context) else None
    return found if isinstance(found, Unknown) else Unknown.NATIVE


def _outcome(record: RunRecord, known: Sequence[Context], saved: float) -> str:
    """Seconds saved or lost in a run, and what they rest on."""
    seconds = record.run.seconds or 0.0
    if saved >= 0:
        natively = f"{human_seconds(seconds + saved)} instead of {human_seconds(seconds)}"
        text = f"Saved {human_seconds(saved)} against native, with which the run would have taken {natively}"
    else:
        text = f"Lost {human_seconds(-saved)} against native, {-saved / seconds:.1%} of the run"
    by_earlier = _total(record, known, lambda one: abs(one.saved) if one.saved_by_earlier else 0.0)
    if by_earlier > _MOST * _total(record, known, lambda one: abs(one.saved)):
        text += ", by native's times in earlier runs"
    delays = _total(record, known, lambda context: context.delays)
    if delays > abs(saved):
        text += f", by typical calls; {human_seconds(delays)} of delays count neither as saved nor as lost"
    return text


def verdict(record: RunRecord) -> str:
    """What was gained against native, what trying cost, and what the next run does; empty if nothing tells.

    The measurement of the network counts as lost, and so does what Starling did outside of collectives.
    """
    run = record.run
    if not record.contexts or not run.seconds:
        return ""
    known = [context for context in record.contexts if context.saved is not None]
    not_known = [one for one in record.contexts if one.saved is None]
    unknown = _total(record, not_known, lambda context: context.spent)
    spent = _total(record, record.contexts, lambda context: context.spent)
    saved = _total(record, known, lambda context: context.saved) - run.beside_collectives
    trying = human_seconds(_total(record, record.contexts, lambda context: context.tuning))
    if all(context.all_native for context in record.contexts):
        text = f"All calls were left to the MPI library; Starling took {human_seconds(-saved)} of the run"
        if run.probe_s:
            text += f", {human_seconds(run.probe_s)} of it to measure the network"
        if run.ranks == 1:
            return f"{text}. With one rank there is nothing to tune."
    elif unknown > _MOST * spent:
        why = _WHY_UNKNOWN[_why_unknown(not_known)]
        text = f"What was saved is not known: {why} where {unknown / spent:.0%} of the time in collectives went"
        text += f"; trying cost {trying}"
    else:
        text = _outcome(record, known, saved)
        text += f"; trying cost {trying}"
    learning = sum(context.stage in LEARNING for context in record.contexts)
    if learning:
        text += f". {_contexts(learning)} of {len(record.contexts)} still learning: the next run goes on from here"
    elif any(context.stage not in _WITHOUT_CHOICE for context in record.contexts):
        text += ". The next run starts from what was learnt"
    else:
        return f"{text}."
    return text + (", if it has a history." if run.settings.get("history") in {"off", ""} else ".")


def waiting(record: RunRecord) -> str:
    """How much of the time in collectives was waiting for late ranks, and who is late; empty where it is little.

    Where ranks share processors, who comes last may have waited for one, so nobody is named.
    """
    spent = _total(record, record.contexts, lambda context: context.spent)
    share = _total(record, record.contexts, lambda context: context.waited) / spent if spent else 0.0
    if share < _MUCH_WAITING:
        return ""
    # The slowest rank of each call is not always the same: their times may add up to more than the run.
    spent = min(spent, record.run.seconds or spent)
    text = f"About {human_seconds(share * spent)} of the {human_seconds(spent)} in collectives were waiting for "
    if record.run.crowds_its_node:
        return f"{text}a processor or for late ranks: ranks share processors."
    text += "late ranks (starling check says why they are late)"
    last: dict[int, float] = {}
    compared = 0.0
    for context in record.contexts:
        if context.arrivals and (told := sum(one.calls for one in context.arrivals.last)):
            compared += context.waited
            for one in context.arrivals.last:
                last[one.rank] = last.get(one.rank, 0.0) + context.waited * one.calls / told
    if last:
        rank, most = max(last.items(), key=lambda item: item[1])
        if most >= _MOSTLY_ONE * compared:
            return f"{text}. Rank {rank} came last most often: {most / compared:.0%} of the waiting was for it."
    return f"{text}. Different ranks came last."


def _contexts(number: int) -> str:
    return f"{number} context{'s' * (number != 1)}"


def notes(contexts: Sequence[Context], *, stages: bool) -> list[str]:
    """Notes that explain marks and values in the table."""
    notes = []
    if any(BY_FIRST in _spent(context) + _marked(context, "0") for context in contexts):
        notes.append(EXPLAINED_BY_FIRST)
    below = {context.stage for context in contexts if (gain := _gain(context)) is not None and gain < EVEN}
    if below - {_BY_TABLE}:
        notes.append(BELOW_ONE)
    if _BY_TABLE in below:
        notes.append(BELOW_ONE_BY_TABLE)
    words = dict.fromkeys(context.stage for context in contexts)
    return notes + [f"{word}: {STAGES[word]}" for word in words if stages and word in STAGES]


def _phase(what: str, phase: Phase, above: str = "") -> str:
    cost = f"bookkeeping {human_seconds(phase.bookkeeping_seconds)}"
    # Where the calls take rank 0 almost nothing, as they do a root, the share tells nothing.
    if phase.seconds and phase.bookkeeping_seconds is not None and phase.bookkeeping_seconds < phase.seconds:
        cost += f" ({phase.bookkeeping_seconds / phase.seconds:.2%})"
    return f"{what} {phase.calls} calls, {human_seconds(phase.seconds)}: {above}{cost}"


def _overheads(context: Context) -> str:
    """What tuning cost while candidates were tried and after (STAR-MPI's O_MS^c and O_MS^a, and O_MA)."""
    above = f"{human_seconds(context.tuning_seconds)} above the winner's time, "
    where = "rank 0 " if context.ranks > 1 else ""
    return f"{where}{_phase('tried', context.phases.exploring, above)}; {_phase('then', context.phases.settled)}"


def _setup(context: Context) -> str:
    """What making communicators, memory, windows and neighbours cost, which the bookkeeping has; empty for none."""
    made = [(one.setup_s, one.public_name) for one in context.candidates if one.setup_s is not None]
    if not made:
        return ""
    seconds, name = max(made)
    most = (
        f", most of it for {printable(name)}: {human_seconds(seconds)}" if len(made) > 1 else f" for {printable(name)}"
    )
    return f"in the bookkeeping: setting up {human_seconds(sum(one for one, _ in made))}{most}"


def _notes(context: Context) -> list[str]:
    """What candidates had to do without, each note with the candidates."""
    names: dict[str, list[str]] = {}
    for one in context.candidates:
        if one.note:
            names.setdefault(one.note, []).append(printable(one.public_name))
    return [f"{', '.join(those)}: {printable(note)}" for note, those in names.items()]


def _arrivals(context: Context, *, share_processors: bool) -> str:
    """Waiting apart from transfer, unless ranks share processors; empty where ranks hardly wait."""
    arrivals = context.arrivals
    if arrivals is None or arrivals.waiting < _MUCH_WAITING:
        return ""
    if share_processors:
        return (
            f"on the ranks that share processors {human_seconds(arrivals.fastest_s)} at least, "
            f"{human_seconds(arrivals.mean_s)} in the mean and {human_seconds(arrivals.slowest_s)} at most, in "
            f"{arrivals.calls} compared calls"
        )
    last = ", ".join(f"{one.rank} ({one.calls} calls)" for one in arrivals.last[:3])
    return (
        f"transfer {human_seconds(arrivals.fastest_s)}, with waiting {human_seconds(arrivals.mean_s)} in the mean and "
        f"{human_seconds(arrivals.slowest_s)} at most, in {arrivals.calls} compared calls"
        + (f"; last came rank {last}" if last else "")
    )


def _indented(text: str) -> RenderableType:
    return Padding(line(text), (0, 0, 0, 2), expand=False)


def _reason(why: str, *, whole: bool) -> str:
    """The reason of a decision; a long one ends between two of its figures, unless all of it is wanted."""
    text = ", ".join(printable(figure) for figure in why[:_LONGEST_REASON].split(", "))
    if whole or len(text) <= MOST_SHOWN:
        return text
    end = text.rfind(", ", 0, MOST_SHOWN)
    return f"{text[:end]}, ... (--all)" if end > 0 else printable(text)


def _explained(context: Context, decisions: int | None, *, share_processors: bool) -> RenderableType:
    place = f"{kind(context)}, {size(context)}, {_ranks(context.ranks)}"
    lines: list[RenderableType] = [line(place, style="bold")]
    if context.phases.exploring.calls:
        lines.append(_indented(_overheads(context)))
    if made := _setup(context):
        lines.append(_indented(made))
    lines += [_indented(note) for note in _notes(context)]
    if waited := _arrivals(context, share_processors=share_processors):
        lines.append(_indented(waited))
    shown = context.decisions[-decisions:] if decisions else context.decisions
    for earlier, where in (
        (context.decisions_dropped, "not in the record"),
        (len(context.decisions) - len(shown), "see them with --all"),
    ):
        if earlier:
            lines.append(_indented(f"{earlier} earlier decision{'s' * (earlier != 1)}: {where}"))
    lines += [
        _indented(
            f"call {decision.call}: {printable(decision.from_ or 'start')} -> {printable(decision.to)}: "
            f"{_reason(decision.why, whole=decisions is None)}"
        )
        for decision in shown
    ]
    together = [(c.all_ranks_s, c.public_name) for c in context.candidates]
    by_first = [(c.median_s, c.public_name) for c in context.candidates if c.all_ranks_s is None]
    for what, times in (("all ranks", together), ("rank 0", by_first)):
        known = sorted((seconds, name) for seconds, name in times if seconds is not None)
        if known:
            fastest = known[:_FASTEST] if decisions else known
            text = ", ".join(f"{printable(name)} {human_seconds(time)}" for time, name in fastest)
            more = f", and {len(known) - len(fastest)} slower ones: see them with --all"
            lines.append(_indented(f"{what}: {text}{more if len(fastest) < len(known) else ''}"))
    if context.candidates_left_out:
        lines.append(_indented(f"{context.candidates_left_out} more candidates are not in the record"))
    return Group(*lines)


def heading(record: RunRecord) -> str:
    """What ran, behind the program's name."""
    run = record.run
    strategy = f"strategy {printable(run.strategy)}, " if run.strategy else ""  # merged runs may have had several
    probe = f", {human_seconds(run.probe_s)} of it to measure the network" if run.probe_s is not None else ""
    return (
        f": {_ranks(run.ranks)} on {run.nodes} node{'s' * (run.nodes != 1)}, "
        f"{printable(run.mpi_flavour)} {printable(run.mpi_version)}, "
        f"{strategy}{human_seconds(run.seconds)} from {printable(run.started)}{probe}"
    )


def render(record: RunRecord, console: Console, *, rows: int | None = 20) -> None:
    """Prints a report: the run, its contexts by seconds (at most `rows`), and the last decisions of those with most.

    Without a limit of rows: all contexts, all decisions, and what the stages mean.
    """
    contexts = sorted(record.contexts, key=lambda context: -(context.spent or 0))
    shown = contexts[:rows]
    console.print(Text.assemble((printable(record.title), "bold"), heading(record)))
    if record.run.unfinished:
        console.print(Text(UNFINISHED))
    if not contexts:
        console.print(Text("no collective was called"))
        return
    if told := verdict(record):
        console.print(Text(told, style="bold"))
    if told := waiting(record):
        console.print(Text(told))
    console.print()
    console.print(fitted(columns(shown), console.width))
    if len(shown) < len(contexts):
        console.print(Text(f"and {len(contexts) - len(shown)} lighter ones: see them with --all"))
    for note in notes(shown, stages=rows is None):
        console.print(Text(note))
    crowded = record.run.crowds_its_node
    explained = [
        context
        for context in shown
        if context.decisions
        or _setup(context)
        or _notes(context)
        or _arrivals(context, share_processors=crowded)
        or sum(one.samples > 0 for one in context.candidates) > 1
    ]
    for context in explained[: None if rows is None else _EXPLAINED]:
        console.print()
        console.print(_explained(context, None if rows is None else _DECISIONS, share_processors=crowded))
    console.print()
    console.print(Text(summary(record), style="bold"))
