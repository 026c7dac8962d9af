"""From measured times to intervals of sizes: curves of ways, where they cross, and which crossings are worth having.

At each measured size a way has an estimate of its time against native's. One way is chosen for each size so that in all
it costs least to choose it: what is lost against the best way there for certain, and a little for each change of way.
So an interval vanishes in which no way is significantly better than its neighbours. Then the size at which two
neighbouring ways cross is found between the measured sizes, on straight lines between the points of their curves over
the logarithm of the size.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from starling.tables.table import NATIVE, SLOWER
from starling.tuning.belief import Estimate

_CERTAIN = 1.64
"""Deviations of a difference from which on it is no accident (a one-sided test at 5 %)."""
_UNCERTAIN_LOSS = 0.1
"""What a loss that may be an accident counts."""
_FOREIGN = 0.004
"""What it costs not to be native: it is preferred where nothing else tells."""
_CHANGE = 0.02
"""What a change of way costs, as the logarithm of a time at one size."""
_BEYOND = 4
"""A choice reaches so many times as far as the sizes that were measured."""
_SMALL = 64
"""The choice for a smallest measured size up to this holds for all smaller ones: latency rules there."""


@dataclass(frozen=True)
class Curve:
    """A way's estimates at each size; None where it can't serve or nothing is known. `measured`: at which it was."""

    estimates: Sequence[Estimate | None]
    measured: Sequence[bool]
    of_few: Collection[int] = ()
    """The sizes, of those measured, at which it made few calls."""

    def usable(self, at: int) -> bool:
        """Whether it was measured there, or on both sides and nothing speaks against it in between."""
        if self.estimates[at] is None:
            return False
        return self.measured[at] or (any(self.measured[:at]) and any(self.measured[at + 1 :]))


@dataclass(frozen=True)
class Span:
    """A way for the sizes with the indices `first` to `last`, from `start` bytes to below `end` (None: no end)."""

    way: str
    first: int
    last: int
    start: int
    end: int | None
    crossing: bool
    """Whether `start` is where its curve crosses the one before."""


def costs(curves: Mapping[str, Curve], at: int) -> dict[str, float]:
    """What it costs to choose each way at one size; infinite where it must not be."""
    known = {way: curve.estimates[at] for way, curve in curves.items() if curve.usable(at)}
    best = min((one for way, one in known.items() if one and curves[way].measured[at]), default=Estimate(0.0, 0.0))
    found: dict[str, float] = {}
    for way in curves:
        one = known.get(way)
        doubts = _CERTAIN if at in curves[way].of_few else 0.0 if curves[way].measured[at] else 1.0
        if one is None or (way != NATIVE and one.mean + doubts * one.deviation > math.log(SLOWER)):
            found[way] = math.inf
            continue
        loss = max(one.mean - best.mean, 0.0)
        certain = max(loss - _CERTAIN * math.hypot(one.deviation, best.deviation), 0.0)
        found[way] = certain + _UNCERTAIN_LOSS * loss + (0 if way == NATIVE else _FOREIGN)
    return found


def chosen(curves: Mapping[str, Curve]) -> list[str]:
    """The way for each size: the choice of least cost in all, by dynamic programming over sizes."""
    number = len(curves[NATIVE].estimates)
    totals = costs(curves, 0)
    origins: list[dict[str, str]] = []
    for at in range(1, number):
        cheapest = min(totals, key=lambda way: totals[way])
        origin = {way: way if totals[way] <= totals[cheapest] + _CHANGE else cheapest for way in curves}
        totals = {
            way: cost + totals[origin[way]] + (_CHANGE if origin[way] != way else 0)
            for way, cost in costs(curves, at).items()
        }
        origins.append(origin)
    way = min(totals, key=lambda one: totals[one])
    found = [way]
    for origin in reversed(origins):
        way = origin[way]
        found.append(way)
    return found[::-1]


def crossing(sizes: tuple[int, int], before: Curve, after: Curve, at: int) -> tuple[int, bool]:
    """The size from which on `after` is the faster one, between two sizes, at indices `at` and `at + 1`.

    And whether the curves really cross there; the geometric mean of the sizes stands in where they do not.
    """
    low, high = (math.log2(max(size, 1)) for size in sizes)
    ends = [(before.estimates[i], after.estimates[i]) for i in (at, at + 1)]
    share, real = 0.5, False
    if all(one is not None and other is not None for one, other in ends):
        first, second = (one.mean - other.mean for one, other in ends if one is not None and other is not None)
        if first < 0 < second:
            share, real = first / (first - second), True
    size = round(2 ** (low + share * (high - low)))
    return min(max(size, sizes[0] + 1), sizes[1]), real


def spans(sizes: Sequence[int], curves: Mapping[str, Curve]) -> list[Span]:
    """The intervals of one collective on one shape, over ascending sizes; native's curve must be there."""
    ways = chosen(curves)
    starts = [0, *(i for i in range(1, len(ways)) if ways[i] != ways[i - 1]), len(ways)]
    found: list[Span] = []
    for first, behind in pairwise(starts):
        way = ways[first]
        if found:
            start, real = crossing((sizes[first - 1], sizes[first]), curves[ways[first - 1]], curves[way], first - 1)
        else:
            start, real = (0 if sizes[0] <= _SMALL or way == NATIVE else sizes[0] // _BEYOND), False
        if found:
            last = found.pop()
            found.append(Span(last.way, last.first, last.last, last.start, start, last.crossing))
        beyond = None if way == NATIVE or sizes[-1] == 0 else _BEYOND * sizes[-1]
        found.append(Span(way, first, behind - 1, start, beyond, real))
    return found
