"""A tuning table as a self-contained page: gains over native, maps, curves with their crossings, bands over meshes.

The bars are those of Hartmann, Kühnemann, Rauber and Rünger's figure 8, the bands those of their figures 5 to 7, the
curves those of Zheng's figure 2, the maps those of his figures 3 and 4.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from starling import files
from starling.messages import not_written, printable
from starling.pictures.chart import COLOURS, NATIVE_COLOUR, Axis, Band, Bar, Bars, Chart, Circle, Curve, Map, Row, Strip
from starling.tables.table import NATIVE, Choice, Interval, Table, TableError
from starling.terminal.figures import human_bytes, human_seconds
from starling.tuning.report import Kind, gains, kind, measured, throughput

_MOST_CURVES = 8
_STYLE = """
body { font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", Helvetica, Arial, sans-serif; color: #24292f;
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem; background: #ffffff; }
table { border-collapse: collapse; font-size: 13px; margin: 0.5rem 0 1.5rem; }
th, td { text-align: left; padding: 2px 12px 2px 0; border-bottom: 1px solid #e3e7ec; vertical-align: top; }
td:nth-child(-n+2) { white-space: nowrap; }
code { font-size: 12px; overflow-wrap: anywhere; }
h2 { margin-top: 2.5rem; }
figcaption { color: #5b6570; font-size: 13px; }
figure { margin: 1rem 0 2rem; }
"""
_KIND_COLOURS = {Kind.GROUPS: COLOURS[1], Kind.MESSAGES: COLOURS[0], Kind.LIBRARY: COLOURS[2]}
_STARS = ("sequential", "simple", "linear", "native_linear", "native_basic_linear")
"""Ways in which the root, or each rank, talks to all others."""
_TREES = ("binomial", "native_binomial")
_MESHES = {2: ("2D meshes", "#8b949e"), 3: ("3D meshes", COLOURS[3])}
"""By dimensions: the name of their band, and its colour."""

_OTHERS_COLOUR = "#8b949e"
"""Of ways in a map for which no colour is left."""
_STEP = 16
"""How many times its beginning an interval without end is taken to reach, where nothing was measured in it."""

_DRAWN = (1e-15, 1e15)
"""Seconds of calls that an axis has room for."""

_Rows = Mapping[int, Mapping[str, float]]


def _drawn(table: Table, choice: Choice) -> _Rows:
    """What was measured of a choice, without times that no clock tells; only sizes at which native has one."""
    least, most = _DRAWN
    rows = {
        size: {way: seconds for way, seconds in ways.items() if least <= seconds <= most}
        for size, ways in measured(table, choice.shape).items()
    }
    return {size: ways for size, ways in rows.items() if NATIVE in ways}


def _bytes(value: float) -> str:
    return human_bytes(round(value))


def _a_second(value: float) -> str:
    for unit, size in (("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.3g} B/s"


def dimensions(way: str) -> int:
    """Of the mesh on which a way arranges the ranks; 0 for one without."""
    found = re.search(r"[?,]mesh=([^,]+)", way)
    if found is None or kind(way) is not Kind.GROUPS:
        return 0
    return {"square": 2, "cube": 3}.get(found[1], found[1].count("x") + 1)


def _band(rows: _Rows, wanted: int) -> Iterator[Band]:
    """The area that all meshes of so many dimensions cover; none where none was measured."""
    edges = []
    for size, ways in rows.items():
        times = [seconds for way, seconds in ways.items() if dimensions(way) == wanted and seconds]
        if times and size:
            edges.append((float(size), throughput(size, max(times)), throughput(size, min(times))))
    if edges:
        name, colour = _MESHES[wanted]
        yield Band(name, edges, colour)


def _points(rows: _Rows, way: str) -> list[tuple[float, float]]:
    return [(size, ways[way]) for size, ways in rows.items() if size and ways.get(way)]


def _gain_bars(table: Table) -> str:
    groups = []
    for choice in table.choices:
        bars = [
            Bar(found.least, found.mean, found.most, _KIND_COLOURS[one], str(one))
            for one, found in sorted(gains(table, choice.shape).items())
        ]
        if bars:
            groups.append((f"{choice.collective}\n{choice.ranks} ranks", bars))
    # As many groups in a row as there is room for their labels.
    rows = [groups[i : i + _MOST_CURVES] for i in range(0, len(groups), _MOST_CURVES)]
    return "".join(
        Bars("Time saved against native", "time saved against native: least, mean (line), most over sizes", row).svg()
        for row in rows
    )


def _shown_ways(choice: Choice, rows: _Rows) -> list[str]:
    """Native, the ways that are chosen, and the fastest others, no more than can be told apart."""
    chosen = [interval.way for interval in choice.intervals if interval.way != NATIVE]
    places: dict[str, int] = {}
    for ways in rows.values():
        for rank, way in enumerate(sorted(ways, key=lambda one: ways[one])):
            places[way] = min(rank, places.get(way, rank))
    others = sorted(places, key=lambda way: (places[way], way))
    return list(dict.fromkeys([NATIVE, *chosen, *others]))[:_MOST_CURVES]


def _curves(choice: Choice, rows: _Rows, title: str) -> str:
    chosen = {interval.way for interval in choice.intervals}
    colours = iter(COLOURS)
    curves = [
        Curve(
            way,
            _points(rows, way),
            NATIVE_COLOUR if way == NATIVE else next(colours),
            dashed=way == NATIVE,
            heavy=way in chosen,
        )
        for way in _shown_ways(choice, rows)
    ]
    marks = [
        (float(interval.from_), f"{human_bytes(interval.from_)}: {interval.way}")
        for interval in choice.intervals[1:]
        if interval.from_
    ]
    x, y = Axis("bytes", _bytes), Axis("time of a call", human_seconds)
    return Chart(title, x, y, [curve for curve in curves if curve.points], (), marks).svg()


def _bands(choice: Choice, rows: _Rows, title: str) -> str:
    """Throughput: the areas of all meshes of two and of three dimensions, and lines.

    The lines are native, star, binomial tree, and the table's choice.
    """

    def rates(names: Iterable[str]) -> list[tuple[float, float]]:
        found = []
        for size, ways in rows.items():
            times = [ways[name] for name in names if ways.get(name)]
            if times and size:
                found.append((float(size), throughput(size, min(times))))
        return found

    curves = [Curve(NATIVE, rates([NATIVE]), NATIVE_COLOUR, dashed=True)]
    for name, alike, colour in (("star", _STARS, COLOURS[0]), ("binomial tree", _TREES, COLOURS[2])):
        named = {way for ways in rows.values() for way in ways if way.partition("?")[0] in alike}
        curves.append(Curve(name, rates(named), colour))
    chosen = []
    for size, ways in rows.items():
        way = next((interval.way for interval in choice.intervals if interval.holds(size)), NATIVE)
        if size and ways.get(way):
            chosen.append((float(size), throughput(size, ways[way])))
    curves.append(Curve("the table's choice", chosen, COLOURS[1], heavy=True))
    bands = [band for wanted in _MESHES for band in _band(rows, wanted)]
    x, y = Axis("bytes", _bytes), Axis("bytes / time of a call", _a_second)
    return Chart(title, x, y, [curve for curve in curves if curve.points], bands).svg()


def _place(size: float) -> float:
    """Where a size is on a logarithmic axis: that of 0 bytes, which a barrier has, is that of 1."""
    return max(1.0, size)


def _in_map(choice: Choice, interval: Interval, rows: _Rows, colour: str) -> Iterator[Circle]:
    """A circle for each size measured in an interval; where there is none, one in the middle, by the table's gain."""
    way = interval.way
    sizes = [size for size, ways in rows.items() if interval.holds(size) and ways.get(way)]
    for size in sizes:
        seconds, native = rows[size][way], rows[size][NATIVE]
        says = f"{choice.ranks} ranks, {human_bytes(size)}: {way}, {human_seconds(seconds)}"
        if way != NATIVE:
            says += f", {native / seconds:.2f} times as fast as native, {human_seconds(native)}"
        yield Circle(_place(size), native / seconds, colour, says)
    if not sizes:
        start = _place(interval.from_)
        middle = math.sqrt(start * _place(interval.below or _STEP * start))
        gain = 1.0 if way == NATIVE else interval.gain
        says = f"{choice.ranks} ranks, not measured: {way}"
        if gain is not None and way != NATIVE:
            says += f", {gain:.2f} times as fast as native"
        yield Circle(middle, 1.0 if gain is None else gain, colour, says)


def _row_of_map(choice: Choice, rows: _Rows, colours: Mapping[str, str], *, alone: bool) -> Row:
    """A row; with the nodes, unless it is alone in having so many ranks."""
    strips: list[Strip] = []
    circles: list[Circle] = []
    for one in choice.intervals:
        colour = colours.get(one.way, _OTHERS_COLOUR)
        end = "on" if one.below is None else f"to {human_bytes(one.below)}"
        says = f"{choice.ranks} ranks, from {human_bytes(one.from_)} {end}: {one.way}"
        below = None if one.below is None else float(one.below)
        strips.append(Strip(float(one.from_), below, colour, says))
        circles += _in_map(choice, one, rows, colour)
    label = str(choice.ranks) if alone else f"{choice.ranks}\n{choice.nodes} x {choice.ranks_per_node}"
    return Row(label, strips, circles)


def _map(table: Table, collective: str) -> str:
    """The choice by size and number of ranks; empty where the table has one number of ranks only."""
    choices = sorted((one for one in table.choices if one.collective == collective), key=lambda one: one.shape)
    numbers = Counter(one.ranks for one in choices)
    if len(numbers) < 2:
        return ""
    used = Counter(one.way for choice in choices for one in choice.intervals if one.way != NATIVE)
    ways = sorted(used, key=lambda way: (-used[way], way))
    colours = {NATIVE: NATIVE_COLOUR, **dict(zip(ways, COLOURS, strict=False))}
    legend = list(colours.items())
    if len(ways) > len(COLOURS):
        legend.append((f"{len(ways) - len(COLOURS)} others", _OTHERS_COLOUR))
    rows = [_row_of_map(one, _drawn(table, one), colours, alone=numbers[one.ranks] == 1) for one in choices]
    y = "ranks" if len(choices) == len(numbers) else "ranks, nodes x ranks of a node"
    has_sizes = any(circle.x > 1 for row in rows for circle in row.circles)
    x = Axis("bytes", _bytes if has_sizes else lambda _: _bytes(0))
    return Map(f"Choices for {collective}", x, y, rows, legend).svg()


def _maps(table: Table) -> Iterator[str]:
    for collective in dict.fromkeys(one.collective for one in table.choices):
        if picture := _map(table, collective):
            yield (
                f"<h3>{escape(collective)}</h3><figure>{picture}<figcaption>The way chosen for each size and number of "
                "ranks. The area of a circle tells how much faster than native it is at a size that was measured."
                "</figcaption></figure>"
            )


def _cells(values: Sequence[str], tag: str = "td") -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(value)}</{tag}>" for value in values) + "</tr>"


def _choice(choice: Choice, rows: _Rows) -> Iterator[str]:
    title = str(choice.shape)
    yield f"<h2>{escape(title)}</h2>"
    yield "<table>" + _cells(("from", "below", "way", "gain", "why"), "th")
    for one in choice.intervals:
        gain = "" if one.gain is None or one.way == NATIVE else f"{one.gain:.2f}x"
        end = "no end" if one.below is None else human_bytes(one.below)
        yield _cells((human_bytes(one.from_), end, one.way, gain, one.why))
    yield "</table>"
    pictures = (
        (
            _curves(choice, rows, f"Times of {title}"),
            "Times of a call: native's median, the others by their ratio to native in the same rounds; dashed lines: "
            "where the choice changes.",
        ),
        (
            _bands(choice, rows, f"Throughput of {title}"),
            "Throughput; an area has all meshes of ranks that were measured, from the worst to the best.",
        ),
    )
    for picture, caption in pictures:
        if picture:
            yield f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"


def html(table: Table) -> str:
    """The page."""
    place = (
        f"{printable(table.machine) or 'any machine'}, {printable(table.mpi_flavour)} {printable(table.mpi_version)}"
    )
    parts = [
        f"<h1>Tuning table of {escape(place)}</h1>",
        f"<p>{escape(table.made.when)}, {len(table.points)} measurements: ",
        f"<code>{escape(table.made.command)}</code></p>",
        *(f"<p>{escape(note)}</p>" for note in table.notes),
    ]
    if bars := _gain_bars(table):
        parts.append(
            f"<figure>{bars}<figcaption>Of each kind of way the fastest at each size that was measured; native counts "
            "where nothing is faster.</figcaption></figure>"
        )
    if maps := list(_maps(table)):
        parts += ["<h2>By size and number of ranks</h2>", *maps]
    for choice in table.choices:
        parts += _choice(choice, _drawn(table, choice))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>Tuning table of {escape(place)}</title><style>{_STYLE}</style></head>"
        f"<body>{''.join(parts)}</body></html>\n"
    )


def write(table: Table, path: Path) -> None:
    """Writes the page. Raises TableError."""
    try:
        files.write(path, html(table))
    except OSError as error:
        raise TableError(not_written(path, error)) from error
