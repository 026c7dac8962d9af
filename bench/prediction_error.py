r"""How well the cost model predicts: measures candidates one by one, then compares with what it says of them.

starling lab up single:8 --rate 20mbit
starling lab calibrate -o parameters.json -- mpirun -n 2
starling lab run -- python bench/prediction_error.py measure --mpicc mpicc --platform "$PLATFORM" -o measured.json \
    --collectives alltoall,allgather --sizes 16384,65536 -- mpirun -n 8
python bench/prediction_error.py compare measured.json --parameters parameters.json

`measure` adds to the file what is not there yet, so an interrupted one goes on where it was. Each candidate is forced,
and left out where the record says that another one ran. `--rate` and the like belong into a platform file.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from timing import carried_out, compiled, timed

from starling import platform_file, repository

GOOD = 1.1
"""A choice is good that takes at most this much of the best's time."""

Entry = dict[str, Any]
"""One measurement: platform, collective, bytes, ranks, candidate, median_s."""


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    measure = commands.add_parser("measure", help="measure every candidate that the model has a time for")
    measure.add_argument("--mpicc", required=True, help="the compiler wrapper of the launcher's MPI")
    measure.add_argument("--platform", required=True, help="a platform file or a short name")
    measure.add_argument("--collectives", default="alltoall,allgather,allreduce,bcast")
    measure.add_argument("--sizes", default="16384,65536", help="bytes")
    measure.add_argument("--calls", type=int, default=9, help="of which the median counts")
    measure.add_argument(
        "--within", type=float, default=8, help="leave out what is predicted to take so many times the best"
    )
    measure.add_argument("-o", "--output", type=Path, required=True)
    measure.add_argument("launcher", nargs="+", metavar="LAUNCHER", help="with -n RANKS, and without a program")
    compare = commands.add_parser("compare", help="compare measurements with predictions")
    compare.add_argument("measured", type=Path, nargs="+")
    compare.add_argument("--parameters", type=Path, help="of starling calibrate")
    compare.add_argument("--details", action="store_true", help="every candidate")
    return parser.parse_args()


def predicted(platform: str, entry: Entry, parameters: Path | None) -> dict[str, float]:
    """Seconds that the model gives to each candidate."""
    described = platform_file.platform(platform)
    found = repository.prediction(described, entry["ranks"], entry["collective"], entry["bytes"], 0, parameters)
    return {one["name"]: one["seconds"] for one in found["candidates"] if one["seconds"] is not None}


def measured(options: argparse.Namespace, program: Path, collective: str, name: str, size: int) -> Entry | None:
    """Runs one candidate; nothing where it did not run."""
    case, chosen = f"{collective}:{size}", f"forced:{collective}:{name}"
    asked = ("--platform", options.platform)
    try:
        times = timed(options.launcher, program, chosen, [case], warmup=1, calls=options.calls, options=asked)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return None
    if not carried_out(times, collective, name):
        print(f"{collective}:{name}, {size} bytes: could not serve", file=sys.stderr)
        return None
    return {
        "platform": options.platform,
        "collective": collective,
        "bytes": size,
        "ranks": times.record["run"]["ranks"],
        "candidate": name,
        "median_s": median(times.seconds[case]),
    }


def measure(options: argparse.Namespace) -> None:
    """Measures what is missing in the output file."""
    so_far: list[Entry] = json.loads(options.output.read_text()) if options.output.exists() else []
    known = {(one["collective"], one["bytes"], one["candidate"]) for one in so_far}
    ranks = int(options.launcher[options.launcher.index("-n") + 1])
    with tempfile.TemporaryDirectory(prefix="prediction-error-") as folder:
        program = compiled(options.mpicc, Path(folder))
        for collective in options.collectives.split(","):
            for size in map(int, options.sizes.split(",")):
                case = {"collective": collective, "bytes": size, "ranks": ranks}
                times = predicted(options.platform, case, None)
                for name, time in times.items():
                    if (collective, size, name) in known or time > options.within * min(times.values()):
                        continue
                    if entry := measured(options, program, collective, name, size):
                        so_far.append(entry)
                        options.output.write_text(json.dumps(so_far, indent=1) + "\n")


def cases(entries: Sequence[Entry]) -> Iterator[tuple[Entry, dict[str, float]]]:
    """What was measured of each collective and size: one of its entries, and the seconds of each candidate."""
    found: dict[tuple[str, str, int, int], list[Entry]] = {}
    for one in entries:
        found.setdefault((one["platform"], one["collective"], one["bytes"], one["ranks"]), []).append(one)
    for some in found.values():
        yield some[0], {one["candidate"]: one["median_s"] for one in some}


def compare(options: argparse.Namespace) -> None:
    """Prints the error of each case, and how good the first choice is."""
    entries = [one for path in options.measured for one in json.loads(path.read_text())]
    errors: dict[str, list[float]] = {}
    losses: dict[str, list[float]] = {}
    print("| collective | bytes | ranks | candidates | mean error | median bias | first choice | best | loss |")
    print("|---|---|---|---|---|---|---|---|---|")
    for case, times in cases(entries):
        model = predicted(case["platform"], case, options.parameters)
        names = [name for name in times if name in model]
        ratios = [model[name] / times[name] for name in names]
        choice, best = min(names, key=model.__getitem__), min(names, key=times.__getitem__)
        loss = times[choice] / times[best]
        errors.setdefault(case["collective"], []).extend(abs(ratio - 1) for ratio in ratios)
        losses.setdefault(case["collective"], []).append(loss)
        print(
            f"| {case['collective']} | {case['bytes']} | {case['ranks']} | {len(names)} "
            f"| {fmean(abs(ratio - 1) for ratio in ratios):.0%} | {median(ratios) - 1:+.0%} "
            f"| {choice} | {best} | {loss:.2f} |"
        )
        if options.details:
            for name in sorted(names, key=times.__getitem__):
                print(f"    {name:40} measured {times[name] * 1e3:9.3f} ms, predicted {model[name] * 1e3:9.3f} ms")
    print()
    for collective, some in errors.items():
        good = [loss <= GOOD for loss in losses[collective]]
        print(
            f"{collective}: mean error {fmean(some):.0%}, first choice within 10 % in {sum(good)} of {len(good)} cases"
        )
    everything = [loss for some in losses.values() for loss in some]
    print(
        f"first choice within 10 % of the best: {sum(loss <= GOOD for loss in everything)} of {len(everything)} cases"
    )


def main() -> None:
    """Measures or compares."""
    options = arguments()
    {"measure": measure, "compare": compare}[options.command](options)


if __name__ == "__main__":
    main()
