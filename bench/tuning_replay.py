r"""Replay of `starling tune`: how good its choices are after how much of a full sweep, on recorded times.

starling lab up single:16
starling lab run -- starling tune --all --budget none --collectives allgather,allreduce,alltoall,bcast \
    --sizes 1,4,16,64,256,1K,4K,16K,64K,256K -o sweep.json -- mpirun.openmpi -n 16
python bench/tuning_replay.py play sweep.json.measurements docs/results/matrices.json -o docs/results/tuning-replay.json
python bench/tuning_replay.py draw docs/results/tuning-replay.json docs/results/tuning-replay.svg

A full sweep has times of every way at every point. The search asks for some of them, in its own order; then the way it
holds for the best at each point is compared with the one that is best by all times. `slowdown` is the mean over points
of their ratio, minus 1; `share` is that of the cells (way, point) it has asked for, native's among them, and `seconds`
the share of the sweep's time in these cells, a call of each. `order` is
`active` for the search as it is, `no model` without what the cost model expects, `random` for cells in random order.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

import markdown
import plots
import result_files
from command import mistakes_told

from starling.lab.measured import MeasuredError
from starling.messages import printable
from starling.networks import platform_file
from starling.tables.table import NATIVE
from starling.tuning import journal, json_lines
from starling.tuning.belief import Estimate
from starling.tuning.expected import Expectation, guessed
from starling.tuning.job import Answer, Refusal, Times
from starling.tuning.known import no_prior
from starling.tuning.points import Plan, Point
from starling.tuning.search import Search

SCHEMA = 1
CLOSE = 0.03
"""The slowdown that is good enough."""
ACCLAIM = 6.9
"""Times less data than a full sweep, by which ACCLAiM reached the quality of its selections (Wilkins et al. 2022)."""
RUNS = 5
"""Runs in random order, of which the mean is drawn."""

Prior = Callable[[str, Point], Estimate]


class Step(NamedTuple):
    """What was known after a race: shares of cells and of a sweep's seconds, and the slowdown of the choices."""

    share: float
    seconds: float
    slowdown: float


@dataclass(frozen=True)
class Sweep:
    """A full sweep: seconds of calls by point and way, and what the cost model expects there."""

    name: str
    times: Mapping[Point, Mapping[str, Sequence[float]]]
    prior: Prior

    @property
    def plan(self) -> Plan:
        """Its points, all of the same weight."""
        return dict.fromkeys(self.times, 1.0)

    @property
    def ways(self) -> dict[str, list[str]]:
        """The ways of each collective, native first."""
        found: dict[str, dict[str, None]] = {}
        for point, ways in self.times.items():
            found.setdefault(point.collective, {NATIVE: None}).update(dict.fromkeys(ways))
        return {collective: list(ways) for collective, ways in found.items()}

    def call(self, point: Point, way: str) -> float:
        """Seconds of a call."""
        return median(self.times[point][way])

    @cached_property
    def seconds(self) -> float:
        """Of a call of each way at each point."""
        return sum(self.call(point, way) for point, ways in self.times.items() for way in ways)

    @property
    def cells(self) -> int:
        """How many ways were measured, summed over points."""
        return sum(len(ways) for ways in self.times.values())

    def slowdown(self, choice: Callable[[Point], str]) -> float:
        """The mean ratio of the chosen way's time to that of the best, minus 1."""
        ratios = []
        for point, ways in self.times.items():
            medians = {way: median(seconds) for way, seconds in ways.items()}
            ratios.append(medians[choice(point)] / min(medians.values()) - 1)
        return fmean(ratios)


class Recorded:
    """A job that answers from a sweep, and a clock that its calls move."""

    def __init__(self, sweep: Sweep) -> None:
        self._sweep = sweep
        self._dice = random.Random(1)  # noqa: S311 - no secret
        self.now = 0.0

    def clock(self) -> float:
        """Seconds since the start."""
        return self.now

    def measure(
        self, point: Point, way: str, calls: int, *, checked: bool, patience: float, in_row: bool = False
    ) -> Answer:
        """See starling.tuning.job.Job."""
        del patience, in_row  # a sweep has no calls in a row, and a search asks for none unless it is told to
        seconds = self._sweep.times[point].get(way)
        if seconds is None:
            return Refusal("it was not measured")
        found = tuple(self._dice.choices(seconds, k=calls))
        self.now += sum(found) * (calls + checked) / calls
        return Times(found)

    def delay(self, point: Point, way: str) -> float:
        """See starling.tuning.job.Job."""
        del point, way
        return 0.0


def swept(path: Path) -> Iterator[Sweep]:
    """The sweep of a file of measurements, without drift from race to race: native's median is the same in each.

    Raises MeasuredError.
    """
    remedy = "give a file MINE.json.measurements of starling tune, or one of bench/matrices.py, which ends in .json"
    try:
        text = path.read_text()
        kept = journal.parse(text, printable(path))
    except OSError as error:
        raise MeasuredError(f"{printable(path)}: {error.strerror}; {remedy}") from error
    except (json_lines.JournalError, UnicodeDecodeError) as error:
        raise MeasuredError(f"{printable(path)}: it is no file of measurements of starling tune; {remedy}") from error
    if not kept.lines:
        raise MeasuredError(f"{printable(path)}: it has no measurements; {remedy}")
    heading = json.loads(text.partition("\n")[0])
    races: dict[tuple[Point, int], dict[str, list[float]]] = {}
    for line in kept.lines:
        if isinstance(line.answer, Times):
            races.setdefault((line.point, line.race), {}).setdefault(line.way, []).extend(line.answer.seconds)
    natives: dict[Point, list[float]] = {}
    for (point, _), ways in races.items():
        natives.setdefault(point, []).extend(ways.get(NATIVE, ()))
    times: dict[Point, dict[str, list[float]]] = {}
    for (point, _), ways in races.items():
        if NATIVE not in ways:
            continue
        scale = median(natives[point]) / median(ways[NATIVE])
        for way, seconds in ways.items():
            times.setdefault(point, {}).setdefault(way, []).extend(one * scale for one in seconds)
    nodes = heading["nodes"]
    expected = Expectation(guessed(len(set(nodes)), max(map(nodes.count, nodes))), described=False)
    yield Sweep(path.name, times, expected.prior)


def of_matrices(path: Path) -> Iterator[Sweep]:
    """Sweeps of recorded matrices (bench/matrices.py): one for each platform and MPI."""
    places: dict[tuple[str, str], dict[Point, dict[str, list[float]]]] = {}
    keys = {"what", "bytes", "platform", "mpi", "ranks", "candidates"}
    for one in result_files.rows(path, "a file that bench/matrices.py wrote", keys, "matrices"):
        point = Point(one["what"], one["ranks"], one["bytes"])
        times = {candidate["name"]: candidate["seconds"] for candidate in one["candidates"]}
        places.setdefault((one["platform"], one["mpi"]), {})[point] = times
    for (place, mpi), points in places.items():
        expected = Expectation(platform_file.platform(place.partition(",")[0]), described=True)
        yield Sweep(f"{place}, {mpi}", points, expected.prior)


class Watched:
    """What a search knew after each race: the share of cells, and the slowdown of its choices."""

    def __init__(self, sweep: Sweep) -> None:
        self._sweep = sweep
        self.search: Search | None = None
        self.steps: list[Step] = []

    def add(self, _line: journal.Line) -> None:
        """See starling.tuning.journal.Log."""

    def ended(self, _race: int, _elapsed: float) -> None:
        """See starling.tuning.journal.Log."""
        assert self.search is not None
        known = self.search.known

        def choice(point: Point) -> str:
            return known.best(point)[0] if known.points[point].native is not None else NATIVE

        seconds = sum(self._sweep.call(point, way) for point, at in known.points.items() for way in at.seconds)
        share = known.cells_measured / self._sweep.cells
        self.steps.append(Step(share, seconds / self._sweep.seconds, self._sweep.slowdown(choice)))


def searched(sweep: Sweep, prior: Prior) -> list[Step]:
    """The steps of a search."""
    job, watched = Recorded(sweep), Watched(sweep)
    search = Search(sweep.plan, sweep.ways, job, clock=job.clock, budget=None, log=watched, prior=prior)
    watched.search = search
    search.run()
    return watched.steps


def shuffled(sweep: Sweep, seed: int) -> list[Step]:
    """The steps of measuring cells in random order, native first."""
    cells = [(point, way) for point, ways in sweep.times.items() for way in ways if way != NATIVE]
    random.Random(seed).shuffle(cells)  # noqa: S311 - no secret
    best = {point: (median(ways[NATIVE]), NATIVE) for point, ways in sweep.times.items()}
    spent = sum(sweep.call(point, NATIVE) for point in best)
    steps = [Step(len(best) / sweep.cells, spent / sweep.seconds, sweep.slowdown(lambda point: best[point][1]))]
    for number, (point, way) in enumerate(cells, 1):
        spent += sweep.call(point, way)
        best[point] = min(best[point], (median(sweep.times[point][way]), way))
        if number % max(1, len(cells) // 200) == 0 or number == len(cells):
            share = (len(best) + number) / sweep.cells
            steps.append(Step(share, spent / sweep.seconds, sweep.slowdown(lambda point: best[point][1])))
    return steps


def reached(steps: Sequence[Step], slowdown: float) -> Step | None:
    """The step from which on the slowdown stays at most so large; None where it does not get there."""
    found = None
    for step in steps:
        if step.slowdown > slowdown:
            found = None
        elif found is None:
            found = step
    return found


def play(sweep: Sweep) -> dict[str, Any]:
    """All orders on one sweep."""
    orders = {"active": [searched(sweep, sweep.prior)], "no model": [searched(sweep, no_prior)]}
    orders["random"] = [shuffled(sweep, seed) for seed in range(1, RUNS + 1)]
    found: dict[str, Any] = {"sweep": sweep.name, "points": len(sweep.times), "cells": sweep.cells, "orders": {}}
    for order, runs in orders.items():
        known = [step for steps in runs if (step := reached(steps, CLOSE)) is not None]
        close = len(known) == len(runs)
        found["orders"][order] = {
            "steps": [[round(value, 4) for value in step] for step in runs[0]],
            "close_at": round(fmean(step.share for step in known), 4) if close else None,
            "close_at_seconds": round(fmean(step.seconds for step in known), 4) if close else None,
            "last": round(fmean(steps[-1].slowdown for steps in runs), 4),
            "asked": round(fmean(steps[-1].share for steps in runs), 4),
        }
    return found


def rows(found: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    """The cells of the table: for each sweep and order, when it was close, and where it ended."""
    for one in found:
        for order, of in one["orders"].items():
            close = ["never", ""]
            if of["close_at"] is not None:
                close = [f"{of[key]:.1%}, 1/{1 / of[key]:.1f}" for key in ("close_at", "close_at_seconds")]
            yield [one["sweep"], str(one["cells"]), order, *close, f"{of['asked']:.0%}", f"{of['last']:.2%}"]


HEADS = [
    "sweep",
    "cells",
    "order",
    "within 3 % from this share of the cells on",
    "and of a sweep's seconds",
    "cells asked for in all",
    "slowdown at the end",
]


def read(path: Path) -> list[dict[str, Any]]:
    """What `play` wrote. Raises MeasuredError."""
    return result_files.rows(path, "a file that bench/tuning_replay.py wrote", {"sweep", "cells", "orders"})


def table(played: Sequence[Mapping[str, Any]]) -> str:
    """The table of a file of results."""
    return markdown.table(HEADS, rows(played))


def draw(arguments: argparse.Namespace) -> None:
    """Slowdown over the share of cells, a panel for each sweep."""
    found = read(arguments.measured[0])
    pyplot = plots.pyplot()
    columns = min(3, len(found))
    lines = -(-len(found) // columns)
    figure, panels = pyplot.subplots(
        lines, columns, figsize=(4.2 * columns, 3 * lines + 0.4), layout="constrained", squeeze=False, sharey=True
    )
    for panel in panels.flat[len(found) :]:
        panel.set_visible(False)
    for panel, one in zip(panels.flat, found, strict=False):
        for order, of in one["orders"].items():
            shares, _, slowdowns = zip(*of["steps"], strict=True)
            panel.plot([100 * share for share in shares], [100 * max(value, 1e-4) for value in slowdowns], label=order)
        few = f"1/{ACCLAIM} of the cells, as ACCLAiM"
        panel.axvline(100 / ACCLAIM, color="grey", linestyle=":", linewidth=1, label=few)
        close = f"{100 * CLOSE:.0f} %, close enough"
        panel.axhline(100 * CLOSE, color="grey", linestyle="--", linewidth=1, label=close)
        panel.set(title=one["sweep"], xlabel="cells asked for, %", yscale="symlog", ylim=(0, None))
        panel.yaxis.set_major_formatter("{x:g}")
        panel.grid(visible=True, alpha=0.3)
    panels[0][0].set_ylabel("mean slowdown, %")
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="outside upper center", ncols=5)
    plots.save(figure, arguments.picture)


def play_and_write(arguments: argparse.Namespace) -> None:
    """The command `play`. Raises MeasuredError."""
    result_files.output(arguments.output)
    read_by = ((path, of_matrices if path.suffix == ".json" else swept) for path in arguments.sweeps)
    found = []
    for sweep in [one for path, sweeps in read_by for one in sweeps(path)]:
        found.append(play(sweep))
        for row in list(rows(found))[-3:]:
            print("  ".join(row), flush=True)
    result_files.write(arguments.output, json.dumps({"schema": SCHEMA, "played": found}) + "\n")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    player = commands.add_parser("play", help="play sweeps")
    player.add_argument("sweeps", type=Path, nargs="+")
    player.add_argument("-o", "--output", type=Path, required=True)
    drawer = commands.add_parser("draw", help="draw a file of results")
    drawer.add_argument("measured", type=Path, nargs=1)
    drawer.add_argument("picture", type=Path)
    arguments = parser.parse_args()
    with mistakes_told():
        draw(arguments) if arguments.command == "draw" else play_and_write(arguments)


if __name__ == "__main__":
    main()
