"""Ways take turns at a point: in a race, native among them, or in spells of calls in a row, as programs make them."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from starling.tables.table import NATIVE
from starling.tuning.budget import Budget
from starling.tuning.job import Answer, Ended, Job, JobEndedError, Times
from starling.tuning.journal import Line, Log
from starling.tuning.known import Known
from starling.tuning.points import Point
from starling.tuning.rows import FEWEST_CALLS, SPELLS
from starling.tuning.samples import Summary

PRECISION = 0.05
"""A median is known well enough when its confidence interval is within this share of it to each side."""

HOPELESS = 2.5
"""A way that takes so many times as long as the best, and more so the nearer the point, is not measured there."""

_MOST_ROUNDS = 12
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
_DRIFT = 1.7
"""A spell may take that many times as long as one before, where ranks drift apart."""
_OVERHEAD_SECONDS = 0.004
"""Of a request, besides its calls, until it was measured."""


@dataclass(frozen=True)
class Progress:
    """How far a search is: seconds used of the budget, races so far, and what is measured now."""

    elapsed: float
    budget: float
    races: int
    measured: int
    point: Point
    ways: Sequence[str]


class Turns:
    """Measures ways at points in turn, and keeps what they took.

    `kept` are what an earlier, interrupted run measured; numbers of races go on behind its.
    """

    def __init__(
        self,
        known: Known,
        job: Job,
        budget: Budget,
        *,
        log: Log | None,
        kept: Sequence[Line],
        report: Callable[[Progress], None],
        everything: bool,
    ) -> None:
        self._known = known
        self._job = job
        self._budget = budget
        self._log = log
        self._report = report
        self._everything = everything
        self._dice = random.Random(1)  # noqa: S311 - the order of turns
        self._races = max((line.race for line in kept), default=0)
        self.endings = 0
        """How often the job has ended."""
        self.overhead = _OVERHEAD_SECONDS
        """Seconds of a request, besides its calls."""

    def race(self, point: Point, ways: Sequence[str], share: float) -> None:
        """Lets ways take turns at a point until their medians are known, or a share of the budget is used up."""
        at = self._known.points[point]
        contenders = [NATIVE, *ways]
        if at.native is not None and ways:
            best, _ = self._known.best(point)
            contenders += [best] if best not in contenders else []
        self._begin(point, contenders)
        times: dict[str, list[float]] = {way: [] for way in contenders}
        native = at.native or self._known.native_call(point)
        start, starting = self._budget.elapsed, 0.0
        running = list(contenders)
        for _ in range(_MOST_ROUNDS):
            for way in self._dice.sample(running, len(running)):
                call = median(times[way]) if times[way] else self._known.call(way, point, native)
                delay = self._job.delay(point, way)
                if 2 * call + delay + self.overhead > self._budget.left:
                    continue
                starting += delay
                fits = max(1, min(_MOST_CALLS, int(_VISIT_SECONDS / max(call, 1e-7))))
                answer = self._visit(point, way, fits if times[way] else max(1, fits // 4), call)
                if isinstance(answer, Times):
                    times[way] += answer.seconds
                else:
                    running.remove(way)
            running = self._still_open(running, times)
            if not running or self._budget.elapsed - start - starting > share or self._budget.left <= 0:
                break
        self._known.learn(point, times)
        self._end()

    def row_race(self, point: Point, ways: Sequence[str], share: float) -> None:
        """Rounds of spells, until it is clear whether they differ from calls behind barriers, or the share is used."""
        at = self._known.points[point]
        start = self._budget.elapsed
        contenders = [NATIVE, *ways]
        begun = False
        for number in itertools.count(min(len(at.rows.rounds(way)) for way in ways)):
            most = SPELLS[min(number, len(SPELLS) - 1)]
            call = {way: at.rows.seconds(way) or median(at.seconds[way]) for way in contenders}
            slowest = {way: at.rows.slowest(way) or call[way] for way in contenders}
            overhead = len(contenders) * self.overhead + sum(self._job.delay(point, way) for way in contenders)
            # Of the first round's time at least twice as much must be left for the second, which is longer.
            fits = (share - (self._budget.elapsed - start) - overhead) / sum(call.values()) / (3 if number == 0 else 1)
            fits_at_worst = (self._budget.left - overhead) / sum(slowest.values()) / _DRIFT
            calls = min(most, math.floor(min(fits, fits_at_worst)))
            if calls < FEWEST_CALLS:
                break
            if not begun:
                self._begin(point, contenders)
                begun = True
            for way in self._dice.sample(contenders, len(contenders)):
                if not isinstance(self._visit(point, way, calls, call[way], in_row=True), Times):
                    contenders.remove(way)
            if NATIVE not in contenders or len(contenders) == 1:
                break
            if not any(self._known.is_open_in_row(way, point) for way in contenders if way != NATIVE):
                break
        if begun:
            self._known.judge_rows(point)
            self._end()

    def _begin(self, point: Point, ways: Sequence[str]) -> None:
        self._races += 1
        measured = self._known.cells_measured
        self._report(Progress(self._budget.elapsed, self._budget.seconds, self._races, measured, point, ways))

    def _end(self) -> None:
        if self._log:
            self._log.ended(self._races, self._budget.elapsed)

    def _visit(self, point: Point, way: str, calls: int, call: float, *, in_row: bool = False) -> Answer:
        before, delay = self._budget.elapsed, self._job.delay(point, way)
        checked = not in_row and (way not in self._known.points[point].seconds or call < _LONG_CALL)
        patience = 30 + 30 * call * (calls + 1)
        try:
            answer = self._job.measure(point, way, calls, checked=checked, patience=patience, in_row=in_row)
        except JobEndedError as error:
            answer = Ended(str(error))
            self.endings += 1
        if isinstance(answer, Times) and not delay and not in_row:
            spent = self._budget.elapsed - before - sum(answer.seconds) * (calls + checked) / calls
            self.overhead += 0.1 * (max(spent, 0.0) - self.overhead)
        line = Line(self._races, point, way, answer, in_row)
        self._known.keep(line)
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
        return [way for way in running if way == NATIVE or way in still] if still and NATIVE in running else []
