r"""Time against tree, segment size, ranks and operation, as in figures 3 to 6 of Nishtala et al. 2003.

starling lab up single:16 --rate 20mbit --packet 0
starling lab run -- python bench/trees.py measure --mpicc mpicc.openmpi -o docs/results/trees-openmpi.json \
    -- mpirun.openmpi
python bench/trees.py draw docs/results/trees-openmpi.json docs/results/trees-openmpi.svg

Candidates take turns, `--rounds` times: a job of each, `--calls` calls of each operation in a job. `measure` adds
only what the file lacks.
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import markdown
import plots
import result_files
from command import command_line
from timing import carried_out, compiled, made, place_of, timed

from starling.lab import measured
from starling.lab.measured import Measurement, Measurements, seconds_of
from starling.networks import platform_file
from starling.terminal.figures import human_bytes

TREES = ("binary", "binomial", "chain", "sequential")
OPERATIONS = ("bcast", "reduce", "gather", "scatter")
SEGMENTS = ("none", "1024", "2048", "4096", "8192", "16384", "65536", "262144")


def jobs() -> Iterator[tuple[str, dict[str, str]]]:
    """Strategies, each with the candidates of operations that it forces: one job times all operations."""
    yield "native", dict.fromkeys(OPERATIONS, "native")
    for tree in TREES:
        for size in SEGMENTS:
            forced = dict.fromkeys(OPERATIONS, f"{tree}?segment={size}")
            yield "forced:" + ",".join(f"{operation}:{name}" for operation, name in forced.items()), forced


def segment(candidate: str) -> str:
    """The value of a candidate's parameter."""
    return candidate.partition("=")[2]


def bytes_of(segment: str) -> float:
    """A segment's length; a message that is not divided is longer than any."""
    return math.inf if segment == "none" else int(segment)


def measure(options: argparse.Namespace) -> None:
    """Measures what is missing in the output file."""
    place = place_of(platform_file.platform(os.environ["STARLING_PLATFORM"]))
    file = measured.read_or_empty(options.output)
    with tempfile.TemporaryDirectory(prefix="trees-") as folder:
        program = compiled(options.mpicc, Path(folder))
        for turn in range(options.rounds):
            for ranks in options.ranks:
                done = {(one.how, one.what) for one in file.measurements if (one.ranks, one.round) == (ranks, turn)}
                for strategy, forced in jobs():
                    wanted = {operation: name for operation, name in forced.items() if (name, operation) not in done}
                    if not wanted:
                        continue
                    cases = [f"{operation}:{options.bytes}" for operation in wanted]
                    launcher = [*options.launcher, "-n", str(ranks)]
                    times = timed(
                        launcher,
                        program,
                        strategy,
                        cases,
                        warmup=1,
                        calls=options.calls,
                        computation=options.computation,
                    )
                    run = times.record["run"]
                    file.measurements += [
                        Measurement(
                            what=operation,
                            bytes=options.bytes,
                            platform=place,
                            mpi=f"{run['mpi_flavour']} {run['mpi_version']}",
                            ranks=ranks,
                            how=name,
                            round=turn,
                            seconds=times.seconds[f"{operation}:{options.bytes}"],
                            cpu_idle=times.cpu_idle,
                            made=made(),
                        )
                        for operation, name in wanted.items()
                        if name == "native" or carried_out(times, operation, name)
                    ]
                    file.write(options.output)
                    print(f"round {turn}, {ranks} ranks: {strategy[:60]} (idle {times.cpu_idle:.0%})", flush=True)


def medians(file: Measurements, operation: str, ranks: int) -> dict[str, float]:
    """The median seconds of each candidate over all rounds."""
    return {
        case.how: median(seconds_of(rounds))
        for case, rounds in file.by_case().items()
        if (case.what, case.ranks) == (operation, ranks)
    }


def draw(options: argparse.Namespace) -> None:
    """A picture of four panels, one for each operation."""
    pyplot = plots.pyplot()
    file = measured.read(options.measured[0])
    entries = file.measurements
    most = max(one.ranks for one in entries)
    figure, axes = pyplot.subplots(2, 2, figsize=(10, 7), layout="constrained")
    for panel, operation in zip(axes.flat, OPERATIONS, strict=True):
        times = medians(file, operation, most)
        order = sorted({segment(name) for name in times if name != "native"}, key=bytes_of)
        for tree in TREES:
            line = [
                (i, times[name])
                for i, one in enumerate(order)
                for name in times
                if name.partition("?")[0] == tree and segment(name) == one
            ]
            panel.plot([i for i, _ in line], [1e3 * time for _, time in line], "o-", label=tree)
        panel.axhline(1e3 * times["native"], color="black", linestyle="--", label="native")
        panel.set(title=operation, ylabel="ms", xlabel="segment")
        plots.logarithmic(panel)
        panel.set_xticks(range(len(order)), [one if one == "none" else human_bytes(int(one)) for one in order])
        panel.tick_params(axis="x", labelsize="small")
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(TREES) + 1)
    plots.save(figure, options.picture)


def label(candidate: str) -> str:
    """`chain, 1 KiB` for `chain?segment=1024`."""
    tree, _, size = candidate.partition("?segment=")
    return tree if size in ("", "none") else f"{tree}, {human_bytes(int(size))}"


def table(file: Measurements) -> str:
    """Native, the best and the slowest candidate of each operation, by ranks. Raises MeasuredError without them."""
    rows = []
    for operation in OPERATIONS:
        for ranks in sorted({one.ranks for one in file.measurements}):
            times = medians(file, operation, ranks)
            native = times.pop("native", None)
            if native is None or not times:
                raise result_files.unmeasured(f"{operation}, {ranks} ranks", "a tree" if native else "native")
            best, slowest = min(times, key=times.__getitem__), max(times, key=times.__getitem__)
            ratio = f"{native / times[best]:.2f}"
            told = (f"{label(name)}: {1e3 * times[name]:.1f} ms" for name in (best, slowest))
            rows.append((operation, ranks, f"{1e3 * native:.1f} ms", next(told), ratio, next(told)))
    made = markdown.origin(one.made for one in file.measurements)
    return markdown.table(("operation", "ranks", "native", "best", "native / best", "slowest"), rows) + f"\n\n{made}"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of `measure`."""
    parser.add_argument("--mpicc", required=True, help="the compiler wrapper of the launcher's MPI")
    parser.add_argument("--bytes", type=int, default=65536)
    parser.add_argument("--ranks", type=int, nargs="+", default=[16], help="the launcher gets each as -n")
    parser.add_argument("--calls", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument(
        "--computation", type=float, default=0, help="seconds between calls, which then begin behind no barrier"
    )


if __name__ == "__main__":
    command_line(__doc__, add_options, measure, draw)
