"""A job with known curves and a clock that only its calls move, for tests of the configuration phase."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from starling.tuning.job import Answer, JobEndedError, Refusal, Times
from starling.tuning.points import Point

Curve = Callable[[Point], float]
"""Seconds of a call at a point."""


def line(latency: float, per_byte: float) -> Curve:
    """Microseconds of latency, and microseconds for each byte."""
    return lambda point: 1e-6 * (latency + per_byte * point.bytes)


@dataclass
class FakeJob:
    """Answers from curves, each call with lognormal noise."""

    curves: Mapping[str, Curve]
    noise: float = 0.02
    refusals: Callable[[str, Point], str] = lambda _way, _point: ""
    ends_at: Callable[[str, Point], bool] = lambda _way, _point: False
    delays: Callable[[str, Point], float] = lambda _way, _point: 0.0
    drifts: Callable[[str, int], float] = lambda _way, _call: 1.0
    """By which factor a call takes longer in a row, after so many calls."""
    interrupt_after: int | None = None
    now: float = 0.0
    asked: list[tuple[Point, str]] = field(default_factory=list)
    asked_in_row: list[tuple[Point, str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._dice = random.Random(7)

    def clock(self) -> float:
        """Seconds since the start."""
        return self.now

    def measure(
        self, point: Point, way: str, calls: int, *, checked: bool, patience: float, in_row: bool = False
    ) -> Answer:
        """See starling.tuning.job.Job."""
        assert patience > 0
        if self.interrupt_after is not None and len(self.asked) >= self.interrupt_after:
            raise KeyboardInterrupt
        if in_row:
            self.asked_in_row.append((point, way, calls))
        else:
            self.asked.append((point, way))
        if self.ends_at(way, point):
            raise JobEndedError("the job ended")
        if why := self.refusals(way, point):
            self.now += self.curves["native"](point)
            return Refusal(why)
        factors = [self.drifts(way, call) if in_row else 1.0 for call in range(calls)]
        seconds = [self.curves[way](point) * self._dice.lognormvariate(0, self.noise) * one for one in factors]
        self.now += sum(seconds) * (calls + checked) / calls + 1e-4
        return Times(tuple(seconds))

    def delay(self, point: Point, way: str) -> float:
        """See starling.tuning.job.Job."""
        return self.delays(way, point)

    def cells(self, way: str) -> set[Point]:
        """The points at which a way was asked for."""
        return {point for point, asked in self.asked if asked == way}
