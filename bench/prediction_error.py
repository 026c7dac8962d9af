r"""How well the cost model predicts: measures candidates one by one, then compares with its predictions.

starling lab up single:8 --rate 20mbit
starling lab calibrate -o parameters.json -- mpirun -n 2
starling lab run -- python bench/prediction_error.py measure --mpicc mpicc --platform "$PLATFORM" -o measured.json \
    --collectives alltoall,allgather --sizes 16384,65536 -- mpirun -n 8
python bench/prediction_error.py predict measured.json --parameters parameters.json -o predicted.json
python bench/prediction_error.py compare measured.json predicted.json

python bench/prediction_error.py predict docs/results/simulated.json --latency 5us \
    --parameters docs/results/smpi-parameters.json -o docs/results/predicted.json

`measure` forces native and each candidate, and leaves out those for which another one ran according to the record. It
adds only what the file lacks, so an interrupted one continues where it stopped. Options like `--rate` belong into a
platform file.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

import markdown
from command import mistakes_told
from timing import carried_out, compiled, made, timed

from starling.algorithms import repository
from starling.lab import measured
from starling.lab.measured import Case, MeasuredError, Measurement, Measurements
from starling.networks import platform_file
from starling.networks.platform_file import Platform

GOOD = 1.1
"""A choice is good if it takes at most this multiple of the best's time."""
MODEL = "cost model"
FEWEST = 3
"""Least number of candidates of a case for judging the choice."""


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    measure = commands.add_parser("measure", help="measure native and every candidate that the model has a time for")
    measure.add_argument("--mpicc", required=True, help="the compiler wrapper of the launcher's MPI")
    measure.add_argument("--platform", required=True, help="a platform file or a short name")
    measure.add_argument("--collectives", default="alltoall,allgather,allreduce,bcast")
    measure.add_argument("--sizes", default="16384,65536", help="bytes")
    measure.add_argument("--calls", type=int, default=9, help="of which the median counts")
    measure.add_argument("--rounds", type=int, default=1, help="in each of which all candidates take turns")
    measure.add_argument(
        "--within", type=float, default=8, help="leave out what is predicted to take so many times the best"
    )
    measure.add_argument("-o", "--output", type=Path, required=True)
    measure.add_argument("launcher", nargs="+", metavar="LAUNCHER", help="with -n RANKS, and without a program")
    predict = commands.add_parser("predict", help="what the model says of everything that was measured")
    predict.add_argument("measured", type=Path)
    predict.add_argument("--parameters", type=Path, help="of starling calibrate")
    predict.add_argument("--latency", help="of each link, like 5us; by default what the platform says")
    predict.add_argument("-o", "--output", type=Path, required=True)
    compare = commands.add_parser("compare", help="compare measurements with predictions")
    compare.add_argument("measured", type=Path)
    compare.add_argument("predicted", type=Path)
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
    """Runs one candidate; None where it did not run."""
    case, chosen = f"{collective}:{size}", f"forced:{collective}:{name}"
    asked = ("--platform", options.platform)
    try:
        times = timed(options.launcher, program, chosen, [case], warmup=1, calls=options.calls, options=asked)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return None
    if name != "native" and not carried_out(times, collective, name):
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
        made=made(),
    )


def measure(options: argparse.Namespace) -> None:
    """Measures what is missing in the output file."""
    file = measured.read_or_empty(options.output)
    known = {(one.what, one.bytes, one.how, one.round) for one in file.measurements}
    platform = platform_file.platform(options.platform)
    ranks = int(options.launcher[options.launcher.index("-n") + 1])
    with tempfile.TemporaryDirectory(prefix="prediction-error-") as folder:
        program = compiled(options.mpicc, Path(folder))
        for turn in range(options.rounds):
            for collective in options.collectives.split(","):
                for size in map(int, options.sizes.split(",")):
                    times = predicted(platform, ranks, collective, size)
                    near = [name for name, time in times.items() if time <= options.within * min(times.values())]
                    for name in ("native", *near):
                        if (collective, size, name, turn) in known:
                            continue
                        if found := one_candidate(options, program, collective, name, size):
                            file.measurements.append(found.model_copy(update={"round": turn}))
                            file.write(options.output)


@dataclass(frozen=True)
class Judged:
    """A case: seconds of its candidates, measured and predicted."""

    case: Case
    times: Mapping[str, float]
    model: Mapping[str, float]

    @property
    def ratios(self) -> list[float]:
        """Predicted / measured time."""
        return [self.model[name] / time for name, time in self.times.items()]

    @property
    def choice(self) -> str:
        """The fastest candidate by the model."""
        return min(self.times, key=self.model.__getitem__)

    @property
    def best(self) -> str:
        """The fastest measured candidate."""
        return min(self.times, key=self.times.__getitem__)

    @property
    def loss(self) -> float:
        """The choice's time relative to the best's."""
        return self.times[self.choice] / self.times[self.best]


def times_of(file: Measurements) -> dict[Case, dict[str, float]]:
    """Median seconds of each candidate, by cases that name none."""
    found: dict[Case, dict[str, float]] = {}
    for case, rounds in file.by_case().items():
        if case.bytes is not None:
            found.setdefault(case._replace(how=""), {})[case.how] = median(measured.seconds_of(rounds))
    return found


def judged(times: Measurements, model: Measurements) -> list[Judged]:
    """The cases with enough predicted candidates to judge the choice."""
    predictions = {case._replace(mpi=""): found for case, found in times_of(model).items()}
    result = []
    for case, found in times_of(times).items():
        said = predictions.get(case._replace(mpi=""), {})
        both = {name: seconds for name, seconds in found.items() if name in said}
        if len(both) >= FEWEST:
            result.append(Judged(case, both, said))
    return result


def described(platform: str, latency: str | None) -> Platform:
    """The platform, with another latency of its links where one is given."""
    found = platform_file.platform(platform)
    return platform_file.adjusted(found, latency=platform_file.seconds(latency)) if latency else found


def predict(options: argparse.Namespace) -> None:
    """Writes the model's predictions for the measured candidates."""
    times = measured.read(options.measured)
    file = measured.empty()
    for case, found in times_of(times).items():
        if len(found) < FEWEST:
            continue
        platform = described(case.platform, options.latency)
        model = predicted(platform, case.ranks, case.what, case.bytes or 0, options.parameters)
        file.measurements += [
            Measurement(**{**case._asdict(), "mpi": MODEL, "how": name, "seconds": [model[name]], "made": made()})
            for name in found
            if name in model
        ]
    file.write(options.output)


def table(times: Measurements, model: Measurements) -> str:
    """The model's error and how good its first choice is, by collective. Raises MeasuredError where none is judged."""
    cases = judged(times, model)
    if not cases:
        raise MeasuredError(f"no case has {FEWEST} candidates that were both measured and predicted")
    rows = []
    for collective in (*dict.fromkeys(one.case.what for one in cases), "all"):
        some = [one for one in cases if collective in (one.case.what, "all")]
        ratios = [ratio for one in some for ratio in one.ratios]
        good = sum(one.loss <= GOOD for one in some)
        worst = max(some, key=lambda one: one.loss)
        error, bias = fmean(abs(ratio - 1) for ratio in ratios), median(ratios) - 1
        rows.append((collective, f"{error:.0%}", f"{bias:+.0%}", f"{good} of {len(some)}", f"{worst.loss:.2f}"))
    titles = ("collective", "mean error", "median", "first choice within 10 % of the best", "worst choice")
    return f"{markdown.table(titles, rows)}\n\n{markdown.origin(one.made for one in model.measurements)}"


def compare(options: argparse.Namespace) -> None:
    """Prints the error of each case, and how good the first choice is."""
    files = measured.read(options.measured), measured.read(options.predicted)
    for one in judged(*files):
        told = f"{one.case.platform}, {one.case.what}, {one.case.bytes} bytes, {len(one.times)} candidates"
        print(f"{told}: {one.choice} instead of {one.best}: {one.loss:.2f}")
        if options.details:
            for name in sorted(one.times, key=one.times.__getitem__):
                times = f"measured {one.times[name] * 1e3:9.3f} ms, predicted {one.model[name] * 1e3:9.3f} ms"
                print(f"    {name:40} {times}")
    print(f"\n{table(*files)}")


def main() -> None:
    """Measures, predicts or compares."""
    options = arguments()
    with mistakes_told():
        {"measure": measure, "predict": predict, "compare": compare}[options.command](options)


if __name__ == "__main__":
    main()
