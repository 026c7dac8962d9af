"""The seconds of a configuration phase."""

from __future__ import annotations

import math
from collections.abc import Callable

_USED_UP = 0.05
"""Share of the budget that counts as nothing."""


class Budget:
    """So many seconds, None: without end, of which some were used `before`; `clock` tells seconds."""

    def __init__(self, seconds: float | None, clock: Callable[[], float], before: float = 0.0) -> None:
        self.seconds = math.inf if seconds is None else seconds
        self.reserved = 0.0
        """Seconds that are kept for later."""
        self._clock = clock
        self._before = before
        self._start = clock()

    @property
    def is_finite(self) -> bool:
        """Whether there is an end."""
        return math.isfinite(self.seconds)

    @property
    def elapsed(self) -> float:
        """Seconds that are used up."""
        return self._before + self._clock() - self._start

    @property
    def left(self) -> float:
        """Seconds that may be used now."""
        return self.seconds - self.elapsed - self.reserved

    @property
    def used_up(self) -> bool:
        """Whether too little is left for anything but the shortest races."""
        return self.left < _USED_UP * self.seconds
