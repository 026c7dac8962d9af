"""What the cost model expects of ways before they are measured (docs/cost-model.md)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from starling.algorithms import repository
from starling.installation.questions import RepositoryError, UnknownError
from starling.networks import platform_file
from starling.networks.platform_file import Platform
from starling.tuning.belief import Estimate
from starling.tuning.known import no_prior
from starling.tuning.points import Point

_DESCRIBED = 0.65
"""Standard deviation of the logarithm of predicted times, of those of the quickest way, on a described network."""
_GUESSED = 0.8
"""The same where only the number of nodes is known."""


class _Predicted(NamedTuple):
    """Of one point: logarithms of predicted times over the shortest, and the refusals of other ways."""

    logs: dict[str, float]
    refusals: dict[str, str]


def guessed(nodes: int, ranks_per_node: int) -> Platform:
    """A platform with as many nodes on one switch."""
    return platform_file.adjusted(platform_file.platform(f"single:{nodes}"), ranks=ranks_per_node)


class Expectation:
    """What is expected on a platform: the quickest way is as fast as native, others as much slower as predicted.

    A point about which the model says nothing has no expectations.
    """

    def __init__(self, platform: Platform, *, described: bool, parameters: Path | None = None) -> None:
        self._platform = platform
        self._parameters = parameters
        self._deviation = _DESCRIBED if described else _GUESSED
        self._of = cache(self._predict)

    def _predict(self, point: Point) -> _Predicted:
        platform = platform_file.adjusted(self._platform, ranks=point.fullest) if point.nodes else self._platform
        try:
            found = repository.prediction(
                platform, point.ranks, point.collective, point.bytes, parameters=self._parameters
            )
        except (RepositoryError, UnknownError):
            return _Predicted({}, {})
        rows = found["candidates"]
        times = {row["name"]: row["seconds"] for row in rows if row["seconds"]}
        shortest = min(times.values(), default=1.0)
        logs = {name: math.log(seconds / shortest) for name, seconds in times.items()}
        return _Predicted(logs, {row["name"]: row["refusal"] for row in rows if row["refusal"]})

    def prior(self, way: str, point: Point) -> Estimate:
        """What is expected of a way's time over native's."""
        log = self._of(point).logs.get(way)
        return no_prior(way, point) if log is None else Estimate(log, self._deviation)

    def refusal(self, way: str, point: Point) -> str:
        """Why a way can't serve at a point, as far as is known without asking the job; empty if it may."""
        return self._of(point).refusals.get(way, "")

    def prepare(self, points: Iterable[Point]) -> None:
        """Predicts now, not while ranks wait."""
        for point in points:
            self._of(point)
