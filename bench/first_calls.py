r"""The first calls of each collective with `auto`, next to as many native ones: what a user's clock says.

starling lab up single:16
starling lab run -- python bench/first_calls.py measure --mpicc mpicc.openmpi -o docs/results/first-openmpi.json \
    -- mpirun.openmpi -n 16
python bench/first_calls.py measure --mpicc mpicc.mpich --calls 2000 -o first-node.json -- mpirun.mpich -n 2
python bench/first_calls.py draw docs/results/first-openmpi.json first.svg

On a lab, or without one on the processors of this machine. A cell is a collective and a size. Each has three jobs in a
round: native, `auto` from nothing, and `auto` with what the second has learnt; in every other round native comes last.
Jobs get no platform file, so the second measures the network where that may pay; `notes` say how long that took. Where
there are many calls, the file has sums of several in a row. `measure` adds only what it lacks.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from statistics import mean, median

import markdown
import plots
import result_files
from command import command_line
from suite_tables import COLLECTIVES, Cell
from timing import Times, compiled, made, place_of, timed

from starling.lab import measured
from starling.lab.measured import Measurement, Measurements
from starling.networks import platform_file

NATIVE, NOTHING, HISTORY = "native", "auto", "auto from history"
NUMBERS = 100
"""Most times of a job in the file."""


def measure(options: argparse.Namespace) -> None:
    """Measures what is missing in the output file."""
    place = _place()
    env = {name: value for name, value in os.environ.items() if name != "STARLING_PLATFORM"}
    file = measured.read_or_empty(options.output)
    there = {(one.what, one.bytes, one.round) for one in file.measurements}
    cells = [(one, size) for size in options.sizes for one in options.collectives]
    with tempfile.TemporaryDirectory(prefix="first-calls-") as folder:
        program = compiled(options.mpicc, Path(folder))
        for turn in range(options.rounds):
            for cell in cells:
                if (*cell, turn) in there:
                    continue
                jobs = _jobs(options, program, f"{cell[0]}:{cell[1]}", env, native_first=turn % 2 == 0)
                file.measurements += [
                    _measurement(cell, how, turn, place, times, options.row) for how, times in jobs.items()
                ]
                file.write(options.output)
                said = ", ".join(f"{how} {_total(cell, times) * options.row:.2f} s" for how, times in jobs.items())
                print(f"round {turn}: {cell[0]} {cell[1]}: {said}", flush=True)


def _place() -> str:
    lab = os.environ.get("STARLING_PLATFORM")
    return place_of(platform_file.platform(lab)) if lab else f"one node, {os.cpu_count()} processors"


def _jobs(
    options: argparse.Namespace, program: Path, case: str, env: Mapping[str, str], *, native_first: bool
) -> dict[str, Times]:
    with tempfile.TemporaryDirectory(dir=program.parent) as history:

        def job(strategy: str, where: str) -> Times:
            flags = ["--history", where]
            many = {"warmup": 0, "calls": options.calls // options.row, "row": options.row}
            return timed(options.launcher, program, strategy, [case], options=flags, env=env, **many)

        order = (NATIVE, NOTHING, HISTORY) if native_first else (NOTHING, HISTORY, NATIVE)
        return {how: job("native", "off") if how == NATIVE else job("auto", history) for how in order}


def _total(cell: Cell, times: Times) -> float:
    return sum(times.seconds[f"{cell[0]}:{cell[1]}"])


def _measurement(cell: Cell, how: str, turn: int, place: str, times: Times, row: int) -> Measurement:
    run = times.record["run"]
    calls = times.seconds[f"{cell[0]}:{cell[1]}"]
    together = -(-len(calls) // NUMBERS)
    contexts = [one for one in times.record["contexts"] if (one["collective"], one["bytes"]) == cell]
    return Measurement(
        what=cell[0],
        bytes=cell[1],
        platform=place,
        mpi=f"{run['mpi_flavour']} {run['mpi_version']}",
        ranks=run["ranks"],
        how=how,
        round=turn,
        seconds=[row * sum(calls[at : at + together]) for at in range(0, len(calls), together)],
        cpu_idle=times.cpu_idle if "STARLING_PLATFORM" in os.environ else None,
        made=made(),
        notes={
            "winner": contexts[0]["winner"] if contexts else NATIVE,
            "network_s": run.get("probe_s") or 0.0,
            "calls": row * len(calls),
        },
    )


class Row:
    """A cell's totals over native's, medians over rounds.

    `nothing` is without the time in which the network was measured, `clock` with it. Raises MeasuredError where rounds
    are missing.
    """

    def __init__(self, cell: Cell, rounds: Mapping[str, Sequence[Measurement]]) -> None:
        self.cell = cell
        counts = {how: len(rounds.get(how, ())) for how in (NATIVE, NOTHING, HISTORY)}
        for how, count in counts.items():
            if count < max(counts.values()):
                raise result_files.unmeasured(f"{cell[0]} {cell[1]}", f"round {count} of {how}")
        self.native = median(sum(one.seconds) for one in rounds[NATIVE])
        pairs = [
            (sum(natively.seconds), sum(one.seconds), float(one.notes["network_s"]))
            for natively, one in zip(rounds[NATIVE], rounds[NOTHING], strict=True)
        ]
        self.nothing = median((total - network) / native for native, total, network in pairs)
        self.clocks = [total / native for native, total, _ in pairs]
        self.clock = median(self.clocks)
        self.histories = [
            sum(one.seconds) / sum(natively.seconds)
            for natively, one in zip(rounds[NATIVE], rounds[HISTORY], strict=True)
        ]
        self.history = median(self.histories)
        self.calls = _calls(rounds[NATIVE][0])
        self.ends = [str(one.notes["winner"]) for one in rounds[HISTORY]]
        self.cpu_bound = any(measured.cpu_bound(some) for some in rounds.values())


def rows_of(file: Measurements) -> list[Row]:
    """A row for each cell."""
    found: dict[Cell, dict[str, list[Measurement]]] = {}
    for one in file.measurements:
        found.setdefault((one.what, one.bytes or 0), {}).setdefault(one.how, []).append(one)
    return [
        Row(cell, rounds)
        for cell, rounds in sorted(found.items(), key=lambda item: (COLLECTIVES.index(item[0][0]), item[0][1]))
    ]


def _title(file: Measurements) -> str:
    first = file.measurements[0]
    return f"{first.platform}, {first.mpi}, {first.ranks} ranks"


def summary(*files: Measurements) -> str:
    """A row for each file: means and worst cells."""
    titles = ["cluster, MPI", "cells", "from nothing", "worst", "by the clock", "worst", "from history", "worst"]
    lines: list[list[object]] = []
    for file in files:
        rows = rows_of(file)
        values = [[getattr(row, name) for row in rows] for name in ("nothing", "clock", "history")]
        numbers = [f"{of(some):.2f}" for some in values for of in (mean, max)]
        lines.append([_title(file), len(rows), *numbers])
    return markdown.table(titles, lines)


def cells(file: Measurements) -> str:
    """A row for each cell: totals over native's."""
    titles = ["collective", "KiB", "native", "from nothing", "by the clock", "its rounds", "from history", "its rounds"]
    titles.append("ends with")

    def each(ratios: Sequence[float]) -> str:
        return ", ".join(f"{one:.2f}" for one in ratios)

    lines = [
        [
            row.cell[0] + (" (CPU-bound)" if row.cpu_bound else ""),
            f"{row.cell[1] / 1024:g}",
            f"{row.native:.2f} s",
            f"{row.nothing:.2f}",
            f"{row.clock:.2f}",
            each(row.clocks),
            f"{row.history:.2f}",
            each(row.histories),
            ", ".join(dict.fromkeys(row.ends)),
        ]
        for row in rows_of(file)
    ]
    calls = rows_of(file)[0].calls
    heading = f"### {_title(file)}, {calls} calls"
    return f"{heading}\n\n{markdown.table(titles, lines)}\n\n{markdown.origin(one.made for one in file.measurements)}"


def _calls(one: Measurement) -> int:
    found: int = one.notes.get("calls", len(one.seconds))
    return found


def so_far(rounds: Sequence[Measurement], natively: Sequence[Measurement]) -> Iterator[list[float]]:
    """Of each round, after each call: the time of all calls until then over native's of as many."""
    for native, one in zip(natively, rounds, strict=True):
        pairs = zip(accumulate(native.seconds), accumulate(one.seconds), strict=True)
        yield [total / of_native for of_native, total in pairs]


def draw(options: argparse.Namespace) -> None:
    """The time of all calls so far over native's of as many: a panel for each file, a line for each cell.

    Both are by the clock, so that native's slow first calls count in both.
    """
    pyplot = plots.pyplot()
    files = [measured.read(path) for path in options.measured]
    columns = min(3, len(files))
    rows = -(-len(files) // columns)
    figure, axes = pyplot.subplots(
        rows, columns, figsize=(4 * columns, 3 * rows + 0.5), layout="constrained", sharey=True, squeeze=False
    )
    for panel, file in zip(axes.flat, files, strict=False):
        cells_of: dict[Cell, dict[str, list[Measurement]]] = {}
        for one in file.measurements:
            cells_of.setdefault((one.what, one.bytes or 0), {}).setdefault(one.how, []).append(one)
        for how, colour in ((NOTHING, "C1"), (HISTORY, "C0")):
            every: list[list[float]] = []
            for hows in cells_of.values():
                middle = [median(some) for some in zip(*so_far(hows[how], hows[NATIVE]), strict=True)]
                together = _calls(hows[how][0]) / len(middle)
                calls = [together * number for number in range(1, len(middle) + 1)]
                panel.plot(calls, middle, color=colour, linewidth=0.5, alpha=0.4)
                every.append(middle)
            means = [mean(some) for some in zip(*every, strict=True)]
            panel.plot(calls, means, color=colour, linewidth=2, label=how)
        panel.axhline(1, color="gray", linewidth=1)
        panel.set(title=_title(file), ylim=(0, 2))
        panel.title.set_fontsize(8)
    for panel in list(axes.flat)[len(files) :]:
        panel.set_visible(False)
    figure.supxlabel("calls")
    figure.supylabel("time so far / native's so far")
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    plots.save(figure, options.picture)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of `measure`."""
    parser.add_argument("--mpicc", required=True, help="the compiler wrapper of the launcher's MPI")
    parser.add_argument("--collectives", nargs="+", default=COLLECTIVES, choices=COLLECTIVES)
    parser.add_argument("--sizes", type=int, nargs="+", default=(16384, 65536, 262144), help="bytes of a block")
    parser.add_argument("--calls", type=int, default=60)
    parser.add_argument("--row", type=int, default=1, help="calls in a row behind each barrier")
    parser.add_argument("--rounds", type=int, default=2)


if __name__ == "__main__":
    command_line(__doc__, add_options, measure, draw, needs_lab=False)
