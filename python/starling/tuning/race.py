"""`starling lab race`: one way against others at every size, from a tuning table in which all were measured."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import geometric_mean
from typing import Any

from rich.console import Console
from rich.text import Text

from starling.algorithms.prediction import size
from starling.messages import printable
from starling.pictures.chart import COLOURS, NATIVE_COLOUR, Axis, Chart, Curve
from starling.tables.table import NATIVE, Point, Table
from starling.terminal.figures import human_bytes, human_seconds
from starling.terminal.tables import Column, fitted

_FACTOR = 4
"""From one size of a range to the next."""
_MOST_CURVES = 6
"""Curves of others, besides the way that races and native."""


class RaceError(ValueError):
    """A race that cannot be run, or gave nothing; the text says why."""


def sizes(text: str) -> list[int]:
    """The sizes of `1K:1M`, each four times as large as the one before, or of a comma list. Raises RaceError."""
    first, colon, last = text.partition(":")
    try:
        if not colon:
            return sorted({size(word) for word in text.split(",")})
        low, high = size(first), size(last)
    except ValueError as error:
        raise RaceError(f"--sizes {error}") from error
    if not 0 < low <= high:
        raise RaceError(f"--sizes {printable(text)}: the range is empty; write the smaller size first, as in 1K:1M")
    found = [low]
    while found[-1] * _FACTOR < high:
        found.append(found[-1] * _FACTOR)
    return found if found[-1] == high else [*found, high]


def check(entry: Mapping[str, Any], collective: str, way: str) -> None:
    """Whether a name has all parameters of its algorithm, whose `entry` it is. Raises RaceError."""
    needed = [one["name"] for one in entry["parameters"]]
    named = [word.partition("=")[0] for word in way.partition("?")[2].split(",") if word]
    if sorted(named) != sorted(needed):
        example = ",".join(f"{one['name']}={one['values'][0]}" for one in entry["parameters"])
        wanted = f"{way.partition('?')[0]}{'?' if example else ''}{example}"
        raise RaceError(
            f"{printable(collective)}:{printable(way)}: a way has all of its parameters in its name, "
            f"as in {printable(collective)}:{printable(wanted)}"
        )


@dataclass(frozen=True)
class Race:
    """The times of a way and of others: by size, the points of ways by name."""

    collective: str
    way: str
    ranks: int
    rows: Mapping[int, Mapping[str, Point]]

    def fastest_other(self, bytes_: int) -> str | None:
        """Of the ways that are neither native nor this one."""
        others = {name: one for name, one in self.rows[bytes_].items() if name not in (NATIVE, self.way)}
        return min(others, key=lambda name: others[name].median_s, default=None)

    def place(self, bytes_: int) -> int | None:
        """1 where no other way, native included, was faster; None where it was not measured."""
        mine = self.rows[bytes_].get(self.way)
        if mine is None:
            return None
        return 1 + sum(one.median_s < mine.median_s for one in self.rows[bytes_].values())

    def ratio(self, bytes_: int, other: str | None) -> float | None:
        """How many times as fast as another it was; None where one of them was not measured."""
        row = self.rows[bytes_]
        if other is None or other not in row or self.way not in row or not row[self.way].median_s:
            return None
        return row[other].median_s / row[self.way].median_s

    @property
    def verdict(self) -> str:
        """One sentence."""
        ratios = [one for bytes_ in self.rows if (one := self.ratio(bytes_, NATIVE)) is not None]
        if not ratios:
            return f"{self.way} could not be measured"
        places = [place for bytes_ in self.rows if (place := self.place(bytes_)) is not None]
        return (
            f"{self.way} is {geometric_mean(ratios):.2f} times as fast as native (geometric mean of {len(ratios)} "
            f"size{'s' * (len(ratios) != 1)}), and the fastest of all at {places.count(1)} of {len(places)}"
        )


def of(table: Table, collective: str, way: str) -> Race:
    """The race in a table. Raises RaceError where it has no measurement of the collective."""
    rows: dict[int, dict[str, Point]] = {}
    ranks = 0
    for point in table.points:
        if point.collective == collective:
            rows.setdefault(point.bytes, {})[point.way] = point
            ranks = max(ranks, point.ranks)
    if not rows:
        raise RaceError(f"nothing of {printable(collective)} was measured")
    return Race(collective, way, ranks, dict(sorted(rows.items())))


def as_csv(race: Race) -> str:
    """A line for each way at each size, in seconds and bytes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("collective", "ranks", "bytes", "way", "median_s", "low_s", "high_s", "samples"))
    for bytes_, row in race.rows.items():
        for name, one in sorted(row.items()):
            writer.writerow(
                (race.collective, race.ranks, bytes_, name, one.median_s, one.low_s, one.high_s, one.samples)
            )
    return text.getvalue()


def _shown(race: Race) -> list[str]:
    """The others that were fastest somewhere, then those next to them."""
    places: dict[str, int] = {}
    for row in race.rows.values():
        others = sorted((name for name in row if name not in (NATIVE, race.way)), key=lambda name: row[name].median_s)
        for place, name in enumerate(others):
            places[name] = min(place, places.get(name, place))
    return sorted(places, key=lambda name: (places[name], name))[:_MOST_CURVES]


def plot(race: Race) -> str:
    """Time of a call by size, as an SVG file."""

    def curve(name: str, colour: str, *, dashed: bool = False, heavy: bool = False) -> Curve:
        points = [(float(bytes_), row[name].median_s) for bytes_, row in race.rows.items() if bytes_ and name in row]
        return Curve(name, points, colour, dashed, heavy)

    curves = [
        curve(race.way, COLOURS[1], heavy=True),
        curve(NATIVE, NATIVE_COLOUR, dashed=True),
        *(curve(name, colour) for name, colour in zip(_shown(race), (COLOURS[0], *COLOURS[2:]), strict=False)),
    ]
    title = f"{race.collective} on {race.ranks} ranks"
    x, y = Axis("bytes", lambda value: human_bytes(round(value))), Axis("time of a call", human_seconds)
    drawn = Chart(title, x, y, [one for one in curves if one.points]).svg()
    return drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1) if "xmlns" not in drawn else drawn


def render(race: Race, console: Console) -> None:
    """Prints the verdict and a row for each size."""
    sizes_ = list(race.rows)
    others = [race.fastest_other(one) for one in sizes_]

    def time(bytes_: int, name: str | None) -> str:
        found = race.rows[bytes_].get(name or "")
        return human_seconds(found.median_s if found else None)

    def times(value: float | None) -> str:
        return "-" if value is None else f"{value:.2f}"

    def of_all(bytes_: int) -> str:
        place = race.place(bytes_)
        return "-" if place is None else f"{place} of {len(race.rows[bytes_])}"

    console.print(Text(f"{race.collective} on {race.ranks} ranks: {race.verdict}", style="bold"))
    console.print()
    columns = [
        Column("bytes", [human_bytes(one) for one in sizes_]),
        Column(race.way, [time(one, race.way) for one in sizes_]),
        Column("native", [time(one, NATIVE) for one in sizes_]),
        Column("native / it", [times(race.ratio(one, NATIVE)) for one in sizes_]),
        Column("fastest other", [other or "-" for other in others], right=False, leave=1),
        Column("takes", [time(one, other) for one, other in zip(sizes_, others, strict=True)], leave=1),
        Column("place", [of_all(one) for one in sizes_]),
    ]
    console.print(fitted(columns, console.width))


def words(collective: str, way: str, against: str, all_sizes: Sequence[int], budget: str, table: str) -> list[str]:
    """The arguments of `starling tune` that measure it."""
    chosen = [] if against == "all" else ["--ways", ",".join(dict.fromkeys([way, *against.split(",")]))]
    measured = [
        "--collectives",
        collective,
        "--sizes",
        ",".join(map(str, all_sizes)),
        "--budget",
        budget,
        "--all",
        "-q",
    ]
    return ["tune", *measured, *chosen, "-o", table]
