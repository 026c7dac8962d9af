"""A run record as a table for people: where the time went, which algorithm ran there, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from starling.record import Context, Phase, RunRecord

_WITHOUT_TERMINAL = 160
"""Columns where the output is no terminal."""
_DECISIONS = 4
_EXPLAINED = 3


def human_bytes(number: int | None) -> str:
    """`8 B`, `64 KiB`, `1.5 MiB`; `-` where ranks cannot know it."""
    if number is None:
        return "-"
    value = float(number)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            break
        value /= 1024
    return f"{value:.4g} {unit}"


def human_seconds(number: float | None) -> str:
    """Three figures and a fitting unit: `3.21 us`, `12.0 ms`, `1.50 s`; `-` for an unknown time."""
    if number is None:
        return "-"
    size = abs(number)
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if size * factor >= 0.9995:
            scaled = number * factor
            digits = max(0, 3 - len(str(int(abs(scaled)))))
            return f"{scaled:.{digits}f} {unit}"
    return "0 s" if size < 1e-10 else f"{number * 1e9:.0f} ns"


def _kind(context: Context) -> str:
    """The collective with what else is in its call key: `allreduce (in place, non-commutative)`."""
    more = ["in place"] if context.in_place else []
    if context.operator_class not in (None, "built-in"):
        more.append(str(context.operator_class))
    return f"{context.collective} ({', '.join(more)})" if more else context.collective


def _size(context: Context) -> str:
    """`64 KiB`; `64 KiB+` where it stands for all sizes up to twice that."""
    return human_bytes(context.bytes) + "+" * context.bucket


def _gain(context: Context) -> str:
    """How many times as fast as native the winner is."""
    median = context.median_of(context.winner)
    if context.winner == "native" or not median or context.native is None:
        return "-"
    return f"{context.native / median:.2f}x"


@dataclass(frozen=True)
class _Column:
    """A column: its title, its cells, and how early it is left out of a narrow table (0: never)."""

    title: str
    cells: Sequence[str]
    leave: int = 0
    right: bool = True

    @property
    def width(self) -> int:
        return max(map(len, [self.title, *self.cells]))


def _columns(contexts: Sequence[Context]) -> list[_Column]:
    return [
        _Column("collective", [_kind(c) for c in contexts], right=False),
        _Column("bytes", [_size(c) for c in contexts]),
        _Column("ranks", [str(c.ranks) for c in contexts], leave=5),
        _Column("calls", [str(c.calls) for c in contexts], leave=6),
        _Column("stage", [c.stage for c in contexts], leave=1, right=False),
        _Column("winner", [c.winner for c in contexts], right=False),
        _Column("median", [human_seconds(c.median_of(c.winner)) for c in contexts], leave=4),
        _Column("native", [human_seconds(c.native) for c in contexts], leave=3),
        _Column("gain", [_gain(c) for c in contexts]),
        _Column("time", [human_seconds(c.seconds) for c in contexts]),
        _Column("tuning", [human_seconds(c.tuning_seconds) for c in contexts], leave=2),
    ]


def _table(contexts: Sequence[Context], width: int) -> Table:
    columns = _columns(contexts)
    while sum(column.width + 2 for column in columns) > width and any(column.leave for column in columns):
        columns.remove(min((column for column in columns if column.leave), key=lambda column: column.leave))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(
            column.title, justify="right" if column.right else "left", overflow="fold", no_wrap=column.right
        )
    for row in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(Text, row))
    return table


def summary(record: RunRecord) -> str:
    """One line: seconds in collectives, saved against native, cost of tuning; per rank, as rank 0 measured."""
    spent = sum(context.seconds or 0 for context in record.contexts)
    tuning = sum(context.tuning_seconds or 0 for context in record.contexts)
    known = [context.saved for context in record.contexts if context.saved is not None]
    saved = sum(known)
    share = f" ({saved / (spent + saved):+.0%})" if spent + saved > 0 else ""
    what = f"saved against native {human_seconds(saved)}{share}" if known else "native was not measured"
    return f"in collectives {human_seconds(spent)}, {what}, tuning cost {human_seconds(tuning)}"


def _phase(what: str, phase: Phase, above: str = "") -> str:
    cost = f"bookkeeping {human_seconds(phase.bookkeeping_seconds)}"
    if phase.seconds and phase.bookkeeping_seconds is not None:
        cost += f" ({phase.bookkeeping_seconds / phase.seconds:.2%})"
    return f"{what} {phase.calls} calls, {human_seconds(phase.seconds)}: {above}{cost}"


def _overheads(context: Context) -> str:
    """What tuning cost while candidates were tried and after (STAR-MPI's O_MS^c and O_MS^a, and O_MA)."""
    above = f"{human_seconds(context.tuning_seconds)} above the winner's time, "
    return f"{_phase('tried', context.phases.exploring, above)}; {_phase('then', context.phases.settled)}"


def _indented(text: str) -> RenderableType:
    return Padding(Text(text), (0, 0, 0, 2), expand=False)


def _explained(context: Context) -> RenderableType:
    place = f"{_kind(context)}, {_size(context)}, {context.ranks} ranks"
    lines: list[RenderableType] = [Text(place, style="bold")]
    if context.phases.exploring.calls:
        lines.append(_indented(_overheads(context)))
    earlier = context.decisions_dropped + max(0, len(context.decisions) - _DECISIONS)
    if earlier:
        lines.append(_indented(f"{earlier} earlier decision{'s' * (earlier != 1)}: see them with --json"))
    lines += [
        _indented(f"call {decision.call}: {decision.from_ or 'start'} -> {decision.to}: {decision.why}")
        for decision in context.decisions[-_DECISIONS:]
    ]
    measured = sorted((c.median_s, c.public_name) for c in context.candidates if c.median_s is not None)
    if measured:
        lines.append(
            _indented("medians: " + ", ".join(f"{name} {human_seconds(seconds)}" for seconds, name in measured))
        )
    return Group(*lines)


def render(record: RunRecord, console: Console, *, rows: int | None = 20) -> None:
    """Prints a report: the run, its contexts by seconds (at most `rows`), and the decisions in the heaviest."""
    run = record.run
    contexts = sorted(record.contexts, key=lambda context: -(context.seconds or 0))
    shown = contexts[:rows]
    what = (
        f": {run.ranks} ranks on {run.nodes} node{'s' * (run.nodes != 1)}, {run.mpi_flavour} {run.mpi_version}, "
        f"strategy {run.strategy}, {human_seconds(run.seconds)} from {run.started}"
    )
    console.print(Text.assemble((run.program, "bold"), what))
    if not contexts:
        console.print(Text("no collective was called"))
        return
    console.print()
    console.print(_table(shown, console.width))
    if len(shown) < len(contexts):
        console.print(Text(f"and {len(contexts) - len(shown)} lighter ones: see them with --all"))
    for context in [context for context in shown if context.decisions][:_EXPLAINED]:
        console.print()
        console.print(_explained(context))
    console.print()
    console.print(Text(summary(record), style="bold"))


def terminal() -> Console:
    """A console of the terminal's width; of a fixed one where the output goes into a file or a pipe."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_WITHOUT_TERMINAL)
