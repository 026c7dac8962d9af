r"""Collectives in which not all ranks know how large blocks are: ways that pass blocks on, whose sizes go before them.

starling lab up single:8 --ranks-per-host 4
starling lab run -- python bench/unknown_sizes.py measure --mpicc mpicc.openmpi \
    -o docs/results/unknown-sizes-openmpi.json -- mpirun.openmpi -n 32
python bench/pages.py unknown-sizes docs/results/unknown-sizes-openmpi.json

On a lab, or without one on the processors of this machine. unknown_sizes.c calls each collective with blocks of each
mean size by every way in turns, in one job. A file is measured in one go.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

import markdown
from command import command_line
from timing import command, made, place_of

from starling.lab import idle, measured
from starling.lab.measured import Measurement, Measurements
from starling.networks import platform_file

PROGRAM = Path(__file__).with_suffix(".c")
INCLUDE = PROGRAM.parents[1] / "include"
NATIVE = "native"
DIRECT = {
    "gatherv": ("sequential", "shared"),
    "scatterv": ("sequential", "shared"),
    "alltoallv": ("linear_window", "pair", "phased", "ring", "shared", "simple"),
}
"""By collective, the algorithms that send each block straight to its rank."""
TIMEOUT = 1800


def measure(options: argparse.Namespace) -> None:
    """Measures all of the file."""
    file = measured.read_or_empty(options.output)
    if file.measurements:
        return
    lab = os.environ.get("STARLING_PLATFORM")
    place = place_of(platform_file.platform(lab)) if lab else f"one node, {os.cpu_count()} processors"
    cases = [f"{one}:{size}" for one in options.collectives for size in options.sizes]
    with tempfile.TemporaryDirectory(prefix="unknown-sizes-") as folder:
        program = Path(folder) / PROGRAM.stem
        subprocess.run([options.mpicc, "-O2", f"-I{INCLUDE}", PROGRAM, "-o", program], check=True)
        record = Path(folder) / "record.json"
        line = [
            *command(options.launcher, program, NATIVE, record, ()),
            str(options.rounds),
            str(options.calls),
            *cases,
        ]
        before = idle.ticks()
        done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=TIMEOUT)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(line)}: exit status {done.returncode}: {done.stderr.strip()[-300:]}")
        share = round(idle.ticks().idle_since(before), 3)
        run = json.loads(record.read_text())["run"]
    found = json.loads(done.stdout)
    file.measurements += [
        Measurement(
            what=one["collective"],
            bytes=one["bytes"],
            platform=place,
            mpi=f"{run['mpi_flavour']} {run['mpi_version']}",
            ranks=found["ranks"],
            how=one["way"],
            round=one["round"],
            seconds=one["seconds"],
            cpu_idle=share if lab else None,
            made=made(),
        )
        for one in found["times"]
    ]
    file.write(options.output)


class Row(NamedTuple):
    """A cell, in seconds a call; ratios to native within rounds."""

    collective: str
    bytes: int
    native: float
    direct: tuple[float, str]
    passed_on: tuple[float, list[float], str]


def algorithm_of(way: str) -> str:
    """Its name without parameters and synchronisation."""
    return way.partition("?")[0].removesuffix("_light_barrier").removesuffix("_mpi_barrier")


def rows_of(file: Measurements) -> Iterator[Row]:
    """Of each cell the fastest way of both kinds."""
    cells: dict[tuple[str, int], dict[str, list[float]]] = {}
    for one in file.measurements:
        cells.setdefault((one.what, one.bytes or 0), {}).setdefault(one.how, []).append(median(one.seconds))
    for (what, size), ways in cells.items():
        native = ways[NATIVE]
        over_native = {
            how: [mine / theirs for mine, theirs in zip(seconds, native, strict=True)] for how, seconds in ways.items()
        }
        direct = {how for how in ways if algorithm_of(how) in DIRECT[what]}
        others = ways.keys() - direct - {NATIVE}
        best = min(direct, key=lambda how: median(over_native[how]))
        passed = min(others, key=lambda how: median(over_native[how]))
        yield Row(
            what,
            size,
            median(native),
            (median(over_native[best]), best),
            (median(over_native[passed]), over_native[passed], passed),
        )


def table(*files: Measurements) -> str:
    """A row for each cell."""
    titles = (
        *("cluster, MPI", "collective", "bytes of a block", "native, ms", "the best direct way / native", "it"),
        *("the best that passes blocks on / native", "rounds", "it"),
    )
    lines: list[list[object]] = []
    for file in files:
        first = file.measurements[0]
        for row in rows_of(file):
            ratio, ratios, passed = row.passed_on
            lines.append(
                [
                    f"{first.platform}, {first.mpi}, {first.ranks} ranks"
                    + (" (CPU-bound)" if measured.cpu_bound(file.measurements) else ""),
                    row.collective,
                    row.bytes,
                    f"{1000 * row.native:.3f}",
                    f"{row.direct[0]:.2f}",
                    f"`{row.direct[1]}`",
                    f"{ratio:.2f}",
                    f"{min(ratios):.2f} to {max(ratios):.2f}",
                    f"`{passed}`",
                ]
            )
    made_on = (one.made for file in files for one in file.measurements)
    return f"{markdown.table(titles, lines)}\n\n{markdown.origin(made_on)}"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of `measure`."""
    parser.add_argument("--mpicc", required=True, help="the compiler wrapper of the launcher's MPI")
    parser.add_argument("--collectives", nargs="+", default=tuple(DIRECT), choices=tuple(DIRECT))
    parser.add_argument("--sizes", type=int, nargs="+", default=(8, 256, 4096, 32768), help="mean bytes of a block")
    parser.add_argument("--calls", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)


if __name__ == "__main__":
    command_line(__doc__, add_options, measure, needs_lab=False)
