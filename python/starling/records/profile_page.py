"""A profile as one page for a browser: a picture for each collective, and tables. It loads nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from starling.messages import in_one_line
from starling.records import html
from starling.records import profile as profiles
from starling.records.profile import Profile, Profiled, percent
from starling.terminal.figures import human_bytes, human_seconds

_MOST_BARS = 16
"""Bars of a picture; where a collective has more sizes, each bar is for those from a power of two to the next."""
_BAR, _GAP, _HEIGHT, _TOP, _LEFT, _BELOW = 34, 16, 130, 34, 64, 42
"""Widths and heights in pixels."""


@dataclass
class _Bar:
    """Contexts of one size, or of several."""

    label: str
    calls: int = 0
    seconds: float = 0.0
    waiting: float = 0.0

    def add(self, one: Profiled) -> None:
        self.calls += one.context.calls
        self.seconds += one.all_ranks.rank_seconds
        self.waiting += one.all_ranks.waiting_rank_seconds or 0.0


def _size(one: Profiled) -> int | None:
    """Bytes by which a context is sorted; None for a collective without data."""
    if one.context.collective == "barrier":
        return None
    return one.context.bytes if one.context.bytes is not None else one.all_ranks.mean_bytes


def _bars(contexts: Sequence[Profiled]) -> list[_Bar]:
    """The contexts of one collective by size."""
    exact: dict[tuple[int, str], _Bar] = {}
    for one in contexts:
        bytes_ = _size(one)
        label = "" if bytes_ is None else profiles.block(one)
        exact.setdefault((bytes_ or 0, label), _Bar(label)).add(one)
    if len(exact) <= _MOST_BARS:
        return [exact[place] for place in sorted(exact)]
    coarse: dict[int, _Bar] = {}
    for one in contexts:
        bytes_ = _size(one) or 0
        least = 1 << (bytes_.bit_length() - 1) if bytes_ else 0
        coarse.setdefault(least, _Bar(human_bytes(least) + "+" * (bytes_ > 0))).add(one)
    return [coarse[least] for least in sorted(coarse)]


def _count(number: int) -> str:
    """`950`, `12k`, `3.4M`."""
    for unit, factor in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if number >= 10 * factor:
            return f"{number / factor:.0f}{unit}"
        if number >= factor:
            return f"{number / factor:.1f}{unit}"
    return str(number)


def _picture(bars: Sequence[_Bar], spent: float) -> str:
    """Bars by size: how high, the time; the part above, waiting; the numbers of calls on top."""
    highest = max(bar.seconds for bar in bars) or 1.0
    share = highest / spent if spent else 0.0
    top = percent(share) if share >= 0.0005 or not share else "< 0.1 %"
    width = _LEFT + len(bars) * (_BAR + _GAP) + _GAP
    height = _TOP + _HEIGHT + _BELOW
    floor = _TOP + _HEIGHT
    parts = [
        f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
        f'<path class="axis" d="M{_LEFT} {_TOP}H{width}M{_LEFT} {floor}H{width}"/>',
        html.text(_LEFT - 8, _TOP + 4, top, "end", "faint"),
        html.text(_LEFT - 8, floor + 4, "0 %", "end", "faint"),
        html.text(_LEFT - 8, 16, "calls", "end", "faint"),
    ]
    for i, bar in enumerate(bars):
        x = _LEFT + _GAP + i * (_BAR + _GAP)
        waiting = _HEIGHT * bar.waiting / highest
        moving = _HEIGHT * bar.seconds / highest - waiting
        told = f"{bar.label}: {bar.calls} calls, {human_seconds(bar.seconds)} of all ranks"
        if bar.waiting:
            told += f", {human_seconds(bar.waiting)} of it waiting"
        parts += [
            f"<g><title>{escape(told)}</title>",
            f'<rect class="moving" x="{x}" y="{floor - moving:.1f}" width="{_BAR}" height="{moving:.1f}"/>',
            f'<rect class="waiting" x="{x}" y="{floor - moving - waiting:.1f}" width="{_BAR}" height="{waiting:.1f}"/>',
            html.text(x + _BAR / 2, 16, _count(bar.calls)),
            *(
                html.text(x + _BAR / 2, floor + 16 + 14 * line, word)
                for line, word in enumerate(bar.label.split(" to ")[0].split(" "))
            ),
            "</g>",
        ]
    return "".join([*parts, "</svg>"])


def page(profile: Profile) -> str:
    """The page as HTML."""
    parts = [
        html.beginning(profile.record.title, "collectives", profiles.heading(profile).removeprefix(": ")),
        f"<p>{escape(profiles.summary(profile))}.</p>",
    ]
    by_collective: dict[str, list[Profiled]] = {}
    for one in profile.contexts:
        by_collective.setdefault(one.context.collective, []).append(one)
    if by_collective:
        parts.append(
            "<h2>Where the time in collectives goes</h2><p>By size; the height is the share of all time in "
            "collectives, the numbers on top are calls."
            "<span class='key moving'></span>moving data, or not known<span class='key waiting'></span>"
            "waiting for late ranks</p>"
        )
    for name, contexts in sorted(by_collective.items(), key=lambda item: -sum(o.of_collectives for o in item[1])):
        calls = sum(one.context.calls for one in contexts)
        share = percent(sum(one.of_collectives for one in contexts))
        parts.append(
            f"<figure><figcaption><b>{escape(in_one_line(name))}</b>{share} of the time, {calls} "
            f"call{'s' * (calls != 1)}</figcaption>{_picture(_bars(contexts), profile.rank_seconds)}</figure>"
        )
    if profile.contexts:
        columns = profiles.columns(profile.contexts, profile.record.run.ranks)
        rows = list(zip(*(column.cells for column in columns), strict=True))
        left = [i for i, column in enumerate(columns) if not column.right]
        parts += ["<h2>Contexts</h2>", html.table([column.title for column in columns], rows, left)]
    if profile.counted:
        rows = [(one.collective, str(one.ranks), str(one.calls)) for one in profile.counted]
        parts += ["<h2>Only counted</h2>", html.table(["operation", "ranks", "calls"], rows, [0])]
    if lines := profiles.successions(profile, most=100):
        parts += ["<h2>Calls that follow each other on rank 0</h2>", html.table(["calls", ""], lines, [0, 1])]
    return "".join([*parts, html.END])
