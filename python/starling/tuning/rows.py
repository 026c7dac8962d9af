"""Calls in a row: spells of calls without barriers between them, as programs make them.

Behind barriers all ranks begin each call together. In a row they may drift apart, and then wait for each other in every
call, by some ways and not by others: Open MPI's allgather of 7.5 KiB on 16 hosts takes 9.7 ms at first, and 16 ms after
2 to 320 calls. So native and the best ways also take turns in spells, which are compared as programs feel them: by the
mean of all ranks, with all waiting. Only the latest half of a spell counts, as in `Guard` (src/selection/guard.hpp).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from starling.tables.table import NATIVE
from starling.tuning.belief import Estimate

SPELLS = (32, 64, 128)
"""Calls of the spells of each round, the last number for all that follow: few first, for ranks take their time to drift
apart."""
FEWEST_CALLS = 8
"""Spells are no shorter, but where calls are long they may be as short."""
FEWEST_ROUNDS = 3
"""Before it is believed that calls in a row take as long as behind barriers."""
MOST_ROUNDS = 8
"""After so many, more would not tell either what so many did not."""

CLEAR = 0.05
"""Ratios to native that are closer, as logarithms, do not differ."""
_DEVIATIONS = 1.96
_LEAST_DEVIATION = 0.01


def latest_half(seconds: Sequence[float]) -> float:
    """The mean of the latest half of a spell's calls."""
    return fmean(seconds[len(seconds) // 2 :])


@dataclass
class Rows:
    """The spells at one point."""

    spells: dict[str, dict[int, list[Sequence[float]]]] = field(default_factory=dict)
    """Seconds of the calls of each spell, by way and race, in the order of rounds."""
    count: bool = False
    """Whether a choice rests on them: some way's ratio to native differs clearly from that behind barriers, or is known
    better."""

    def add(self, way: str, race: int, seconds: Sequence[float]) -> None:
        """Takes in a spell."""
        self.spells.setdefault(way, {}).setdefault(race, []).append(seconds)

    def rounds(self, way: str) -> list[tuple[Sequence[float], Sequence[float]]]:
        """The spells of a way, each with native's of the same round."""
        natives = self.spells.get(NATIVE, {})
        return [
            pair
            for race, spells in self.spells.get(way, {}).items()
            for pair in zip(spells, natives.get(race, ()), strict=False)
        ]

    def seconds(self, way: str) -> float | None:
        """Of a call, the mean of all that count; None where there is no spell."""
        spells = [spell for of_race in self.spells.get(way, {}).values() for spell in of_race]
        halves = [one for spell in spells for one in spell[len(spell) // 2 :]]
        return fmean(halves) if halves else None

    def slowest(self, way: str) -> float | None:
        """Of a call, the mean of the slowest spell, whose ranks drifted apart; None where there is no spell."""
        return max((fmean(spell) for of_race in self.spells.get(way, {}).values() for spell in of_race), default=None)

    def calls(self, way: str) -> int:
        """How many calls of a way there are in all."""
        return sum(len(spell) for spells in self.spells.get(way, {}).values() for spell in spells)

    def ratio(self, way: str) -> Estimate | None:
        """The logarithm of a way's time over native's in the same rounds; None for fewer than two of them."""
        rounds = self.rounds(way)
        if len(rounds) < 2:
            return None
        if way == NATIVE:
            return Estimate(0.0, 0.0)
        # Longer spells tell more of what long runs of calls take.
        weights = [min(len(one), len(other)) for one, other in rounds]
        logs = [math.log(latest_half(one) / latest_half(other)) for one, other in rounds]
        total = sum(weights)
        mean = sum(weight * log for weight, log in zip(weights, logs, strict=True)) / total
        spread = sum((weight * (log - mean)) ** 2 for weight, log in zip(weights, logs, strict=True))
        freedom = len(rounds) - 1
        deviation = math.sqrt(spread * len(rounds) / freedom) / total
        return Estimate(mean, max(deviation * _of_few(freedom), _LEAST_DEVIATION))

    def verdict(self, way: str) -> Estimate | None:
        """The ratio where a choice rests on it, else None."""
        return self.ratio(way) if self.count else None

    def differs(self, way: str, behind_barriers: Estimate) -> float:
        """By how much the ratio differs from that behind barriers, and that clearly; 0 where it does not."""
        ratio = self.ratio(way)
        if ratio is None:
            return 0.0
        apart = ratio.mean - behind_barriers.mean
        clearly = max(_DEVIATIONS * math.hypot(ratio.deviation, behind_barriers.deviation), CLEAR)
        return apart if abs(apart) > clearly else 0.0

    def tells_more(self, way: str, behind_barriers: Estimate) -> bool:
        """Whether the ratio is known better than that behind barriers, which seems to be another."""
        ratio = self.ratio(way)
        if ratio is None or ratio.deviation > behind_barriers.deviation:
            return False
        return abs(ratio.mean - behind_barriers.mean) > CLEAR

    def is_open(self, way: str, behind_barriers: Estimate) -> bool:
        """Whether a way's ratio may differ from that behind barriers, and more rounds would tell."""
        ratio = self.ratio(way)
        rounds = len(self.rounds(way))
        if ratio is None or rounds < FEWEST_ROUNDS:
            return True
        return (
            rounds < MOST_ROUNDS
            and abs(ratio.mean - behind_barriers.mean) > CLEAR
            and not self.differs(way, behind_barriers)
        )


def _of_few(freedom: int) -> float:
    """Student's quantile over the normal one, by the first terms of its expansion (Abramowitz and Stegun 26.7.5)."""
    return 1 + 1.21 / freedom + 1.44 / freedom**2
