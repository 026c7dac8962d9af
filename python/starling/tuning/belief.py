"""What is known of the times of ways that were not measured: a Gaussian process over sizes, ranks and parameters.

The values are logarithms of a way's time divided by native's at the same point. Ways of one algorithm, which differ in
parameters only, are a family: what one of them takes tells of the others, and what it takes at one size of its
neighbours. The covariance of two cells falls exponentially with their distance in each direction (a process that
interpolates piecewise, and whose uncertainty grows with the distance from what was measured: Rasmussen and Williams,
Gaussian Processes for Machine Learning, 2006, section 4.2.1). All cells are kept together, so that a measurement is
one rank-one update (their equation 2.19 for one value).

What is expected of all ways at a point may be wrong by a common amount, as nothing tells how fast native is. It is
estimated from what was measured there and at the neighbours, and then taken for known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from starling.tuning.points import Point

_DOUBLINGS_OF_BYTES = 6.0
"""Distance in doublings of the size at which the correlation is 1/e."""
_DOUBLINGS_OF_RANKS = 3.0
_SPREAD_OTHERWISE = 0.5
"""Correlation of a way on ranks that are spread otherwise among nodes."""
_SAME_VALUE_APART = 0.85
"""Correlation of two ways that differ in one parameter that is no number, or as far as can be."""
_DOUBLINGS_OF_VALUE = 4.0
_NO_OFFSET_WEIGHT = 0.3
"""Weight, in measurements, of the expectation that there is no offset."""
_FARTHEST = 2.5
_FARTHEST_DEVIATIONS = 4.0
_CALIBRATION_WEIGHT = 4.0
"""Weight, in measurements, of the deviations that were expected at first."""
_NEGLIGIBLE = 1e-3
"""Correlations below are taken for 0, which keeps an update short."""


class Estimate(NamedTuple):
    """The logarithm of a way's time over native's, and its standard deviation."""

    mean: float
    deviation: float


def family(way: str) -> str:
    """The name without parameters."""
    return way.partition("?")[0]


def parameters(way: str) -> dict[str, str]:
    """The values of a way's parameters."""
    _, _, bound = way.partition("?")
    return dict(item.partition("=")[::2] for item in bound.split(",")) if bound else {}


def _value_correlation(one: str, other: str) -> float:
    if one == other:
        return 1.0
    if one.isdecimal() and other.isdecimal() and int(one) and int(other):
        apart = abs(math.log2(int(one) / int(other)))
        return _SAME_VALUE_APART + (1 - _SAME_VALUE_APART) * math.exp(-apart / _DOUBLINGS_OF_VALUE)
    return _SAME_VALUE_APART


def way_correlation(one: str, other: str) -> float:
    """The correlation of two ways of a family at the same point."""
    mine, theirs = parameters(one), parameters(other)
    return math.prod(_value_correlation(mine.get(name, ""), theirs.get(name, "")) for name in mine | theirs)


def point_correlation(one: Point, other: Point) -> float:
    """The correlation of a way at two points of a collective."""
    doublings = abs(math.log2(max(one.bytes, 1)) - math.log2(max(other.bytes, 1)))
    doublings_of_ranks = abs(math.log2(one.ranks / other.ranks))
    alike = 1.0 if one.is_spread_like(other) else _SPREAD_OTHERWISE
    return alike * math.exp(-doublings / _DOUBLINGS_OF_BYTES - doublings_of_ranks / _DOUBLINGS_OF_RANKS)


class Belief:
    """What is believed of all cells (way, point) of one family of one collective.

    `prior` has what is expected of a cell before anything is measured, with the deviation of that.
    """

    def __init__(self, ways: Sequence[str], points: Sequence[Point], prior: Mapping[tuple[str, Point], Estimate]):
        self._ways = {way: i for i, way in enumerate(ways)}
        self._points = {point: i for i, point in enumerate(points)}
        between_ways = [[way_correlation(one, other) for other in ways] for one in ways]
        between_points = [[point_correlation(one, other) for other in points] for one in points]
        cells = [prior[way, point] for way in ways for point in points]
        self._expected = [cell.mean for cell in cells]
        self._means = self._expected.copy()
        self._seen: list[_Seen] = []
        scales = [cell.deviation for cell in cells]
        self._covariances = [
            [
                correlation * between * scales[row] * scales[column]
                for column, correlation, between in (
                    (other_way * len(points) + other_point, of_ways, of_points)
                    for other_way, of_ways in enumerate(between_ways[row // len(points)])
                    for other_point, of_points in enumerate(between_points[row % len(points)])
                )
            ]
            for row in range(len(cells))
        ]

    def _at(self, way: str, point: Point) -> int:
        return self._ways[way] * len(self._points) + self._points[point]

    def estimate(self, way: str, point: Point) -> Estimate:
        """What is believed of a cell."""
        at = self._at(way, point)
        return Estimate(self._means[at], math.sqrt(max(self._covariances[at][at], 0.0)))

    def learn(self, way: str, point: Point, seen: Estimate) -> float:
        """Takes in a measured value with the deviation of its error.

        Returns how far it was from what was believed, in standard deviations.
        """
        at = self._at(way, point)
        column = self._covariances[at].copy()
        variance = column[at] + seen.deviation**2
        error = seen.mean - self._means[at]
        least = _NEGLIGIBLE * column[at]
        touched = [i for i, covariance in enumerate(column) if abs(covariance) > least]
        gains = [(row, column[row] / variance) for row in touched]
        for row, gain in gains:
            self._means[row] += gain * error
            covariances = self._covariances[row]
            for other in touched:
                covariances[other] -= gain * column[other]
        self._seen.append(_Seen(at, seen.mean, gains))
        return error / math.sqrt(variance)

    def expect(self, offsets: Mapping[Point, float]) -> None:
        """Adds an offset for each point to what was expected in the first place."""
        of_points = [offsets[point] for point in self._points]
        self._means = [mean + of_points[i % len(of_points)] for i, mean in enumerate(self._expected)]
        for one in self._seen:
            error = one.value - self._means[one.at]
            for row, gain in one.gains:
                self._means[row] += gain * error

    def expected(self, way: str, point: Point) -> float:
        """What was expected of a cell in the first place."""
        return self._expected[self._at(way, point)]


class _Seen(NamedTuple):
    at: int
    value: float
    gains: Sequence[tuple[int, float]]


class Offsets:
    """By how much all ways of a collective are slower than expected at each of its points, and how much they differ."""

    def __init__(self, points: Sequence[Point]) -> None:
        self._points = points
        self._residuals: list[tuple[Point, float]] = []
        self._surprises = _CALIBRATION_WEIGHT
        self._weight = _CALIBRATION_WEIGHT

    def add(self, point: Point, residual: float, surprise: float) -> None:
        """Takes in by how much a way was slower than first expected, and than believed, that in deviations."""
        self._residuals.append((point, max(-_FARTHEST, min(residual, _FARTHEST))))
        self._surprises += min(surprise, _FARTHEST_DEVIATIONS) ** 2
        self._weight += 1

    @property
    def scale(self) -> float:
        """By what factor deviations are larger than believed, as far as surprises tell."""
        return max(math.sqrt(self._surprises / self._weight), 1.0)

    def all(self) -> dict[Point, float]:
        """The offset at each point: a mean weighted by nearness, drawn a little towards 0."""
        found: dict[Point, float] = {}
        for point in self._points:
            total, weights = 0.0, _NO_OFFSET_WEIGHT
            for other, residual in self._residuals:
                weight = point_correlation(point, other) ** 2
                total += weight * residual
                weights += weight
            found[point] = total / weights
        return found
