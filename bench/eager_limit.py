r"""Where messages begin to wait for their receivers: the MPI library's collectives by size, with several eager limits.

starling lab up single:16
starling lab run -- python bench/eager_limit.py measure --mpicc mpicc.openmpi \
    -o docs/results/eager-limit.json -- mpirun.openmpi -n 16
python bench/eager_limit.py draw docs/results/eager-limit.json docs/results/eager-limit.svg

Open MPI over TCP sends a message shorter than `btl_tcp_eager_limit` at once, and a longer one when the receiver has
asked for it. A job for each limit, in turns, with all sizes; the library's own choice of algorithms. `measure` adds
only the rounds that the file lacks.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median

import markdown
import plots
import result_files
from command import command_line
from timing import compiled, made, place_of, timed

from starling.lab import measured
from starling.lab.measured import Measurement, Measurements
from starling.networks import platform_file

KIBI = 1024
DEFAULT = 64 * KIBI
LIMITS = (16 * KIBI, DEFAULT, 256 * KIBI)
SIZES = (8 * KIBI, 16 * KIBI, 32 * KIBI, 60 * KIBI, 64 * KIBI, 96 * KIBI, 128 * KIBI, 256 * KIBI)
COLLECTIVES: Mapping[str, int] = {"alltoall": 128 * KIBI, "bcast": 256 * KIBI, "reduce": 256 * KIBI}
"""With the largest size of each."""
WARMUP, CALLS = 2, 5


def _name(limit: int) -> str:
    return f"{limit // KIBI} KiB"


def measure(options: argparse.Namespace) -> None:
    """Measures the rounds that are missing in the output file."""
    file = measured.read_or_empty(options.output)
    platform = place_of(platform_file.platform(os.environ["STARLING_PLATFORM"]))
    cases = [f"{what}:{size}" for what, most in COLLECTIVES.items() for size in SIZES if size <= most]
    with tempfile.TemporaryDirectory(prefix="eager-limit-") as folder:
        program = compiled(options.mpicc, Path(folder))
        for turn in range(options.rounds):
            for limit in LIMITS:
                if any((one.how, one.round) == (_name(limit), turn) for one in file.measurements):
                    continue
                env = {**os.environ, "OMPI_MCA_btl_tcp_eager_limit": str(limit)}
                env["OMPI_MCA_btl_tcp_rndv_eager_limit"] = str(limit)  # the eager part of a longer message
                job = timed(options.launcher, program, "native", cases, warmup=WARMUP, calls=CALLS, env=env)
                run = job.record["run"]
                for case, seconds in job.seconds.items():
                    what, _, size = case.partition(":")
                    file.measurements.append(
                        Measurement(
                            what=what,
                            bytes=int(size),
                            platform=platform,
                            mpi=f"{run['mpi_flavour']} {run['mpi_version']}",
                            ranks=run["ranks"],
                            how=_name(limit),
                            round=turn,
                            seconds=seconds,
                            cpu_idle=job.cpu_idle,
                            made=made(),
                        )
                    )
                file.write(options.output)
                print(f"round {turn}: eager limit {_name(limit)}, {job.cpu_idle:.0%} idle", flush=True)


def _middles(file: Measurements) -> dict[tuple[str, int], dict[str, float]]:
    """The median of all rounds' calls, by collective and size, then by limit. Raises MeasuredError where one lacks."""
    found: dict[tuple[str, int], dict[str, list[float]]] = {}
    for one in file.measurements:
        found.setdefault((one.what, one.bytes or 0), {}).setdefault(one.how, []).extend(one.seconds)
    for (what, size), limits in found.items():
        for limit in LIMITS:
            if _name(limit) not in limits:
                raise result_files.unmeasured(f"{what} of {size} bytes", f"an eager limit of {_name(limit)}")
    return {case: {how: median(seconds) for how, seconds in limits.items()} for case, limits in found.items()}


def table(file: Measurements) -> str:
    """Milliseconds of a call, a row for each collective and size; a size at or above a limit has its time in bold."""
    rows = []
    for (what, size), times in _middles(file).items():
        cells = []
        for limit in LIMITS:
            cell = markdown.number(1e3 * times[_name(limit)])
            cells.append(f"**{cell}**" if size >= limit else cell)
        rows.append([what, f"{size // KIBI} KiB", *cells, f"{times[_name(DEFAULT)] / times[_name(LIMITS[-1])]:.2f}"])
    titles = [f"{_name(limit)}, ms" for limit in LIMITS]
    told = markdown.table(
        ["collective", "size", *titles, f"{_name(DEFAULT)} / {_name(LIMITS[-1])}"],
        rows,
    )
    return f"{told}\n\n{markdown.origin(one.made for one in file.measurements)}"


def draw(options: argparse.Namespace) -> None:
    """Microseconds for each KiB of a block, against its size, a panel for each collective."""
    pyplot = plots.pyplot()
    (path,) = options.measured
    middles = _middles(measured.read(path))
    figure, axes = pyplot.subplots(1, len(COLLECTIVES), figsize=(12, 4), layout="constrained")
    for panel, what in zip(axes.flat, COLLECTIVES, strict=True):
        sizes = sorted(size for name, size in middles if name == what)
        for limit in LIMITS:
            each = [1e6 * middles[what, size][_name(limit)] / (size / KIBI) for size in sizes]
            panel.plot([size / KIBI for size in sizes], each, marker="o", label=f"eager limit {_name(limit)}")
        panel.set_xscale("log", base=2)
        panel.set_xticks([size / KIBI for size in SIZES if size != 60 * KIBI])
        panel.xaxis.set_major_formatter("{x:.0f}")
        panel.set(title=what, xlabel="block or vector, KiB", ylim=(0, 1.1 * panel.get_ylim()[1]))
        panel.grid(visible=True, alpha=0.3)
    axes.flat[0].set_ylabel("us of a call per KiB")
    axes.flat[0].legend()
    plots.save(figure, options.picture)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Of `measure`."""
    parser.add_argument("--mpicc", required=True, help="the compiler wrapper of the launcher's MPI")
    parser.add_argument("--rounds", type=int, default=3)


if __name__ == "__main__":
    command_line(__doc__, add_options, measure, draw)
