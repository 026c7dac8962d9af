"""Charts over logarithmic axes as SVG: curves, bands between curves, marked places, bars of least and most, maps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from xml.sax.saxutils import escape

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195", "#8c6d31")
"""Colours that people with any colour vision tell apart (Okabe and Ito 2008), and two more."""
NATIVE_COLOUR = "#24292f"

_WIDTH, _HEIGHT = 720.0, 380.0
_LEFT, _TOP, _RIGHT, _BOTTOM = 74.0, 34.0, 16.0, 46.0
_LEGEND_LINE = 18.0
_CHARACTER = 7.0
_LEAST_BAR = 10.0
"""Pixels that a bar is high at least."""
_ROW = 46.0
"""Pixels that a row of a map is high."""
_LARGEST_CIRCLE, _SMALLEST_CIRCLE = 17.0, 3.0
"""Their radii."""
_GAIN_OF_LARGEST = 2.0
"""The gain of the largest circle, where none is larger."""
_STYLE = """
svg.chart { background: #ffffff; max-width: 100%; height: auto; }
svg.chart text { font: 12px system-ui, "Segoe UI", "DejaVu Sans", Helvetica, Arial, sans-serif; fill: #24292f; }
svg.chart .title { font-size: 14px; font-weight: 600; }
svg.chart .faint { fill: #5b6570; }
svg.chart .grid { stroke: #e3e7ec; stroke-width: 1; }
svg.chart .axis { stroke: #8b949e; stroke-width: 1; fill: none; }
svg.chart .band { fill-opacity: 0.25; }
svg.chart .strip { fill-opacity: 0.16; }
svg.chart .disk { fill-opacity: 0.85; stroke: #ffffff; stroke-width: 1; }
svg.chart .ring { fill: #ffffff; stroke-width: 1.6; }
svg.chart .mark { stroke: #5b6570; stroke-width: 1; stroke-dasharray: 4 3; }
"""


@dataclass(frozen=True)
class Curve:
    """Points (x, y) with positive coordinates, in ascending x."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: str
    dashed: bool = False
    heavy: bool = False


@dataclass(frozen=True)
class Band:
    """The area between two values of y at each x: (x, low, high)."""

    name: str
    edges: Sequence[tuple[float, float, float]]
    colour: str = "#8b949e"


@dataclass(frozen=True)
class Axis:
    """A title, and how a value is written."""

    title: str
    text: Callable[[float], str]


@dataclass(frozen=True)
class Chart:
    """Curves over two logarithmic axes; `marks` are values of x with a label each."""

    title: str
    x: Axis
    y: Axis
    curves: Sequence[Curve]
    bands: Sequence[Band] = ()
    marks: Sequence[tuple[float, str]] = ()

    def svg(self) -> str:
        """The chart as an SVG element; empty if it has no point."""
        xs = [x for curve in self.curves for x, _ in curve.points] + [
            edge[0] for band in self.bands for edge in band.edges
        ]
        ys = [y for curve in self.curves for _, y in curve.points]
        ys += [y for band in self.bands for edge in band.edges for y in edge[1:]]
        if not xs:
            return ""
        across = _Scale.around(xs, _LEFT, _WIDTH - _RIGHT, 2)
        legend = list(self._legend())
        up = _Scale.around(ys, _HEIGHT - _BOTTOM, _TOP, 10)
        parts = [*self._grid(across, up), *self._bands(across, up), *self._marks(across)]
        parts += [self._line(curve, across, up) for curve in self.curves]
        parts += legend
        height = _HEIGHT + _LEGEND_LINE * self._legend_lines()
        return _document(self.title, parts, height)

    def _grid(self, across: _Scale, up: _Scale) -> Iterator[str]:
        bottom, top = _HEIGHT - _BOTTOM, _TOP
        for value in across.ticks(12):
            x = across(value)
            yield f'<path class="grid" d="M{x:.1f} {bottom:.1f}V{top:.1f}"/>'
            yield _text(x, bottom + 16, self.x.text(value), "middle", "faint")
        for value in up.ticks(8):
            y = up(value)
            yield f'<path class="grid" d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>'
            yield _text(_LEFT - 6, y + 4, self.y.text(value), "end", "faint")
        yield f'<path class="axis" d="M{_LEFT} {top}V{bottom}H{_WIDTH - _RIGHT}"/>'
        yield _text((_LEFT + _WIDTH - _RIGHT) / 2, bottom + 36, self.x.title, "middle", "faint")
        yield _text(_LEFT - 6, top - 8, self.y.title, "start", "faint")

    def _bands(self, across: _Scale, up: _Scale) -> Iterator[str]:
        for band in self.bands:
            there = [f"{across(x):.1f} {up(high):.1f}" for x, _, high in band.edges]
            back = [f"{across(x):.1f} {up(low):.1f}" for x, low, _ in reversed(band.edges)]
            if len(band.edges) == 1:
                x = across(band.edges[0][0])
                there, back = (
                    [f"{x - 3:.1f} {up(band.edges[0][2]):.1f}", f"{x + 3:.1f} {up(band.edges[0][2]):.1f}"],
                    [f"{x + 3:.1f} {up(band.edges[0][1]):.1f}", f"{x - 3:.1f} {up(band.edges[0][1]):.1f}"],
                )
            style = f'fill="{band.colour}" stroke="{band.colour}"'
            title = f"<title>{escape(band.name)}</title>"
            yield f'<path class="band" {style} d="M{"L".join([*there, *back])}Z">{title}</path>'

    def _marks(self, across: _Scale) -> Iterator[str]:
        ends: list[float] = []
        """Where the labels in each row end so far."""
        for value, label in sorted(self.marks):
            x = across(value)
            yield f'<path class="mark" d="M{x:.1f} {_HEIGHT - _BOTTOM}V{_TOP}"/>'
            is_left = x < _LEFT + 0.6 * (_WIDTH - _RIGHT - _LEFT)
            side, anchor = (4, "start") if is_left else (-4, "end")
            width = _CHARACTER * len(label)
            begin = x + side if is_left else x + side - width
            row = next((row for row, end in enumerate(ends) if end <= begin), len(ends))
            ends[row : row + 1] = [begin + width]
            yield _text(x + side, _TOP + 12 + 14 * row, label, anchor, "faint")

    @staticmethod
    def _line(curve: Curve, across: _Scale, up: _Scale) -> str:
        places = [(across(x), up(y)) for x, y in curve.points]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        style = f'fill="none" stroke="{curve.colour}" stroke-width="{2.6 if curve.heavy else 1.6}"'
        style += ' stroke-dasharray="6 4"' if curve.dashed else ""
        dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.4" fill="{curve.colour}"/>' for x, y in places)
        return f"<g><title>{escape(curve.name)}</title><path {style} d='M{path}'/>{dots}</g>"

    def _places(self) -> Iterator[tuple[str, float, int]]:
        """The names of the legend, each with its x and its line."""
        x, row = _LEFT, 0
        for name in (*(curve.name for curve in self.curves), *(band.name for band in self.bands)):
            width = 34 + _CHARACTER * len(name)
            if x + width > _WIDTH and x > _LEFT:
                x, row = _LEFT, row + 1
            yield name, x, row
            x += width

    def _legend_lines(self) -> int:
        return max((row for _, _, row in self._places()), default=-1) + 1

    def _legend(self) -> Iterator[str]:
        shown: list[Curve | Band] = [*self.curves, *self.bands]
        for (name, x, row), one in zip(self._places(), shown, strict=True):
            y = _HEIGHT + _LEGEND_LINE * row + 4
            if isinstance(one, Band):
                style = f'fill="{one.colour}" stroke="{one.colour}"'
                yield f'<rect class="band" {style} x="{x:.1f}" y="{y - 5:.1f}" width="18" height="10"/>'
            else:
                dash = ' stroke-dasharray="6 4"' if one.dashed else ""
                yield f'<path stroke="{one.colour}" stroke-width="2.4"{dash} d="M{x:.1f} {y:.1f}h18"/>'
            yield _text(x + 23, y + 4, name, "start")


@dataclass(frozen=True)
class Bar:
    """From the least to the most of some shares, with a mark at their mean."""

    least: float
    mean: float
    most: float
    colour: str
    name: str


@dataclass(frozen=True)
class Bars:
    """Groups of bars over an axis of shares from 0; each group has a label, and bars of the same name one colour."""

    title: str
    y: str
    groups: Sequence[tuple[str, Sequence[Bar]]] = field(default=())

    def svg(self) -> str:
        """The bars as an SVG element; empty if there are none."""
        if not any(bars for _, bars in self.groups):
            return ""
        most = max(0.1, *(bar.most for _, bars in self.groups for bar in bars))
        top = math.ceil(most * 10) / 10
        bottom = _HEIGHT - _BOTTOM

        def up(share: float) -> float:
            return bottom - share / top * (bottom - _TOP)

        parts: list[str] = []
        for tenth in range(round(top * 10) + 1):
            y = up(tenth / 10)
            parts += [f'<path class="grid" d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>']
            parts += [_text(_LEFT - 6, y + 4, f"{tenth * 10} %", "end", "faint")]
        room = (_WIDTH - _RIGHT - _LEFT) / len(self.groups)
        for number, (label, bars) in enumerate(self.groups):
            left = _LEFT + number * room
            width = min(26.0, room * 0.8 / max(len(bars), 1))
            start = left + (room - width * len(bars)) / 2
            for i, bar in enumerate(bars):
                parts.append(_bar(bar, start + i * width, width * 0.86, up))
            for i, word in enumerate(label.split("\n")):
                parts.append(_text(left + room / 2, bottom + 16 + 14 * i, word, "middle", "faint"))
        parts += [f'<path class="axis" d="M{_LEFT} {_TOP}V{bottom}H{_WIDTH - _RIGHT}"/>']
        parts += [_text(_LEFT - 6, _TOP - 8, self.y, "start", "faint")]
        names = dict.fromkeys((bar.name, bar.colour) for _, bars in self.groups for bar in bars)
        for i, (name, colour) in enumerate(names):
            y = _HEIGHT + 4 + _LEGEND_LINE * i
            parts.append(f'<rect x="{_LEFT}" y="{y - 5}" width="18" height="10" fill="{colour}"/>')
            parts.append(_text(_LEFT + 23, y + 4, name, "start"))
        return _document(self.title, parts, _HEIGHT + _LEGEND_LINE * len(names))


def _bar(bar: Bar, x: float, width: float, up: Callable[[float], float]) -> str:
    high, low, mean = up(bar.most), up(bar.least), up(bar.mean)
    # A kind with one size is as high as its mark: its colour must show above and below that.
    missing = max(0.0, _LEAST_BAR - (low - high)) / 2
    high, low = max(high - missing, _TOP), min(low + missing, up(0.0))
    says = f"{bar.name}: {bar.least:.0%} to {bar.most:.0%}, {bar.mean:.0%} in the mean"
    return (
        f'<g><title>{escape(says)}</title><rect x="{x:.1f}" y="{high:.1f}" width="{width:.1f}" '
        f'height="{low - high:.1f}" fill="{bar.colour}" fill-opacity="0.75"/>'
        f'<path stroke="#24292f" stroke-width="2" d="M{x:.1f} {mean:.1f}h{width:.1f}"/></g>'
    )


@dataclass(frozen=True)
class Circle:
    """A place in a row of a map; its area tells how far `gain` is above 1, and it is hollow where that is below 1."""

    x: float
    gain: float
    colour: str
    says: str


@dataclass(frozen=True)
class Strip:
    """A part of a row of a map: from `x` up to `end`; None where it has no end."""

    x: float
    end: float | None
    colour: str
    says: str


@dataclass(frozen=True)
class Row:
    """A row of a map; its label may have two lines."""

    label: str
    strips: Sequence[Strip]
    circles: Sequence[Circle]


@dataclass(frozen=True)
class Map:
    """Circles on strips, in rows from below, over a logarithmic axis. The legend has names with their colours."""

    title: str
    x: Axis
    y: str
    rows: Sequence[Row]
    legend: Sequence[tuple[str, str]]

    def svg(self) -> str:
        """The map as an SVG element; empty if it has no circle."""
        circles = [circle for row in self.rows for circle in row.circles]
        if not circles:
            return ""
        left, right, bottom = _LEFT, _WIDTH - _RIGHT, _TOP + _ROW * len(self.rows)
        xs = sorted({circle.x for circle in circles})
        across = _Scale.around(xs, left + _LARGEST_CIRCLE, right - _LARGEST_CIRCLE, 2)
        parts = []
        for value in across.ticks(12):
            parts.append(f'<path class="grid" d="M{across(value):.1f} {bottom:.1f}V{_TOP:.1f}"/>')
            parts.append(_text(across(value), bottom + 16, self.x.text(value), "middle", "faint"))
        parts.append(_text((left + right) / 2, bottom + 36, self.x.title, "middle", "faint"))
        parts.append(_text(left - 6, _TOP - 8, self.y, "start", "faint"))
        most = max(_GAIN_OF_LARGEST, *(circle.gain for circle in circles))
        closest = min((across(b) - across(a) for a, b in pairwise(xs)), default=_ROW)
        largest = max(2 * _SMALLEST_CIRCLE, min(_LARGEST_CIRCLE, 0.55 * closest))

        def radius(gain: float) -> float:
            return max(_SMALLEST_CIRCLE, largest * math.sqrt(max(0.0, gain - 1) / (most - 1)))

        for number, row in enumerate(self.rows):
            y = bottom - _ROW * (number + 0.5)
            parts += [_strip(one, y, across, (left, right)) for one in row.strips]
            words = row.label.split("\n")
            for i, word in enumerate(words):
                parts.append(_text(left - 6, y + 4 + 14 * (i - (len(words) - 1) / 2), word, "end", "faint"))
            parts += [_circle(one, across(one.x), y, radius(one.gain)) for one in row.circles]
        parts.append(f'<path class="axis" d="M{left} {_TOP}V{bottom}H{right}"/>')
        lines = list(self._legend(bottom + 62, radius, most))
        return _document(self.title, [*parts, *(text for text, _ in lines)], max(y for _, y in lines) + 20)

    def _legend(self, y: float, radius: Callable[[float], float], most: float) -> Iterator[tuple[str, float]]:
        """The gains of some circles, then names with their colours; each with its y."""
        x = _LEFT
        for gain in (1 + (most - 1) / 16, 1 + (most - 1) / 4, most):
            yield f'<circle class="key" cx="{x + 9:.1f}" cy="{y:.1f}" r="{radius(gain):.1f}" fill="#8b949e"/>', y
            yield _text(x + 32, y + 4, f"{gain:.3g}x", "start"), y
            x += 86
        if any(circle.gain < 1 for row in self.rows for circle in row.circles):
            yield f'<circle class="ring" cx="{x + 9:.1f}" cy="{y:.1f}" r="{_SMALLEST_CIRCLE}" stroke="#8b949e"/>', y
            yield _text(x + 23, y + 4, "slower than native there", "start"), y
        x, y = _LEFT, y + _LARGEST_CIRCLE + 14
        for name, colour in self.legend:
            width = 40 + _CHARACTER * len(name)
            if x + width > _WIDTH and x > _LEFT:
                x, y = _LEFT, y + _LEGEND_LINE
            yield f'<rect x="{x:.1f}" y="{y - 5:.1f}" width="18" height="10" fill="{colour}"/>', y
            yield _text(x + 23, y + 4, name, "start"), y
            x += width


def _strip(strip: Strip, y: float, across: Callable[[float], float], edges: tuple[float, float]) -> str:
    """Within the edges of the map; empty where it is outside of them."""
    left, right = edges
    begin = max(left, across(strip.x)) if strip.x > 0 else left
    end = right if strip.end is None else min(right, across(strip.end))
    if end <= begin:
        return ""
    return (
        f'<rect class="strip" x="{begin:.1f}" y="{y - _ROW / 2 + 1.5:.1f}" width="{end - begin:.1f}" '
        f'height="{_ROW - 3:.1f}" fill="{strip.colour}"><title>{escape(strip.says)}</title></rect>'
    )


def _circle(circle: Circle, x: float, y: float, radius: float) -> str:
    style = f'class="disk" fill="{circle.colour}"' if circle.gain >= 1 else f'class="ring" stroke="{circle.colour}"'
    place = f'cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"'
    return f"<circle {style} {place}><title>{escape(circle.says)}</title></circle>"


@dataclass(frozen=True)
class _Scale:
    """From a positive value to pixels, logarithmically; ticks are powers of `base`."""

    low: float
    high: float
    start: float
    end: float
    base: int

    @classmethod
    def around(cls, values: Sequence[float], start: float, end: float, base: int) -> _Scale:
        low, high = math.log(min(values), base), math.log(max(values), base)
        margin = max((high - low) * 0.04, 0.05)
        return cls(low - margin, high + margin, start, end, base)

    def __call__(self, value: float) -> float:
        return self.start + (math.log(value, self.base) - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, most: int) -> list[float]:
        """At most so many values; where there are few powers of 10 also 2 and 5 between, or values at equal steps."""
        powers = range(math.ceil(self.low - 1e-9), math.floor(self.high + 1e-9) + 1)
        step = max(1, math.ceil(len(powers) / most))
        found = [float(self.base) ** power for power in powers if power % step == 0]
        if self.base == 10 and len(found) < 3:
            around = range(math.floor(self.low), math.ceil(self.high) + 1)
            all_ = [factor * 10.0**power for power in around for factor in (1, 2, 5)]
            found = [value for value in all_ if self.low <= math.log10(value) <= self.high]
        return found if len(found) > (self.base == 10) else self._equal_steps()

    def _equal_steps(self) -> list[float]:
        """Up to five multiples of 1, 2 or 5 times a power of 10; of bytes, whose powers are those of 2, whole ones."""
        low, high = (float(self.base) ** end for end in (self.low, self.high))
        power = 10.0 ** math.floor(math.log10(high - low) - 1)
        step = next(power * factor for factor in (5, 10, 20) if (high - low) / (power * factor) < 5)
        step = max(step, 1.0) if self.base == 2 else step
        return [step * i for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _text(x: float, y: float, text: str, anchor: str, style: str = "") -> str:
    of_style = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{of_style}>{escape(text)}</text>'


def _document(title: str, parts: Sequence[str], height: float) -> str:
    return (
        f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" width="{_WIDTH:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {_WIDTH:.0f} {height:.0f}" role="img"><title>{escape(title)}</title><style>{_STYLE}</style>'
        f"{''.join(parts)}</svg>"
    )
