"""What to measure next: ways take turns where the choice is least certain, and matters most for what it costs.

A race is a number of ways that are measured in turn at one point, native among them. Native is measured everywhere
first, as far as the budget goes; then each race is held where the expected improvement (Jones, Schonlau and Welch 1998,
equation 15) over the best way known there, times the weight of the point, is largest for the root of the seconds it
takes. By the seconds themselves points that take long would all come last; without them the first few would take all.

At last native and the best ways at each point take turns in spells of calls in a row, as programs make them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from starling.lab.idle import Ticks
from starling.tables.table import NATIVE
from starling.terminal.figures import human_bytes, human_seconds
from starling.tuning.belief import Belief, Estimate, Offsets, family
from starling.tuning.job import Answer, Job, JobEndedError, Refusal, Times
from starling.tuning.journal import Kept, Line, Log
from starling.tuning.points import Plan, Point
from starling.tuning.rows import FEWEST_CALLS, SPELLS, Rows
from starling.tuning.samples import Summary

PRECISION = 0.05
"""A median is known well enough when its confidence interval is within this share of it to each side."""

HOPELESS = 2.5
"""A way that takes so many times as long as the best, and more so the nearer the point, is not measured there."""
_HOPELESS_ALONE = 4.0
"""The same where only one neighbour was measured."""

_LEAST_GAIN = 0.004
"""Expected improvements below are not worth a race."""
_MOST_CONTENDERS = 2
_COMPARABLE = 0.3
"""Ways join a race whose value is at least this share of the first one's."""
_MOST_ROUNDS = 12
_MOST_RACES = 3
"""A way's at one point."""
_LOST = 1.25
"""A way whose confidence interval begins so far above the best one's end takes no more turns."""
_LOST_AT_ONCE = 1.8
"""The same for medians of some calls, before there is an interval; of fewer, HOPELESS."""
_CALLS_TO_LOSE = 3
_VISIT_SECONDS = 0.01
"""A turn has as many calls as fit into this."""
_MOST_CALLS = 20
_LONG_CALL = 0.05
"""Calls of so many seconds need none before them that is not timed."""
_OVERHEAD_SECONDS = 0.004
"""Of a request, besides its calls, until it was measured."""
_SHARE_OF_A_CALL = 0.03
"""Points are left out where one native call is expected, pessimistically, to take a larger share of the budget."""
_NATIVE_SHARE = 0.3
"""Of the budget, for measuring native everywhere."""
_UNKNOWN = 0.4
"""A larger deviation means that the way was measured at no point nearby."""
_RISK_OF_UNKNOWN = 10
"""Such a way's call may take this many times as long as predicted."""
_MOST_RISKED = 0.2
"""Of the budget that is left, by one call."""
_USED_UP = 0.05
"""Share of the budget that counts as nothing."""
_SMALL_BYTES = 4096
"""Up to this size a call's time grows little with the size,"""
_SMALLER_ALIKE = 4.0
"""by at most such a factor."""
_MOST_ENDINGS = 3
"""Ways that end the job, after which no more jobs are started."""
_PASSES = 3
"""Calls in a row come after the races; what they leave of the budget goes to races again, and to rows of the ways that
are the best by then."""
_ROW_SHARE = 0.15
"""Of the budget that is left when a pass begins, for calls in a row,"""
_ROW_SECONDS = 20.0
"""and for a point at most so long."""
_NEARLY_BEST = math.log(1.25)
"""So much slower than the best way besides native another one may be that is also called in a row."""
_OUT_OF_REACH = math.log(2.0)
"""Where all others take so much longer than native, calls in a row make none of them the best."""


def expected_improvement(best: float, estimate: Estimate) -> float:
    """The mean of max(0, best - value) for a normal value (Jones, Schonlau and Welch 1998, equation 15)."""
    mean, deviation = estimate
    if deviation <= 0:
        return max(best - mean, 0.0)
    z = (best - mean) / deviation
    density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return (best - mean) * (1 + math.erf(z / math.sqrt(2))) / 2 + deviation * density


@dataclass
class At:
    """All that is known of one point."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    """Of each way that was measured, of all its calls."""
    races: dict[str, int] = field(default_factory=dict)
    """How many races each way took part in."""
    out: dict[str, str] = field(default_factory=dict)
    """Ways that are not measured (any more), and why."""
    rows: Rows = field(default_factory=Rows)
    """Of native and the best ways, calls in a row."""
    processors: Ticks | None = None
    """On a lab, the time of its processors while they were measured."""

    @property
    def native(self) -> float | None:
        """Native's median; None where it was not measured."""
        return median(self.seconds[NATIVE]) if self.seconds.get(NATIVE) else None


@dataclass(frozen=True)
class Progress:
    """How far a search is: seconds used of the budget, races so far, and what is measured now."""

    elapsed: float
    budget: float
    races: int
    measured: int
    point: Point
    ways: Sequence[str]


Prior = Callable[[str, Point], Estimate]
"""What is expected of a way at a point before anything is measured."""


def no_prior(_way: str, _point: Point) -> Estimate:
    """As fast as native, within a factor of 2."""
    return Estimate(0.0, 0.7)


class Search:
    """A configuration phase: which points are measured with which ways, in which order, how often.

    Points of weight 0 are not measured: the table has what `kept` has of them. `ways` are those of each collective;
    `in_row` tells of which collectives calls in a row are compared too;
    `clock` tells seconds; `budget` is in seconds, None: without end. Everything that is measured is also kept in
    `log`; what `kept` has is taken for measured.
    """

    def __init__(
        self,
        plan: Plan,
        ways: Mapping[str, Sequence[str]],
        job: Job,
        *,
        clock: Callable[[], float],
        budget: float | None,
        log: Log | None = None,
        kept: Kept | None = None,
        prior: Prior = no_prior,
        refused: Callable[[str, Point], str] = lambda _way, _point: "",
        report: Callable[[Progress], None] = lambda _: None,
        everything: bool = False,
        in_row: Callable[[str], bool] = lambda _collective: False,
    ) -> None:
        self.plan = plan
        self._to_measure = sum(weight > 0 for weight in plan.values())
        self._ways = {name: [way for way in found if way != NATIVE] for name, found in ways.items()}
        self._job = job
        self._clock = clock
        self._budget = math.inf if budget is None else budget
        self._log = log
        self._refused = refused
        self._report = report
        self._everything = everything
        self._in_row = in_row
        self._reserved = 0.0
        self.points: dict[Point, At] = {point: At() for point in plan}
        self._not_measured: dict[tuple[str, int], list[tuple[int, float]]] = {}
        self._dice = random.Random(1)  # noqa: S311 - the order of turns
        self._races = 0
        self._endings = 0
        self._overhead = _OVERHEAD_SECONDS
        self._beliefs: dict[tuple[str, str], Belief] = {}
        self._offsets: dict[str, Offsets] = {}
        for collective, names in self._ways.items():
            points = [point for point in plan if point.collective == collective]
            self._offsets[collective] = Offsets(points)
            members: dict[str, list[str]] = {}
            for way in names:
                members.setdefault(family(way), []).append(way)
            for name, alike in members.items():
                expected = {(way, point): prior(way, point) for way in alike for point in points}
                self._beliefs[collective, name] = Belief(alike, points, expected)
        self._before = kept.elapsed if kept else 0.0
        self._take_in(kept.lines if kept else ())
        self._start = clock()

    # What is known

    def estimate(self, way: str, point: Point) -> Estimate:
        """The logarithm of the way's time over native's."""
        if way == NATIVE:
            return Estimate(0.0, 0.0)
        rows = self.points[point].rows
        if rows.count and (in_row := rows.ratio(way)):
            return in_row
        return self.behind_barriers(way, point)

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

    def best(self, point: Point) -> tuple[str, float]:
        """The fastest way that was measured, and the logarithm of its time over native's."""
        return min(((way, self.estimate(way, point).mean) for way in self.measured(point)), key=lambda one: one[1])

    def ways_at(self, point: Point) -> list[str]:
        """All ways that may still be measured at a point, without native."""
        out = self.points[point].out
        return [way for way in self._ways[point.collective] if way not in out]

    @property
    def cells_measured(self) -> int:
        """How many ways were measured, summed over points."""
        return sum(len(at.seconds) for at in self.points.values())

    @property
    def elapsed(self) -> float:
        """Seconds of the budget that are used up."""
        return self._before + self._clock() - self._start

    @property
    def used_up(self) -> bool:
        """Whether too little of the budget is left for anything but the shortest races."""
        return self._left < _USED_UP * self._budget

    @property
    def _left(self) -> float:
        return self._budget - self.elapsed - self._reserved

    # The loop

    def run(self) -> None:
        """Measures until nothing is worth its time, or the budget is used up."""
        for point in self._natives():
            self._race(point, [])
        for _ in range(_PASSES):
            for_rows = _ROW_SHARE * self._left if math.isfinite(self._budget) else math.inf
            self._reserved = for_rows if math.isfinite(for_rows) and self._row_points() else 0.0
            while self._endings < _MOST_ENDINGS and (found := self._next()):
                self._race(*found)
            self._reserved = 0.0
            self._rows(min(for_rows, self._left))

    @property
    def notes(self) -> list[str]:
        """Sentences for people about what could not be measured, one for each collective and number of ranks."""
        found = []
        for (collective, ranks), points in self._not_measured.items():
            sizes = [human_bytes(one) for one in dict.fromkeys((points[0][0], points[-1][0]))]
            seconds = [call for _, call in points]
            calls = [human_seconds(one) for one in dict.fromkeys((min(seconds), max(seconds)))]
            counted = f", {len(points)} sizes," if len(points) > 1 else ""
            found.append(
                f"{collective} of {' to '.join(sizes)} on {ranks} ranks{counted} was not measured: "
                f"a call is expected to take {' to '.join(calls)}, too long for the budget"
            )
        if self._endings >= _MOST_ENDINGS:
            found.append(f"measuring ended early: {_MOST_ENDINGS} ways ended the job")
        return found

    def _natives(self) -> Iterator[Point]:
        """The points where native is to be measured, small sizes first: they tell what larger ones will take."""
        for point in sorted(self.plan, key=lambda one: (one.bytes, one.ranks, one.collective)):
            if self.points[point].native is not None:
                continue
            call = self._native_call(point)
            turn = 2 * call + self._overhead
            late = self.elapsed > _NATIVE_SHARE * self._budget
            if turn > self._left or call > (_SHARE_OF_A_CALL / 10 if late else _SHARE_OF_A_CALL) * self._budget:
                self._not_measured.setdefault((point.collective, point.ranks), []).append((point.bytes, call))
                continue
            yield point

    def _native_call(self, point: Point) -> float:
        """Seconds expected of a native call: those at the nearest smaller size, scaled with bytes and ranks."""
        known = [
            (other, at.native)
            for other, at in self.points.items()
            if at.native is not None and other.collective == point.collective and other.bytes <= point.bytes
        ]
        if not known:
            return 0.0
        nearest, seconds = min(
            known, key=lambda one: (abs(math.log2(one[0].ranks / point.ranks)), point.bytes - one[0].bytes)
        )
        latency = _SMALLER_ALIKE if nearest.bytes < min(_SMALL_BYTES, point.bytes) else 1.0
        grown = max(point.bytes / max(nearest.bytes, _SMALL_BYTES), 1.0)
        return seconds * latency * grown * max(point.ranks / nearest.ranks, 1.0)

    def _next(self) -> tuple[Point, list[str]] | None:
        """The point of the next race, and its ways; None where no race is worth its time, or none fits."""
        best_value = 0.0
        found: tuple[Point, list[str]] | None = None
        for point in self.points:
            chosen: list[str] = []
            least = best_value
            for value, way in sorted(self._values(point), reverse=True):
                if value <= least or len(chosen) == _MOST_CONTENDERS:
                    break
                if self._tells_nothing_more(way, chosen) or self._leaves_out(way, point):
                    continue
                if not chosen:
                    best_value, least = value, _COMPARABLE * value
                chosen.append(way)
            if chosen:
                found = (point, chosen)
        return found

    def _values(self, point: Point) -> Iterator[tuple[float, str]]:
        """The ways that may be measured at a point, each with the gain expected of that for the root of its seconds."""
        at = self.points[point]
        native = at.native
        if native is None:
            return
        winner, best = self.best(point)
        for way in self._ways[point.collective]:
            if way in at.out or way == winner or at.races.get(way, 0) >= (1 if self._everything else _MOST_RACES):
                continue
            estimate = self.estimate(way, point)
            gain = 1.0 if self._everything else expected_improvement(best, estimate)
            seconds = 3 * native * math.exp(estimate.mean + estimate.deviation**2 / 2) + self._overhead
            seconds += self._job.delay(point, way)
            # A way that is 10 times as slow as any other must not be found out at a size where that takes long.
            risk = self._call(way, point, native) * (_RISK_OF_UNKNOWN if estimate.deviation > _UNKNOWN else 1)
            if gain >= _LEAST_GAIN and seconds + 2 * native <= self._left and risk <= _MOST_RISKED * self._left:
                yield gain * self.plan[point] / math.sqrt(seconds), way

    def _tells_nothing_more(self, way: str, chosen: Sequence[str]) -> bool:
        """Whether a race already has a way of the same family: what that takes decides whether this one is next."""
        return not self._everything and family(way) in map(family, chosen)

    def _leaves_out(self, way: str, point: Point) -> bool:
        """Whether a way is refused or hopeless at a point; it is then not asked for again."""
        at = self.points[point]
        if way in at.seconds:
            return False
        why = self._refused(way, point) or ("" if self._everything else self._hopeless(way, point))
        if why:
            at.out[way] = why
        return bool(why)

    def _hopeless(self, way: str, point: Point) -> str:
        """Why a way has no chance at a point, by what it took at the neighbours; empty if it may have one."""
        alike = [other for other in self.plan if other.collective == point.collective]
        of_size = sorted((one for one in alike if one.ranks == point.ranks), key=lambda one: one.bytes)
        of_ranks = sorted((one for one in alike if one.bytes == point.bytes), key=lambda one: one.ranks)
        for row in (of_size, of_ranks):
            at = row.index(point)
            for towards in (row[:at][::-1], row[at + 1 :]):
                behind = [self._excess(way, other) for other in towards[:2]]
                if not behind or behind[0] is None:
                    continue
                further = behind[1] if len(behind) > 1 else None
                if further is None:
                    worse = behind[0] > _HOPELESS_ALONE
                else:
                    worse = behind[0] > HOPELESS and behind[0] >= further
                if worse:
                    near = towards[0]
                    return f"{behind[0]:.1f} times the best of {near.bytes} bytes on {near.ranks} ranks, getting worse"
        return ""

    def _excess(self, way: str, point: Point) -> float | None:
        """The way's time over that of the best at a point; None where it was not measured."""
        if way not in self.points[point].seconds:
            return None
        return math.exp(self.estimate(way, point).mean - self.best(point)[1])

    # Races

    def _race(self, point: Point, ways: Sequence[str]) -> None:
        """Lets ways take turns at a point until their medians are known, or a share of the budget is used up."""
        at = self.points[point]
        contenders = [NATIVE, *ways]
        if at.native is not None and ways:
            best, _ = self.best(point)
            contenders += [best] if best not in contenders else []
        self._races += 1
        self._report(Progress(self.elapsed, self._budget, self._races, self.cells_measured, point, contenders))
        times: dict[str, list[float]] = {way: [] for way in contenders}
        native = at.native or self._native_call(point)
        start, starting = self.elapsed, 0.0
        share = (2.0 if ways else _NATIVE_SHARE) * self._left / self._to_measure
        running = list(contenders)
        for _ in range(_MOST_ROUNDS):
            for way in self._dice.sample(running, len(running)):
                call = median(times[way]) if times[way] else self._call(way, point, native)
                delay = self._job.delay(point, way)
                if 2 * call + delay + self._overhead > self._left:
                    continue
                starting += delay
                fits = max(1, min(_MOST_CALLS, int(_VISIT_SECONDS / max(call, 1e-7))))
                answer = self._visit(point, way, fits if times[way] else max(1, fits // 4), call)
                if isinstance(answer, Times):
                    times[way] += answer.seconds
                else:
                    running.remove(way)
            running = self._still_open(running, times)
            if not running or self.elapsed - start - starting > share or self._left <= 0:
                break
        self._learn(point, times)
        if self._log:
            self._log.ended(self._races, self.elapsed)

    # Calls in a row

    def _row_points(self) -> list[Point]:
        """Where ways may be called in a row, small sizes first."""
        return [
            point
            for point in sorted(self.plan, key=lambda one: (one.bytes, one.ranks, one.collective))
            if self._in_row(point.collective) and self.plan[point] > 0 and self.points[point].native is not None
        ]

    def _rows(self, seconds: float) -> None:
        """Lets native and the best ways take turns in calls in a row, as far as the seconds go."""
        end = self.elapsed + seconds
        points = [point for point in self._row_points() if self._to_call_in_row(point)]
        for done, point in enumerate(points):
            share = min((end - self.elapsed) / (len(points) - done), _ROW_SECONDS)
            if self._endings < _MOST_ENDINGS and (ways := self._to_call_in_row(point)):
                self._row_race(point, ways, share)

    def _to_call_in_row(self, point: Point) -> list[str]:
        """The best way besides native, and another algorithm that is nearly as good; none if these are known."""
        known = {way: self.estimate(way, point).mean for way in self.measured(point) if way != NATIVE}
        first, *others = sorted(known, key=lambda way: known[way]) or [NATIVE]
        if first == NATIVE or known[first] > _OUT_OF_REACH or self.points[point].rows.ratio(first):
            return []
        nearly = known[first] + _NEARLY_BEST
        return [first, *[way for way in others if family(way) != family(first) and known[way] <= nearly][:1]]

    def _row_race(self, point: Point, ways: Sequence[str], share: float) -> None:
        """Rounds of spells, until it is clear whether they differ from calls behind barriers, or the share is used."""
        at = self.points[point]
        start = self.elapsed
        contenders = [NATIVE, *ways]
        known = {way: self.behind_barriers(way, point) for way in ways}
        self._races += 1
        self._report(Progress(self.elapsed, self._budget, self._races, self.cells_measured, point, contenders))
        for number, most in enumerate(SPELLS):
            call = {way: at.rows.seconds(way) or median(at.seconds[way]) for way in contenders}
            overhead = len(contenders) * self._overhead + sum(self._job.delay(point, way) for way in contenders)
            # Of the first round's time at least twice as much must be left for the second, which is longer.
            fits = (share - (self.elapsed - start) - overhead) / sum(call.values()) / (3 if number == 0 else 1)
            calls = min(most, math.floor(fits))
            if calls < FEWEST_CALLS:
                break
            for way in self._dice.sample(contenders, len(contenders)):
                if isinstance(self._visit(point, way, calls, call[way], in_row=True), Refusal):
                    contenders.remove(way)
            if NATIVE not in contenders or len(contenders) == 1:
                break
            if not at.rows.is_open({way: known[way] for way in contenders if way != NATIVE}):
                break
        self._judge_rows(point)
        if self._log:
            self._log.ended(self._races, self.elapsed)

    def _judge_rows(self, point: Point) -> None:
        rows = self.points[point].rows
        rows.count = any(
            rows.differs(way, self.behind_barriers(way, point)) for way in self.measured(point) if way != NATIVE
        )

    def _call(self, way: str, point: Point, native: float) -> float:
        estimate = self.estimate(way, point)
        return native * math.exp(estimate.mean + 2 * estimate.deviation)

    def _visit(self, point: Point, way: str, calls: int, call: float, *, in_row: bool = False) -> Answer:
        before, delay = self.elapsed, self._job.delay(point, way)
        checked = not in_row and (way not in self.points[point].seconds or call < _LONG_CALL)
        patience = 30 + 30 * call * (calls + 1)
        try:
            answer = self._job.measure(point, way, calls, checked=checked, patience=patience, in_row=in_row)
        except JobEndedError as error:
            answer = Refusal(f"while it was measured: {error}")
            self._endings += 1
        if isinstance(answer, Times) and not delay and not in_row:
            spent = self.elapsed - before - sum(answer.seconds) * (calls + checked) / calls
            self._overhead += 0.1 * (max(spent, 0.0) - self._overhead)
        line = Line(self._races, point, way, answer, in_row)
        self._keep(line)
        if self._log:
            self._log.add(line)
        return answer

    def _still_open(self, running: Sequence[str], times: Mapping[str, Sequence[float]]) -> list[str]:
        """The ways whose medians are not known well enough yet, and that have not lost; native as long as any is."""
        known = {way: Summary.of(times[way]) for way in running if times[way]}
        if not known:
            return list(running)
        best = min(known.values(), key=lambda one: one.median)

        def is_open(way: str) -> bool:
            one = known.get(way)
            if one is None:
                return True
            at_once = _LOST_AT_ONCE if one.count >= _CALLS_TO_LOSE else HOPELESS
            may_lose = way != NATIVE and (not self._everything or one.count >= _CALLS_TO_LOSE)
            if may_lose and one.half_width is None and one.median > at_once * best.median:
                return False
            if way != NATIVE and one.half_width is not None and one.low > _LOST * best.high:
                return False
            return not one.is_narrow(PRECISION)

        still = [way for way in running if is_open(way)]
        return [NATIVE, *(way for way in still if way != NATIVE)] if still else []

    def _learn(self, point: Point, times: Mapping[str, Sequence[float]]) -> None:
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

    def _keep(self, line: Line) -> None:
        at = self.points[line.point]
        if isinstance(line.answer, Times):
            seconds = [max(one, 1e-9) for one in line.answer.seconds]
            if line.in_row:
                at.rows.add(line.way, line.race, seconds)
            else:
                at.seconds.setdefault(line.way, []).extend(seconds)
            if line.answer.processors:
                at.processors = (at.processors or Ticks(0, 0)) + line.answer.processors
        else:
            at.out[line.way] = line.answer.why

    def _take_in(self, lines: Sequence[Line]) -> None:
        """What an earlier, interrupted run measured, race by race."""
        races: dict[tuple[int, Point], dict[str, list[float]]] = {}
        for line in lines:
            self._races = max(self._races, line.race)
            known = line.way == NATIVE or line.way in self._ways.get(line.point.collective, ())
            if line.point not in self.points or not known:
                continue
            self._keep(line)
            if isinstance(line.answer, Times) and not line.in_row:
                race = races.setdefault((line.race, line.point), {})
                race.setdefault(line.way, []).extend(max(one, 1e-9) for one in line.answer.seconds)
        for (_, point), times in races.items():
            self._learn(point, times)
        for point in self.points:
            self._judge_rows(point)
