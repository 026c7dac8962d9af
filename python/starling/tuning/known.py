"""What a configuration phase knows: times that were measured at each point, and what they tell of all ways there."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from starling.lab.idle import Ticks
from starling.tables.table import NATIVE
from starling.terminal.figures import human_bytes
from starling.tuning.belief import Belief, Estimate, Offsets, family
from starling.tuning.job import WRONG, Ended, Times
from starling.tuning.journal import Line
from starling.tuning.points import Plan, Point
from starling.tuning.rows import Rows
from starling.tuning.samples import Summary

_SMALL_BYTES = 4096
"""Up to this size a call's time grows little with the size,"""
_SMALLER_ALIKE = 4.0
"""by at most such a factor."""
_MOST_ENDINGS = 2
"""A way that was measured so often as the job ended is given up; once may be a kill from outside."""


@dataclass
class At:
    """All that is known of one point."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    """Of each way that was measured, of all its calls."""
    races: dict[str, int] = field(default_factory=dict)
    """How many races each way took part in."""
    out: dict[str, str] = field(default_factory=dict)
    """Ways that are not measured (any more), and why; native never for an ended job, which no other way could mend."""
    ended: dict[str, str] = field(default_factory=dict)
    """Ways that were measured as the job ended, and how it did."""
    rows: Rows = field(default_factory=Rows)
    """Of native and the best ways, calls in a row."""
    processors: Ticks | None = None
    """On a lab, the time of its processors while they were measured."""

    @property
    def native(self) -> float | None:
        """Native's median; None where it was not measured."""
        return median(self.seconds[NATIVE]) if self.seconds.get(NATIVE) else None


def growth(bytes_: int, other: int) -> float:
    """How many times as long a call of `other` bytes takes as one of fewer, where the network's rate rules."""
    return max(other / max(bytes_, _SMALL_BYTES), 1.0)


Prior = Callable[[str, Point], Estimate]
"""What is expected of a way at a point before anything is measured."""


def no_prior(_way: str, _point: Point) -> Estimate:
    """As fast as native, within a factor of 2."""
    return Estimate(0.0, 0.7)


class Known:
    """What is known of the points of a plan.

    `ways` are those of each collective, without native; `prior` has what is expected of them at first.
    """

    def __init__(self, plan: Plan, ways: Mapping[str, Sequence[str]], prior: Prior = no_prior) -> None:
        self.plan = plan
        self.ways = ways
        self.points: dict[Point, At] = {point: At() for point in plan}
        self._beliefs: dict[tuple[str, str], Belief] = {}
        self._offsets: dict[str, Offsets] = {}
        self._endings: Counter[tuple[Point, str, bool]] = Counter()
        """By point, way, and whether its calls were in a row; those after which it was measured like that are gone."""
        self.given_up: dict[tuple[str, str], str] = {}
        """Ways that are chosen at no point, and why, by collective."""
        for collective, names in ways.items():
            points = [point for point in plan if point.collective == collective]
            self._offsets[collective] = Offsets(points)
            members: dict[str, list[str]] = {}
            for way in names:
                members.setdefault(family(way), []).append(way)
            for name, alike in members.items():
                expected = {(way, point): prior(way, point) for way in alike for point in points}
                self._beliefs[collective, name] = Belief(alike, points, expected)

    def estimate(self, way: str, point: Point) -> Estimate:
        """The logarithm of the way's time over native's."""
        if way == NATIVE:
            return Estimate(0.0, 0.0)
        return self.points[point].rows.verdict(way) or self.behind_barriers(way, point)

    def behind_barriers(self, way: str, point: Point) -> Estimate:
        """The same without what calls in a row tell."""
        if way == NATIVE:
            return Estimate(0.0, 0.0)
        mean, deviation = self._beliefs[point.collective, family(way)].estimate(way, point)
        return Estimate(mean, deviation * self._offsets[point.collective].scale)

    def measured(self, point: Point) -> list[str]:
        """The ways that were measured at a point, native first, without those whose results were wrong."""
        at = self.points[point]
        return [way for way in at.seconds if way == NATIVE or way not in at.out]

    def is_of_few(self, way: str, point: Point) -> bool:
        """Whether a way, measured at a point, made too few calls there to rely on, behind barriers and in a row."""
        at = self.points[point]
        return Summary.of(at.seconds[way]).is_of_few and not at.rows.verdict(way)

    def best(self, point: Point) -> tuple[str, float]:
        """The fastest way that was measured, and the logarithm of its time over native's."""
        return min(((way, self.estimate(way, point).mean) for way in self.measured(point)), key=lambda one: one[1])

    @property
    def cells_measured(self) -> int:
        """How many ways were measured, summed over points."""
        return sum(len(at.seconds) for at in self.points.values())

    def native_call(self, point: Point) -> float:
        """Seconds expected of a native call: those at the nearest smaller size, scaled with bytes and ranks."""
        known = [
            (other, at.native)
            for other, at in self.points.items()
            if at.native is not None and other.collective == point.collective and other.bytes <= point.bytes
        ]
        if not known:
            return 0.0
        nearest, seconds = min(
            known,
            key=lambda one: (
                not one[0].is_spread_like(point),
                abs(math.log2(one[0].ranks / point.ranks)),
                point.bytes - one[0].bytes,
            ),
        )
        latency = _SMALLER_ALIKE if nearest.bytes < min(_SMALL_BYTES, point.bytes) else 1.0
        return seconds * latency * growth(nearest.bytes, point.bytes) * max(point.ranks / nearest.ranks, 1.0)

    def call(self, way: str, point: Point, native: float) -> float:
        """Seconds of a call that it takes at most, as far as is known, where native's takes so many."""
        estimate = self.estimate(way, point)
        return native * math.exp(estimate.mean + 2 * estimate.deviation)

    def excess(self, way: str, point: Point) -> float | None:
        """The way's time over that of the best at a point; None where it was not measured."""
        if way not in self.points[point].seconds:
            return None
        return math.exp(self.estimate(way, point).mean - self.best(point)[1])

    def learn(self, point: Point, times: Mapping[str, Sequence[float]]) -> None:
        """Takes in what ways took in one race, against native in the same race."""
        if not times.get(NATIVE):
            return
        native = Summary.of(times[NATIVE])
        offsets = self._offsets[point.collective]
        for way, seconds in times.items():
            if way == NATIVE or not seconds:
                continue
            self.points[point].races[way] = self.points[point].races.get(way, 0) + 1
            one = Summary.of(seconds)
            noise = native.deviation * math.sqrt(native.count / one.count)  # no way's calls scatter less for certain
            deviation = math.hypot(max(one.deviation, noise), native.deviation)
            seen = Estimate(math.log(one.median / native.median), deviation)
            belief = self._beliefs[point.collective, family(way)]
            surprise = belief.learn(way, point, seen)
            offsets.add(point, seen.mean - belief.expected(way, point), surprise)
        found = offsets.all()
        for (collective, _), belief in self._beliefs.items():
            if collective == point.collective:
                belief.expect(found)
        for other, at in self.points.items():
            if other.collective == point.collective and at.rows.spells:
                self.judge_rows(other)

    def is_open_in_row(self, way: str, point: Point) -> bool:
        """Whether more calls in a row would tell whether the choice at a point rests on them, by a measured way."""
        return self.points[point].rows.is_open(way, self.behind_barriers(way, point))

    def judge_rows(self, point: Point) -> None:
        """Tells whether the choice at a point rests on its calls in a row."""
        rows = self.points[point].rows
        others = [(way, self.behind_barriers(way, point)) for way in self.measured(point) if way != NATIVE]
        rows.count = any(rows.differs(*one) or rows.tells_more(*one) for one in others)

    def keep(self, line: Line) -> None:
        """Takes in an answer; what it tells of other ways and points, `learn` does."""
        at = self.points[line.point]
        if isinstance(line.answer, Times):
            self._endings.pop((line.point, line.way, line.in_row), None)
            seconds = [max(one, 1e-9) for one in line.answer.seconds]
            if line.in_row:
                at.rows.add(line.way, line.race, seconds)
            else:
                at.seconds.setdefault(line.way, []).extend(seconds)
            if line.answer.processors:
                at.processors = (at.processors or Ticks(0, 0)) + line.answer.processors
        elif isinstance(line.answer, Ended):
            at.ended[line.way] = f"while it was measured: {line.answer.why}"
            self._endings[line.point, line.way, line.in_row] += 1
            if line.way != NATIVE and self._endings_of(line.point.collective, line.way) >= _MOST_ENDINGS:
                self._give_up(line.point, line.way, "the job ended twice while it was measured, at last")
        else:
            at.out[line.way] = line.answer.why
            if line.answer == WRONG and line.way != NATIVE:
                self._give_up(line.point, line.way, line.answer.why)

    def _endings_of(self, collective: str, way: str) -> int:
        return sum(
            count
            for (point, ended, _), count in self._endings.items()
            if point.collective == collective and ended == way
        )

    def _give_up(self, where: Point, way: str, why: str) -> None:
        """Leaves a way out at all points, also where it was measured: what happened at one may happen there as well."""
        why = f"{why} at {human_bytes(where.bytes)} on {where.place}"
        self.given_up.setdefault((where.collective, way), why)
        for point, at in self.points.items():
            if point.collective == where.collective:
                at.out.setdefault(way, at.ended.get(way, why))
                if at.rows.spells:
                    self.judge_rows(point)

    def take_in(self, lines: Sequence[Line]) -> None:
        """What an earlier, interrupted run measured, race by race."""
        races: dict[tuple[int, Point], dict[str, list[float]]] = {}
        for line in lines:
            known = line.way == NATIVE or line.way in self.ways.get(line.point.collective, ())
            if line.point not in self.points or not known:
                continue
            self.keep(line)
            if isinstance(line.answer, Times) and not line.in_row:
                race = races.setdefault((line.race, line.point), {})
                race.setdefault(line.way, []).extend(max(one, 1e-9) for one in line.answer.seconds)
        for (_, point), times in races.items():
            self.learn(point, times)
        for point in self.points:
            self.judge_rows(point)
