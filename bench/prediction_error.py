r"""How well the cost model predicts: measures candidates one by one, then compares with what it says of them.

starling lab up single:8 --rate 20mbit
starling lab calibrate -o parameters.json -- mpirun -n 2
starling lab run -- python bench/prediction_error.py measure --mpicc mpicc --platform "$PLATFORM" -o measured.json \
    --collectives alltoall,allgather --sizes 16384,65536 -- mpirun -n 8
python bench/prediction_error.py compare measured.json --parameters parameters.json

python bench/prediction_error.py compare docs/results/simulated.json --latency 5us \
    --parameters docs/results/smpi-parameters.json

`measure` adds to the file what is not there yet, so an interrupted one goes on where it was. Each candidate is forced,
and left out where the record says that another one ran. `--rate` and the like belong into a platform file.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, median

from timing import carried_out, compiled, timed

from starling import measured, platform_file, repository
from starling.measured import Measurement
from starling.platform_file import Platform

GOOD = 1.1
"""A choice is good that takes at most this much of the best's time."""
FEWEST = 3
"""Candidates of a case: among fewer there is no choice to judge."""


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
    compare.add_argument("--latency", help="of each link, like 5us; by default what the platform says")
    compare.add_argument("--details", action="store_true", help="every candidate")
    return parser.parse_args()


def predicted(
    platform: Platform, ranks: int, collective: str, size: int, parameters: Path | None = None
) -> dict[str, float]:
    """Seconds that the model gives to each candidate."""
    found = repository.prediction(platform, ranks, collective, size, 0, parameters)
    return {one["name"]: one["seconds"] for one in found["candidates"] if one["seconds"] is not None}


def one_candidate(
    options: argparse.Namespace, program: Path, collective: str, name: str, size: int
) -> Measurement | None:
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
    run = times.record["run"]
    return Measurement(
        what=collective,
        bytes=size,
        platform=options.platform,
        mpi=f"{run['mpi_flavour']} {run['mpi_version']}",
        ranks=run["ranks"],
        how=name,
        seconds=times.seconds[case],
        cpu_idle=times.cpu_idle,
    )


def measure(options: argparse.Namespace) -> None:
    """Measures what is missing in the output file."""
    file = measured.continued(options.output)
    known = {(one.what, one.bytes, one.how) for one in file.measurements}
    platform = platform_file.platform(options.platform)
    ranks = int(options.launcher[options.launcher.index("-n") + 1])
    with tempfile.TemporaryDirectory(prefix="prediction-error-") as folder:
        program = compiled(options.mpicc, Path(folder))
        for collective in options.collectives.split(","):
            for size in map(int, options.sizes.split(",")):
                times = predicted(platform, ranks, collective, size)
                for name, time in times.items():
                    if (collective, size, name) in known or time > options.within * min(times.values()):
                        continue
                    if found := one_candidate(options, program, collective, name, size):
                        file.measurements.append(found)
                        file.write(options.output)


def cases(some: Sequence[Measurement]) -> Iterator[tuple[Measurement, dict[str, float]]]:
    """What was measured of each collective and size: one of its measurements, and the seconds of each candidate."""
    found: dict[tuple[str, str, str, int, int], dict[str, list[Measurement]]] = {}
    for one in some:
        if one.bytes is not None:
            case = found.setdefault((one.platform, one.mpi, one.what, one.bytes, one.ranks), {})
            case.setdefault(one.how, []).append(one)
    for of_case in found.values():
        first = next(iter(of_case.values()))[0]
        yield first, {how: median(measured.seconds_of(rounds)) for how, rounds in of_case.items()}


def described(platform: str, latency: str | None) -> Platform:
    """The platform, with another latency of its links where one is given."""
    found = platform_file.platform(platform)
    return platform_file.adjusted(found, latency=platform_file.seconds(latency)) if latency else found


def compare(options: argparse.Namespace) -> None:
    """Prints the error of each case, and how good the first choice is."""
    errors: dict[str, list[float]] = {}
    losses: dict[str, list[float]] = {}
    print("| platform | collective | bytes | candidates | mean error | median bias | first choice | best | loss |")
    print("|---|---|---|---|---|---|---|---|---|")
    for case, times in cases([one for path in options.measured for one in measured.read(path).measurements]):
        if len(times) < FEWEST:
            continue
        platform = described(case.platform, options.latency)
        model = predicted(platform, case.ranks, case.what, case.bytes or 0, options.parameters)
        names = [name for name in times if name in model]
        if len(names) < FEWEST:
            continue
        ratios = [model[name] / times[name] for name in names]
        choice, best = min(names, key=model.__getitem__), min(names, key=times.__getitem__)
        loss = times[choice] / times[best]
        errors.setdefault(case.what, []).extend(abs(ratio - 1) for ratio in ratios)
        losses.setdefault(case.what, []).append(loss)
        print(
            f"| {case.platform} | {case.what} | {case.bytes} | {len(names)} "
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
