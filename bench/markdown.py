"""Tables of the results pages, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; rows may be shorter than the titles."""
    lines = [f"| {' | '.join(titles)} |", f"|{'---|' * len(titles)}"]
    for row in rows:
        cells = [*map(str, row), *[""] * (len(titles) - len(row))]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def number(value: float | None) -> str:
    """A number with three digits; empty for None."""
    if value is None:
        return ""
    return f"{value:#.3g}".rstrip(".") if value < 1000 else f"{value:.0f}"


def origin(some: Iterable[str]) -> str:
    """When and with what it was measured: the days of `Measurement.made`, oldest first, each with its commits."""
    days: dict[str, set[str]] = {}
    for one in some:
        day, _, commit = one.partition(" ")
        days.setdefault(day, set()).add(commit)
    told = (f"{day} ({', '.join(sorted(commits))})" for day, commits in sorted(days.items()))
    return f"Measured {', '.join(told)}."
