"""What STAR-MPI's tuner costs on real ranks, as in table 7 of its paper: O_MS^a, O_MS^c and O_MA for one call.

python bench/star_overhead.py --library build/libstarling-openmpi.so --mpicc mpicc.openmpi -- mpirun.openmpi -n 4
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

PROGRAM = Path(__file__).with_suffix(".c")
LIMIT = 0.003
"""The paper's bound of bookkeeping, as a share of a call's time (section 4.3)."""


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, required=True, help="the variant of the library for that MPI")
    parser.add_argument("--mpicc", required=True, help="its compiler wrapper")
    parser.add_argument("--strategy", default="star", help="star or star-basic")
    parser.add_argument("--bytes", type=int, default=65536, help="of one block")
    parser.add_argument("--iterations", type=int, default=500, help="calls; the paper has 500")
    parser.add_argument("--computation", type=float, default=5, help="of each iteration, in calls; the paper has 5")
    parser.add_argument("--repetitions", type=int, default=5, help="runs of the program")
    parser.add_argument("launcher", nargs="+", metavar="LAUNCHER", help="a launcher line without a program")
    return parser.parse_args()


def compiled(options: argparse.Namespace, folder: Path) -> Path:
    """The micro-benchmark's program."""
    program = folder / "star_overhead"
    subprocess.run([options.mpicc, "-O2", PROGRAM, "-o", program], check=True)
    return program


def measured(options: argparse.Namespace, program: Path) -> dict[str, Any]:
    """Runs it once under the library; the record's entry of its alltoall."""
    record = program.with_name("record.json")
    settings = [
        f"LD_PRELOAD={options.library.resolve()}",
        f"STARLING_STRATEGY={options.strategy}",
        f"STARLING_RECORD={record}",
        "STARLING_HISTORY=off",
    ]
    numbers = map(str, (options.bytes, options.iterations, options.computation))
    subprocess.run([*options.launcher, "env", *settings, str(program), *numbers], check=True, timeout=600)
    contexts = json.loads(record.read_text())["contexts"]
    context: dict[str, Any] = next(context for context in contexts if context["collective"] == "alltoall")
    return context


def cost(context: dict[str, Any], phase: str) -> tuple[float, float]:
    """Microseconds of a call in a phase, and of its bookkeeping."""
    took = context["phases"][phase]
    return 1e6 * took["seconds"] / took["calls"], 1e6 * took["bookkeeping_seconds"] / took["calls"]


def main() -> int:
    """Prints the table; fails where the bookkeeping is above the paper's bound."""
    options = arguments()
    within = True
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(options, Path(folder))
        contexts = [measured(options, program) for _ in range(options.repetitions)]
    print(
        f"alltoall, {options.bytes} bytes, {contexts[0]['ranks']} ranks, {options.strategy}; microseconds a call on "
        f"rank 0, medians of {options.repetitions} runs"
    )
    for phase, name in (("exploring", "O_MS^a"), ("settled", "O_MA")):
        costs = [cost(context, phase) for context in contexts]
        shares = sorted(bookkeeping / call for call, bookkeeping in costs)
        within = within and median(shares) < LIMIT
        call, bookkeeping = (median(column) for column in zip(*costs, strict=True))
        print(
            f"{name:7} {bookkeeping:10.3f} of {call:9.1f}: {median(shares):.3%}, {shares[0]:.3%} to {shares[-1]:.3%}; "
            f"the paper has less than {LIMIT:.1%}"
        )
    above = median(1e6 * context["tuning_seconds"] / context["phases"]["exploring"]["calls"] for context in contexts)
    calls = sorted(context["phases"]["exploring"]["calls"] for context in contexts)
    print(f"{'O_MS^c':7} {above:10.3f} above the winner's time, over {calls[0]} to {calls[-1]} calls")
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
