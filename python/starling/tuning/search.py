"""What to measure next: ways take turns where the choice is least certain, and matters most for what it costs.

A race is a number of ways that are measured in turn at one point, native among them. Native is measured everywhere
first, as far as the budget goes; then each race is held where the expected improvement (Jones, Schonlau and Welch 1998,
equation 15) over the best way known there, times the weight of the point, is largest for the root of the seconds it
takes. By the seconds themselves points that take long would all come last; without them the first few would take all.

At last native and the best ways at each point take turns in spells of calls in a row, as programs make them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from starling.tables.table import NATIVE
from starling.terminal.figures import human_bytes, human_seconds
from starling.tuning.belief import Estimate, family
from starling.tuning.budget import Budget
from starling.tuning.job import Job
from starling.tuning.journal import Kept, Log
from starling.tuning.known import Known, Prior, no_prior
from starling.tuning.points import Plan, Point
from starling.tuning.turns import HOPELESS, Progress, Turns

_HOPELESS_ALONE = 4.0
"""As HOPELESS, where only one neighbour was measured."""
_LEAST_GAIN = 0.004
"""Expected improvements below are not worth a race."""
_MOST_CONTENDERS = 2
_COMPARABLE = 0.3
"""Ways join a race whose value is at least this share of the first one's."""
_MOST_RACES = 3
"""A way's at one point."""
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
_MOST_ENDINGS = 3
"""Of the job, after which it is not started again."""
_PASSES = 3
"""Calls in a row come after the races; what they leave of the budget goes to races again, and to rows of the ways that
are the best by then."""
_CONFIRMING_SHARE = 0.15
"""Of the budget that is left when a pass begins, for more calls of the best ways that made few."""
_ROW_SHARE = 0.15
"""Of the budget that is left when a pass begins, for calls in a row, and at last all that nothing else needs;"""
_ROW_SECONDS = 20.0
"""each time so long for a point at most."""
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
        self._to_measure = sum(weight > 0 for weight in plan.values())
        self._job = job
        self._refused = refused
        self._everything = everything
        self._in_row = in_row
        self._not_measured: dict[tuple[str, str], list[tuple[int, float]]] = {}
        others = {name: [way for way in found if way != NATIVE] for name, found in ways.items()}
        self.known = Known(plan, others, prior)
        lines = kept.lines if kept else ()
        self.known.take_in(lines)
        self.budget = Budget(budget, clock, kept.elapsed if kept else 0.0)
        self._turns = Turns(self.known, job, self.budget, log=log, kept=lines, report=report, everything=everything)

    # The loop

    def run(self) -> None:
        """Measures until nothing is worth its time, or the budget is used up."""
        for point in self._natives():
            self._turns.race(point, [], _NATIVE_SHARE * self.budget.left / self._to_measure)
        for _ in range(_PASSES):
            for_rows = _ROW_SHARE * self.budget.left
            reserved = for_rows if self.budget.is_finite and self._row_points() else 0.0
            confirming = _CONFIRMING_SHARE * self.budget.left if self.budget.is_finite else 0.0
            self.budget.reserved = reserved + confirming
            while self._turns.endings < _MOST_ENDINGS and (found := self._next()):
                self._turns.race(*found, 2.0 * self.budget.left / self._to_measure)
            self.budget.reserved = reserved
            self._confirm()
            self.budget.reserved = 0.0
            self._rows(min(for_rows, self.budget.left))
        self._rows(self.budget.left)

    @property
    def notes(self) -> list[str]:
        """Sentences for people about ways that are chosen nowhere, and about what could not be measured."""
        found = []
        for (collective, place), points in self._not_measured.items():
            sizes = [human_bytes(one) for one in dict.fromkeys((points[0][0], points[-1][0]))]
            seconds = [call for _, call in points]
            calls = [human_seconds(one) for one in dict.fromkeys((min(seconds), max(seconds)))]
            counted = f", {len(points)} sizes," if len(points) > 1 else ""
            why = f"a call is expected to take {' to '.join(calls)}, too long for the budget"
            if not max(seconds):  # nothing was measured by which to expect anything
                why = "the budget was used up before"
            found.append(f"{collective} of {' to '.join(sizes)} on {place}{counted} was not measured: {why}")
        for (collective, place, why), refused in self._natives_missing().items():
            of = " to ".join(dict.fromkeys(map(human_bytes, (refused[0], refused[-1]))))
            found.append(f"{collective} of {of} on {place} was not measured: {NATIVE}: {why}")
        for (collective, way), why in self.known.given_up.items():
            found.append(f"{collective}:{way} is chosen at no size: {why}")
        if self._turns.endings >= _MOST_ENDINGS:
            found.append(f"measuring ended early: the job ended {self._turns.endings} times; the same command goes on")
        return found

    def _natives_missing(self) -> dict[tuple[str, str, str], list[int]]:
        """Sizes at which native was refused, or the job ended, and never measured: by collective, ranks and reason."""
        found: dict[tuple[str, str, str], list[int]] = {}
        for point in self._small_first():
            at = self.known.points[point]
            why = at.out.get(NATIVE) or at.ended.get(NATIVE)
            if at.native is None and why:
                found.setdefault((point.collective, point.place, why), []).append(point.bytes)
        return found

    @property
    def lacks_time(self) -> bool:
        """Whether something was worth measuring, had the budget had time for it."""
        if not self.budget.is_finite or self._turns.endings >= _MOST_ENDINGS:
            return False
        return any(
            not self._why_left_out(way, point)
            for point, weight in self.known.plan.items()
            if weight > 0
            for _, way in self._values(point, math.inf)
        )

    def _small_first(self) -> list[Point]:
        return sorted(self.known.plan, key=lambda one: (one.bytes, one.ranks, one.collective))

    def _natives(self) -> Iterator[Point]:
        """The points where native is to be measured, small sizes first: they tell what larger ones will take.

        At last again those at which the job ended.
        """
        yield from self._without_native(self._small_first())
        yield from self._without_native([one for one in self._small_first() if NATIVE in self.known.points[one].ended])

    def _without_native(self, points: Sequence[Point]) -> Iterator[Point]:
        """Those of the points at which native is not known, and a call of it does not take too long."""
        for point in points:
            if self._turns.endings >= _MOST_ENDINGS:
                return
            if self.known.points[point].native is not None:
                continue
            call = self.known.native_call(point)
            turn = 2 * call + self._turns.overhead
            late = self.budget.elapsed > _NATIVE_SHARE * self.budget.seconds
            most = (_SHARE_OF_A_CALL / 10 if late else _SHARE_OF_A_CALL) * self.budget.seconds
            if turn > self.budget.left or call > most:
                self._not_measured.setdefault((point.collective, point.place), []).append((point.bytes, call))
                continue
            yield point

    def _next(self) -> tuple[Point, list[str]] | None:
        """The point of the next race, and its ways; None where no race is worth its time, or none fits."""
        best_value = 0.0
        found: tuple[Point, list[str]] | None = None
        for point in self.known.points:
            chosen: list[str] = []
            least = best_value
            for value, way in sorted(self._values(point, self.budget.left), reverse=True):
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

    def _values(self, point: Point, left: float) -> Iterator[tuple[float, str]]:
        """The ways that may be measured at a point in the seconds that are left.

        Each comes with the gain expected of that for the root of its seconds.
        """
        at = self.known.points[point]
        native = at.native
        if native is None or NATIVE in at.out:
            return
        winner, best = self.known.best(point)
        for way in self.known.ways[point.collective]:
            if way in at.out or way == winner or at.races.get(way, 0) >= (1 if self._everything else _MOST_RACES):
                continue
            if at.rows.verdict(way):  # calls behind barriers would not change it
                continue
            estimate = self.known.estimate(way, point)
            gain = 1.0 if self._everything else expected_improvement(best, estimate)
            seconds = 3 * native * math.exp(estimate.mean + estimate.deviation**2 / 2) + self._turns.overhead
            seconds += self._job.delay(point, way)
            # A way that is 10 times as slow as any other must not be found out at a size where that takes long.
            risk = self.known.call(way, point, native) * (_RISK_OF_UNKNOWN if estimate.deviation > _UNKNOWN else 1)
            if gain >= _LEAST_GAIN and seconds + 2 * native <= left and risk <= _MOST_RISKED * left:
                yield gain * self.known.plan[point] / math.sqrt(seconds), way

    def _tells_nothing_more(self, way: str, chosen: Sequence[str]) -> bool:
        """Whether a race already has a way of the same family: what that takes decides whether this one is next."""
        return not self._everything and family(way) in map(family, chosen)

    def _leaves_out(self, way: str, point: Point) -> bool:
        """Whether a way is refused or hopeless at a point; it is then not asked for again."""
        why = self._why_left_out(way, point)
        if why:
            self.known.points[point].out[way] = why
        return bool(why)

    def _why_left_out(self, way: str, point: Point) -> str:
        if way in self.known.points[point].seconds:
            return ""
        return self._refused(way, point) or ("" if self._everything else self._hopeless(way, point))

    def _hopeless(self, way: str, point: Point) -> str:
        """Why a way has no chance at a point, by what it took at the neighbours; empty if it may have one."""
        alike = [other for other in self.known.plan if other.collective == point.collective]
        of_size = sorted((one for one in alike if one.place == point.place), key=lambda one: one.bytes)
        of_bytes = [one for one in alike if one.bytes == point.bytes and one.is_spread_like(point)]
        of_ranks = sorted(of_bytes, key=lambda one: one.ranks)
        for row in (of_size, of_ranks):
            at = row.index(point)
            for towards in (row[:at][::-1], row[at + 1 :]):
                behind = [self.known.excess(way, other) for other in towards[:2]]
                if not behind or behind[0] is None:
                    continue
                further = behind[1] if len(behind) > 1 else None
                if further is None:
                    worse = behind[0] > _HOPELESS_ALONE
                else:
                    worse = behind[0] > HOPELESS and behind[0] >= further
                if worse:
                    near = towards[0]
                    return f"{behind[0]:.1f} times the best of {near.bytes} bytes on {near.place}, getting worse"
        return ""

    def _confirm(self) -> None:
        """Lets the best way of each point take turns with native until it has made enough calls, short calls first."""
        natives = {point: at.native for point, at in self.known.points.items() if at.native and NATIVE not in at.out}
        for point in sorted(natives, key=lambda one: natives[one]):
            while way := self._to_confirm(point):
                before = len(self.known.points[point].seconds[way])
                self._turns.race(point, [way], 0.0)
                if len(self.known.points[point].seconds[way]) == before:
                    break

    def _to_confirm(self, point: Point) -> str | None:
        """The best way at a point, if it made few calls; None for native."""
        if self.known.plan[point] == 0 or self.budget.left <= 0 or self._turns.endings >= _MOST_ENDINGS:
            return None
        way, _ = self.known.best(point)
        return way if way != NATIVE and self.known.is_of_few(way, point) else None

    # Calls in a row

    def _row_points(self) -> list[Point]:
        """Where ways may be called in a row, small sizes first."""
        return [
            point
            for point in self._small_first()
            if self._in_row(point.collective)
            and self.known.plan[point] > 0
            and self.known.points[point].native is not None
            and NATIVE not in self.known.points[point].out
        ]

    def _rows(self, seconds: float) -> None:
        """Lets native and the best ways take turns in calls in a row, as far as the seconds go."""
        end = self.budget.elapsed + seconds
        points = [point for point in self._row_points() if self._to_call_in_row(point)]
        for done, point in enumerate(points):
            share = min((end - self.budget.elapsed) / (len(points) - done), _ROW_SECONDS)
            if self._turns.endings < _MOST_ENDINGS and (ways := self._to_call_in_row(point)):
                self._turns.row_race(point, ways, share)

    def _to_call_in_row(self, point: Point) -> list[str]:
        """The best way besides native, and another algorithm that is nearly as good, as far as they are not known."""
        known = {way: self.known.estimate(way, point).mean for way in self.known.measured(point) if way != NATIVE}
        first, *others = sorted(known, key=lambda way: known[way]) or [NATIVE]
        if first == NATIVE or known[first] > _OUT_OF_REACH:
            return []
        nearly = known[first] + _NEARLY_BEST
        best = [first, *[way for way in others if family(way) != family(first) and known[way] <= nearly][:1]]
        return [way for way in best if self.known.is_open_in_row(way, point)]
