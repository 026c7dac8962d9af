"""Ways to carry out collectives, one after the other on a simulated network, into a file of measurements.

Simulated time repeats to the last digit, so each way is called once; communicators are made before the call's time
begins.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

from simulated import LATENCY, version
from timing import made

from starling.algorithms import repository
from starling.lab import measured, simulation
from starling.lab.measured import Measurement
from starling.lab.simulation import Case
from starling.lab.state import LabError
from starling.networks import platform_file

SELECTOR = "ompi"
"""Whose choice of algorithms SMPI's native collectives follow."""
GROUPS = "orthogonal groups"
LEVELS = "by nodes"
MESSAGES = "point to point"
LIBRARY = "the library's own"
BY_NODES = ("two_level", "multilane", "pipelined_levels")
"""Names of algorithms that know nodes."""
_SETTING = {"reduce_scatter_block": "reduce_scatter"}
"""SMPI's name of a collective where that differs."""


class Machine(NamedTuple):
    """Hosts of a network with so many ranks each; bits per second and seconds of its links."""

    platform: str
    ranks_per_host: int = 1
    rate: int = platform_file.DEFAULT_RATE
    latency: float = LATENCY

    @property
    def name(self) -> str:
        """As measurements have it."""
        hosts = self.platform if self.ranks_per_host == 1 else f"{self.platform} x {self.ranks_per_host}"
        return hosts if self.rate == platform_file.DEFAULT_RATE else f"{hosts}, {platform_file.rate_text(self.rate)}"

    @property
    def ranks(self) -> int:
        """In all."""
        return len(platform_file.platform(self.platform).hosts) * self.ranks_per_host


class Suite:
    """The file at hand, and how to add to it."""

    def __init__(self, output: Path, program: Path) -> None:
        self._output = output
        self._program = program
        self._mpi = f"{version()}, as {SELECTOR}"
        self._file = measured.read_or_empty(output)

    def native(self, machine: Machine, collective: str, sizes: Sequence[int], peer: str = "") -> None:
        """The library as it is, or with one of its algorithms: SMPI's name of it."""
        settings = {f"smpi/{_SETTING.get(collective, collective)}": peer} if peer else {}
        self._simulate(machine, collective, sizes, f"smpi {peer}" if peer else "native", settings)

    def ours(self, machine: Machine, collective: str, sizes: Sequence[int], candidate: str) -> None:
        """A candidate of the repository; nothing where it is refused."""
        self._simulate(machine, collective, sizes, candidate, {})

    def _simulate(
        self, machine: Machine, collective: str, sizes: Sequence[int], how: str, settings: Mapping[str, str]
    ) -> None:
        """What the file lacks. Where all sizes together fail, each is simulated for itself."""
        there = {(one.platform, one.what, one.bytes) for one in self._file.measurements if one.how == how}
        sizes = [size for size in sizes if (machine.name, collective, size) not in there]
        if not sizes:
            return
        forced = kind_of(how) not in {"", LIBRARY}
        network = platform_file.adjusted(
            platform_file.platform(machine.platform), host_rate=machine.rate, latency=machine.latency
        )
        hosts = [host for host in network.hosts for _ in range(machine.ranks_per_host)]
        began = time.monotonic()
        try:
            found = simulation.job(
                self._program,
                network,
                hosts,
                len(hosts),
                [Case(collective, size) for size in sizes],
                f"forced:{collective}:{how}" if forced else "native",
                1,
                os.environ,
                print,
                {"smpi/coll-selector": SELECTOR, **settings},
            )
        except LabError as error:
            print(f"{machine.name}, {collective}, {how}, {', '.join(map(str, sizes))}: {error}", flush=True)
            if len(sizes) > 1:
                for size in sizes:
                    self._simulate(machine, collective, (size,), how, settings)
            return
        for one in found:
            if forced and one.winner == "native":
                continue
            self._file.measurements.append(
                Measurement(
                    what=collective,
                    bytes=one.case.bytes,
                    platform=machine.name,
                    mpi=self._mpi,
                    ranks=len(hosts),
                    how=how,
                    seconds=[one.median],
                    made=made(),
                    notes={"kind": kind_of(how)},
                )
            )
        self._file.write(self._output)
        print(f"{machine.name}, {collective}: {how} ({time.monotonic() - began:.0f} s)", flush=True)


def kind_of(way: str) -> str:
    """What kind of way a name stands for; empty for native."""
    if way == "native":
        return ""
    if way.startswith("smpi "):
        return LIBRARY
    if way.startswith("groups"):
        return GROUPS
    return LEVELS if way.split("?", maxsplit=1)[0] in BY_NODES else MESSAGES


def candidates_like(collective: str, prefix: str, ranks: int) -> list[str]:
    """The repository's candidates on so many ranks whose names begin like this."""
    found = []
    for entry in repository.listing(ranks)["algorithms"]:
        if entry["collective"] == collective and entry["name"].startswith(prefix):
            names = [one["name"] for one in entry["parameters"]]
            for values in product(*(one["values"] for one in entry["parameters"])):
                bound = ",".join(f"{name}={value}" for name, value in zip(names, values, strict=True))
                found.append(entry["name"] + (f"?{bound}" if bound else ""))
    return found
