r"""Collectives on the simulated cluster: STAR-MPI's tables, SMPI's own algorithms as a peer, and up to 4096 ranks.

python bench/simulated.py measure -o docs/results/simulated.json
python bench/simulated.py draw docs/results/simulated.json docs/results/simulated.svg

`measure` adds only what the file lacks, part by part (`--parts star static programs`). Simulated time repeats to
the last digit, so each case is called once, after one call that does not count.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import plots
import simulated_programs
import smpi_peers
import star_tables
from command import command_line
from simulated_tables import Found
from timing import made

from starling.lab import measured, simulation
from starling.lab.measured import Measurement
from starling.lab.simulation import Case
from starling.lab.state import LabError
from starling.networks import platform_file
from starling.networks.platform_file import Platform
from starling.terminal.figures import human_bytes

LATENCY = 5e-6
"""Seconds of each link, as `starling lab simulate` has it for short names."""
AS_PUBLISHED = {"STARLING_ITER": "1", "STARLING_SAMPLES": "mean", "STARLING_RUN_OFF": "0"}
"""STAR-MPI's tuner: means over ranks, and no run-off. One call of each candidate, since times do not vary."""
STATIC = "static "
"""Prefix of the name of a candidate that was best on the other topology."""
TOLD = 5
"""Candidates that are reported beside the winner of a tuner."""
HUNDREDFOLD = 100
"""Times the 100 Mbit/s of a short name."""
SCALE = {
    64: ("fattree:8x8", "fattree:8x8:4"),
    256: ("fattree:16x16", "fattree:16x16:4"),
    1024: ("fattree:32x32", "fattree:32x32:4"),
    4096: ("fattree:64x64", "fattree:64x64:4"),
}
"""Fat trees by hosts: with full trunks, and with a quarter of that."""
SCALING: tuple[tuple[int, dict[tuple[str, int], str]], ...] = (
    (
        4096,
        {
            ("barrier", 0): "dissemination?k=2",
            ("allreduce", 8): "recursive_doubling",
            ("bcast", 8): "binomial?segment=none",
            ("allgather", 8): "bruck?k=2",
        },
    ),
    (
        1024,
        {
            ("barrier", 0): "tree",
            ("allreduce", 65536): "recursive_doubling",
            ("bcast", 65536): "binomial?segment=none",
            ("allgather", 8): "recursive_doubling",
            ("alltoall", 64): "bruck?k=2",
        },
    ),
    (
        1024,
        {
            ("allreduce", 65536): "rab1?allgather=recursive_doubling",
            ("bcast", 65536): "scatter_allgather?allgather=recursive_doubling",
        },
    ),
    (1024, {("allgather", 1024): "ring"}),
)
"""Jobs: the most ranks, and the candidates that are forced."""


def version() -> str:
    """SMPI's."""
    told = subprocess.run(["smpirun", "-version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"\d+\.\d+(\.\d+)?", told)
    return f"SMPI {found[0] if found else ''}".strip()


class Suite:
    """The file at hand, and how to add to it."""

    def __init__(self, output: Path, program: Path) -> None:
        self._output = output
        self._program = program
        self.mpi = version()
        self.file = measured.read_or_empty(output)

    def _has(self, platform: str, case: Case, how: str) -> bool:
        return any(
            (one.platform, one.what, one.bytes, one.how) == (platform, case.collective, case.bytes, how)
            for one in self.file.measurements
        )

    def network(self, platform: str) -> Platform:
        """The platform of a short name."""
        return platform_file.adjusted(platform_file.platform(platform), latency=LATENCY)

    def add(self, one: Measurement) -> None:
        """Adds one to the file."""
        self.file.measurements.append(one)
        self.file.write(self._output)

    def job(
        self,
        part: str,
        platform: str,
        wanted: Mapping[Case, str],
        strategy: str,
        *,
        speed: int = 1,
        settings: Mapping[str, str] | None = None,
        forced: bool = False,
    ) -> bool:
        """Runs the cases that the file lacks, each under its name, in one simulation.

        Where `forced`, a name ends with the candidate, and cases with an ineligible candidate are left out. Nothing of
        a failed simulation is kept.
        """
        left = {case: how for case, how in wanted.items() if not self._has(platform, case, how)}
        if not left:
            return True
        network = faster(self.network(platform), speed)
        ranks, began = len(network.hosts), time.monotonic()
        environ = {**os.environ, **AS_PUBLISHED}
        try:
            tried = simulation.job(
                self._program, network, network.hosts, ranks, list(left), strategy, 1, environ, print, settings
            )
        except LabError as error:
            print(f"{platform}, {strategy}, {settings or ''}: {error}", flush=True)
            return False
        for one in tried:
            how = left[one.case]
            if forced and one.winner != how.removeprefix(STATIC):
                print(f"{platform}: {one.case.collective}:{how} could not serve {one.case.bytes} bytes", flush=True)
                continue
            notes: dict[str, Any] = {"part": part}
            if one.exploring and one.exploring.calls:
                ours = {name: round(seconds, 9) for name, seconds in one.candidates.items() if name != "native"}
                notes |= {"winner": one.winner, "tried": one.exploring.calls, "trying_s": one.exploring.seconds}
                notes["fastest"] = dict(list(ours.items())[:TOLD])
                notes["bookkeeping_s"] = one.exploring.bookkeeping_seconds
            if one.settled and one.settled.calls and "winner" in notes:
                notes |= {"settled": one.settled.calls, "monitoring_s": one.settled.bookkeeping_seconds}
            self.file.measurements.append(
                Measurement(
                    what=one.case.collective,
                    bytes=one.case.bytes,
                    platform=platform,
                    mpi=self.mpi,
                    ranks=ranks,
                    how=how,
                    seconds=list(one.seconds),
                    made=made(),
                    notes=notes,
                )
            )
        self.file.write(self._output)
        print(f"{part}, {platform}: {', '.join(left.values())[:70]} ({time.monotonic() - began:.0f} s)", flush=True)
        return True


def faster(platform: Platform, factor: int) -> Platform:
    """The same network with multiplied rates."""
    return replace(platform, links=tuple(replace(link, rate=factor * link.rate) for link in platform.links))


def star(suite: Suite) -> None:
    """The measurements for STAR-MPI's tables: native by two selectors, and both of its tuners."""
    for topology, platform in star_tables.TOPOLOGIES.items():
        cells = dict.fromkeys(Case(*cell) for cell in star_tables.cells(topology))
        first = [Case(row.collective, row.bytes) for row in star_tables.TABLE_1] if topology == "a" else []
        cells.update(dict.fromkeys(first))
        for selector in ("mpich", "ompi"):
            settings = {"smpi/coll-selector": selector}
            suite.job("star", platform, dict.fromkeys(cells, f"native {selector}"), "native", settings=settings)
        applications = [Case(row.collective, row.bytes) for row in star_tables.TABLES_3_AND_4]
        for strategy, some in (("star", list(cells)), ("star-basic", [*first, *applications])):
            for case in some:
                suite.job("star", platform, {case: strategy}, strategy, settings={"smpi/coll-selector": "mpich"})


def static(suite: Suite) -> None:
    """STAR-MPI's STATIC: the collectives of its programs by the candidate that is best on another machine."""
    found = Found(suite.file)
    for row in star_tables.TABLES_3_AND_4:
        here, elsewhere = (star_tables.TOPOLOGIES[one] for one in (row.topology, star_tables.OTHER[row.topology]))
        best = found.one(elsewhere, row.collective, row.bytes, "star-basic")
        if best is None:
            continue
        winner = best.notes["winner"]
        strategy = "native" if winner == "native" else f"forced:{row.collective}:{winner}"
        cell = {Case(row.collective, row.bytes): f"{STATIC}{winner}"}
        suite.job("static", here, cell, strategy, settings={"smpi/coll-selector": "mpich"}, forced=True)


def programs(suite: Suite) -> None:
    """Programs with the collectives of STAR-MPI's."""
    simulated_programs.programs(suite, {**os.environ, **AS_PUBLISHED})


def peers(suite: Suite) -> None:
    """Ours and SMPI's, algorithm by algorithm."""
    for platform in smpi_peers.PLATFORMS:
        for batch in smpi_peers.batches():
            strategy = "forced:" + ",".join(f"{collective}:{ours}" for collective, (ours, _) in batch.items())
            settings = {f"smpi/{collective}": theirs for collective, (_, theirs) in batch.items()}
            cases = [
                Case(collective, size)
                for collective in batch
                for size in ((0,) if collective == "barrier" else smpi_peers.SIZES)
            ]
            suite.job("peers", platform, {one: batch[one.collective][0] for one in cases}, strategy, forced=True)
            named = {one: f"smpi {batch[one.collective][1]}" for one in cases}
            if not suite.job("peers", platform, named, "native", settings=settings):
                for name, value in settings.items():  # then one of them ends it
                    alone = {case: how for case, how in named.items() if name == f"smpi/{case.collective}"}
                    suite.job("peers", platform, alone, "native", settings={name: value})


def scale(suite: Suite) -> None:
    """Time against ranks."""
    for ranks, platforms in SCALE.items():
        for most, candidates in SCALING:
            if ranks > most:
                continue
            strategy = "forced:" + ",".join(f"{collective}:{name}" for (collective, _), name in candidates.items())
            wanted = {Case(*cell): name for cell, name in candidates.items()}
            for platform in platforms:
                suite.job("scale", platform, wanted, strategy, speed=HUNDREDFOLD, forced=True)


PARTS: Mapping[str, Callable[[Suite], None]] = {
    "star": star,
    "static": static,
    "programs": programs,
    "peers": peers,
    "scale": scale,
}


def add_options(measuring: ArgumentParser) -> None:
    """The options of `measure`."""
    measuring.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))


def measure(options: Namespace) -> None:
    """Measures what is missing in the output file."""
    with tempfile.TemporaryDirectory(prefix="simulated-") as folder:
        suite = Suite(options.output, simulation.compiled(Path(folder), os.environ, print))
        for part in options.parts:
            PARTS[part](suite)


def lines_of(some: Iterable[Measurement]) -> dict[str, list[tuple[int, float]]]:
    """Points (ranks, microseconds) by candidate."""
    lines: dict[str, list[tuple[int, float]]] = {}
    for one in sorted(some, key=lambda one: one.ranks):
        lines.setdefault(one.how, []).append((one.ranks, 1e6 * one.seconds[0]))
    return lines


def draw(options: Namespace) -> None:
    """Time against ranks, a panel for each collective and size."""
    pyplot = plots.pyplot()
    from matplotlib import ticker

    everything = measured.read(options.measured[0]).measurements
    some = [one for one in everything if one.notes.get("part") == "scale"]
    cells = list(dict.fromkeys((one.what, one.bytes) for one in some))
    figure, axes = pyplot.subplots(2, (len(cells) + 1) // 2, figsize=(14, 8), layout="constrained", squeeze=False)
    for panel in axes.flat[len(cells) :]:
        panel.set_visible(False)
    for panel, cell in zip(axes.flat, cells, strict=False):
        of_cell = [one for one in some if (one.what, one.bytes) == cell]
        for style, full in (("o-", True), ("x--", False)):
            lines = lines_of(one for one in of_cell if (one.platform.count(":") == 1) is full)
            for color, (name, points) in enumerate(sorted(lines.items())):
                label = name.partition("?segment=none")[0] if full else None
                panel.plot(*zip(*points, strict=True), style, color=f"C{color}", label=label)
        panel.set(title=f"{cell[0]}{f', {human_bytes(cell[1])}' if cell[1] else ''}", xlabel="ranks", ylabel="us")
        panel.set_xscale("log", base=4)
        plots.logarithmic(panel)
        panel.set_xticks(list(SCALE))
        panel.xaxis.set_major_formatter(ticker.FormatStrFormatter("%d"))
        panel.legend(fontsize="x-small", loc="upper center", bbox_to_anchor=(0.5, -0.2))
    figure.suptitle("Fat trees, 10 Gbit/s: full trunks (solid), a quarter of that (dashed)")
    plots.save(figure, options.picture)


if __name__ == "__main__":
    command_line(__doc__, add_options, measure, draw, on_lab=False)
