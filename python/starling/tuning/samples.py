"""Times of calls of one way at one point."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, pstdev

FEWEST = 5
"""Calls from which on the spread of a sample tells something."""

_NOTCH = 1.58
"""The 95 % interval of a median is 1.58 interquartile ranges over the square root of the number of calls to each side
(McGill, Tukey and Larsen 1978)."""

_DEVIATIONS = 1.96
"""Half a 95 % interval, in standard deviations."""

_OF_MEDIAN = 1.2533
"""The deviation of the median of normal values is that of their mean, times the root of pi / 2."""

_OF_ONE_OF_FEW = 0.25
"""Relative standard deviation of a call that is assumed for fewer than FEWEST calls."""

_LEAST_DEVIATION = 0.01
"""No median is known better than this: clocks, and states of caches and connections, differ from job to job."""


def _quartile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


@dataclass(frozen=True)
class Summary:
    """Seconds of `count` calls: the median and half the width of its 95 % confidence interval, none for few calls."""

    median: float
    half_width: float | None
    count: int
    deviation: float
    """The standard deviation of the median's logarithm."""

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Summary:
        """Of at least one call; all times are positive."""
        count = len(seconds)
        # Times that jump between two levels have a median that the quartiles do not see move.
        deviation = _OF_MEDIAN * pstdev(map(math.log, seconds)) / math.sqrt(count)
        if count < FEWEST:
            return cls(median(seconds), None, count, max(deviation, _OF_ONE_OF_FEW / math.sqrt(count)))
        ordered = sorted(seconds)
        half_width = _NOTCH * (_quartile(ordered, 0.75) - _quartile(ordered, 0.25)) / math.sqrt(count)
        deviation = max(deviation, half_width / median(ordered) / _DEVIATIONS, _LEAST_DEVIATION)
        return cls(median(ordered), half_width, count, deviation)

    @property
    def is_of_few(self) -> bool:
        """Whether there are too few calls to tell how much they scatter."""
        return self.count < FEWEST

    def is_narrow(self, share: float) -> bool:
        """Whether the interval is within `share` of the median to each side."""
        return self.half_width is not None and self.half_width <= share * self.median

    @property
    def low(self) -> float:
        """The lower end of the interval, in seconds."""
        return max(self.median - (self.half_width or 0.0), 0.0)

    @property
    def high(self) -> float:
        """The upper end of the interval, in seconds."""
        return self.median + (self.half_width or 0.0)
