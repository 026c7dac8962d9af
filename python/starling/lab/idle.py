"""How busy this machine's processors are: a lab without idle time measures processors, not its network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

CPU_BOUND = 0.10
"""A lab is CPU-bound where the idle share of its processors is smaller than this."""


@dataclass(frozen=True)
class Ticks:
    """Time of all processors, since the machine started or in a stretch of time, in ticks: idle time and total."""

    idle: int
    total: int

    def __sub__(self, before: Ticks) -> Ticks:
        """The time between an earlier reading and this one."""
        return Ticks(self.idle - before.idle, self.total - before.total)

    def __add__(self, other: Ticks) -> Ticks:
        """The time of two stretches together."""
        return Ticks(self.idle + other.idle, self.total + other.total)

    @property
    def share(self) -> float:
        """The idle share, 0 to 1; 1 where no time has passed."""
        return self.idle / self.total if self.total > 0 else 1.0

    def idle_since(self, before: Ticks) -> float:
        """The share of idle time between an earlier reading and this one."""
        return (self - before).share


def ticks(stat: str | None = None) -> Ticks:
    """A reading of /proc/stat. Waiting for a disk is idle time; time taken by a hypervisor is not."""
    text = Path("/proc/stat").read_text() if stat is None else stat
    values = [int(word) for word in text.splitlines()[0].split()[1:9]]  # later columns: guests, included in `user`
    return Ticks(values[3] + values[4], sum(values))


def percent(share: float) -> str:
    """A share for people."""
    return f"{100 * share:.0f} %"
