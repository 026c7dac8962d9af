"""The jobs of a configuration phase: one of the MPI library as it is, and one for each way that a job must start with.

All of them exist side by side, and wait while another one measures. So such a way is measured in turn with native and
other ways, like any other.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Self

from starling.tables import intel_rules
from starling.tables.table import NATIVE
from starling.tuning import library
from starling.tuning.job import Answer, Ended, JobEndedError, JobError, MpiJob
from starling.tuning.points import Point

_MOST = 3
"""Jobs beside the first one: as many ways as a race has besides native. Ranks of a job that waits hold their memory,
and look now and then whether there is something to do."""


class Jobs:
    """What measures all ways of a launcher line; `job` has begun, and belongs to the caller."""

    def __init__(self, job: MpiJob, environ: Mapping[str, str] = os.environ) -> None:
        self._job, self._environ = job, environ
        self._others: dict[tuple[str, str], MpiJob] = {}
        """By collective and way; the one used last comes last."""
        self._at_start: dict[str, Sequence[str]] = {}

    def ways(self, collective: str, ranks: int) -> tuple[str, ...]:
        """The names of all ways on so many ranks, native first. Raises JobError."""
        if collective not in self._at_start:
            self._at_start[collective] = library.set_at_start(
                collective, self._job.line, self._job.library, self._environ
            )
        return (*self._job.ways(collective, ranks), *self._at_start[collective])

    def delay(self, point: Point, way: str) -> float:
        """See Job."""
        key = (point.collective, way)
        return self._job.start_seconds if intel_rules.setting(*key) and key not in self._others else 0.0

    def measure(
        self, point: Point, way: str, calls: int, *, checked: bool, patience: float, in_row: bool = False
    ) -> Answer:
        """See Job. A job of its own that does not begin may have been killed from outside, like one that ends."""
        if not (wanted := intel_rules.setting(point.collective, way)):
            return self._job.measure(point, way, calls, checked=checked, patience=patience, in_row=in_row)
        key = (point.collective, way)
        try:
            job = self._others.pop(key, None) or self._begun(wanted)
            self._others[key] = job
            return job.measure(point, NATIVE, calls, checked=checked, patience=patience, in_row=in_row)
        except (JobEndedError, JobError) as error:
            if other := self._others.pop(key, None):
                other.kill()
            return Ended(f"in a job of its own: {error}")

    def _begun(self, wanted: Mapping[str, str]) -> MpiJob:
        while len(self._others) >= _MOST:
            self._others.pop(next(iter(self._others))).kill()
        job = self._job.with_variables(wanted)
        try:
            job.start()
            if (job.nodes, job.library) != (self._job.nodes, self._job.library):
                raise JobError("its ranks are placed on other nodes, or have another MPI library")
        except BaseException:
            job.kill()
            raise
        return job

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for job in self._others.values():
            job.kill()
