r"""Matrices for replay: how long each candidate of a collective takes, call by call, and what the cost model expected.

starling lab up single:8
starling lab run -- python bench/prediction_error.py measure --mpicc mpicc --platform single:8 -o measured.json \
    --collectives alltoall,bcast --sizes 65536 --calls 18 --rounds 2 -- mpirun -n 8
python bench/matrices.py measured.json -o mine.json

python bench/matrices.py docs/results/{single,star,chain}-*.json --probed docs/results/probed.json \
    -o docs/results/matrices.json

Measurements of suite.py serve as well. `--probed` has what Starling's probe found on the same networks, by
platform and MPI: the cost model then has these parameters and, as a job with a platform file, the platform's rates.

A file is `{"schema": 1, "matrices": [MATRIX, ...]}`, and a matrix is one context:

    {"what": "allreduce", "bytes": 16384, "platform": "single:16, 100 Mbit/s", "mpi": "openmpi 4.1.4", "ranks": 16,
     "nodes": 16,
     "candidates": [{"name": "native", "seconds": [0.0033, 0.0031, ...]},
                    {"name": "ring", "group": "ring", "predicted_s": 0.0078, "seconds": [0.0079]}]}

`seconds` are the times of successive calls on the slowest rank; the first candidate is native. Where a candidate has
fewer than ten times, the player adds noise to them. `group`, `kind`, `seconds_to_begin` (that the first call of its
kind probably takes besides) and `predicted_s` may be missing.

Times of `star`'s learning phase stand in for candidates that were not measured on their own; they are scaled so that
native's agree.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import result_files
from command import mistakes_told

from starling.algorithms import repository
from starling.installation import questions
from starling.lab import measured
from starling.lab.measured import MeasuredError, Measurement
from starling.networks import platform_file
from starling.networks.platform_file import Platform

SCHEMA = 1
FEWEST = 3
"""Least number of candidates of a matrix, native included."""
MOST_TIMES = 36
"""Times of a candidate that are kept."""
PLACE = re.compile(r"(\S+?)(?:, ([\d.]+) Mbit/s)?")

Context = tuple[str, int, str, str, int]


@cache
def platform_of(place: str) -> Platform | None:
    """The platform of a measurement's text, `single:16, 100 Mbit/s`; None where that does not tell."""
    match = PLACE.fullmatch(place)
    if match is None:
        return None
    try:
        found = platform_file.platform(match[1])
    except platform_file.PlatformError:
        return None
    return platform_file.adjusted(found, host_rate=int(float(match[2]) * 1e6)) if match[2] else found


def contexts(files: Iterable[Path]) -> dict[Context, list[Measurement]]:
    """The measurements of each context."""
    found: dict[Context, list[Measurement]] = {}
    for file in files:
        for one in measured.read(file).measurements:
            found.setdefault((one.what, one.bytes or 0, one.platform, one.mpi, one.ranks), []).append(one)
    return found


def times_of(rounds: Iterable[Measurement]) -> dict[str, list[float]]:
    """The times of each candidate in the order of calls: those of rounds that took turns, where there are any."""
    alone: dict[str, list[float]] = {}
    raced: dict[str, list[float]] = {}
    learnt: dict[str, float] = {}
    for one in sorted(rounds, key=lambda one: one.round):
        if one.how == "star":
            learnt = one.notes.get("tried", {})
        else:
            (raced if one.round > 0 else alone).setdefault(one.how, []).extend(one.seconds)
    found = {**alone, **raced}
    if "native" in found and "native" in learnt:
        scale = median(found["native"]) / learnt["native"]
        found = {**{name: [seconds * scale] for name, seconds in learnt.items()}, **found}
    return found


def probes(probed: Path) -> list[dict[str, Any]]:
    """What probes found: a file like docs/results/probed.json. Raises MeasuredError."""
    return result_files.rows(
        probed, "a file like docs/results/probed.json", {"platform", "mpi", "parameters"}, "probed"
    )


def parameters_for(probed: Path, place: str, mpi: str) -> dict[str, Any] | None:
    """What a probe found on that platform, with that MPI library or else any."""
    name = place.partition(",")[0]
    found = [one for one in probes(probed) if one["platform"] == name]
    flavour = mpi.partition(" ")[0]
    same = [one for one in found if one["mpi"].partition(" ")[0] == flavour]
    for one in (*same, *found):
        parameters: dict[str, Any] = one["parameters"]
        return parameters
    return None


def predicted(context: Context, probed: Path | None) -> dict[str, dict[str, Any]]:
    """The cost model's row for each candidate; nothing where the platform or the collective is not known."""
    what, size, place, mpi, ranks = context
    platform = platform_of(place)
    if platform is None:
        return {}
    hosts = len(platform.host_names)
    if ranks > hosts:
        platform = platform_file.adjusted(platform, ranks=-(-ranks // hosts))
    with tempfile.TemporaryDirectory(prefix="starling-matrices-") as folder:
        file = None
        if probed is not None and (parameters := parameters_for(probed, place, mpi)) is not None:
            file = Path(folder) / "parameters.json"
            file.write_text(json.dumps(parameters))
        try:
            found = repository.prediction(platform, ranks, what, size, 0, file)
        except questions.UnknownError:
            return {}
    return {one["name"]: one for one in found["candidates"]}


def matrix(context: Context, times: Mapping[str, list[float]], probed: Path | None) -> dict[str, Any] | None:
    """A matrix in its written form; None where too few candidates were measured."""
    what, size, place, mpi, ranks = context
    known = predicted(context, probed)
    platform = platform_of(place)
    if platform is None or not known or "native" not in times:
        return None
    rows: list[dict[str, Any]] = [{"name": "native", "seconds": rounded(times["native"])}]
    for name, seconds in times.items():
        if name not in known or name == "native":
            continue
        row: dict[str, Any] = {"name": name, "group": known[name]["group"]}
        if known[name]["seconds"] is not None:
            row["predicted_s"] = float(f"{known[name]['seconds']:.4g}")
        rows.append({**row, "seconds": rounded(seconds)})
    if len(rows) < FEWEST:
        return None
    return {
        "what": what,
        "bytes": size,
        "platform": place,
        "mpi": mpi,
        "ranks": ranks,
        "nodes": min(ranks, len(platform.host_names)),
        "candidates": rows,
    }


def rounded(seconds: list[float]) -> list[float]:
    """Four digits of the latest times."""
    return [float(f"{one:.4g}") for one in seconds[-MOST_TIMES:]]


def matrices(files: Iterable[Path], probed: Path | None) -> Iterator[dict[str, Any]]:
    """The matrices of all contexts that were measured."""
    for context, rounds in contexts(files).items():
        if (made := matrix(context, times_of(rounds), probed)) is not None:
            yield made


def write(found: Iterable[Mapping[str, Any]], path: Path) -> int:
    """Writes a file, a line for each matrix; returns their number. Raises MeasuredError where there is none."""
    rows = [json.dumps(one, separators=(",", ":")) for one in found]
    if not rows:
        raise MeasuredError(
            f"no matrix: no context on a platform with a short name has times of native and of {FEWEST - 1} candidates"
        )
    result_files.write(path, '{"schema": 1, "matrices": [\n' + ",\n".join(rows) + "\n]}\n")
    return len(rows)


def main() -> None:
    """Makes the matrices of measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", nargs="+", type=Path)
    parser.add_argument("--probed", type=Path, help="what probes found; else the cost model has its defaults")
    parser.add_argument("-o", "--output", required=True, type=Path)
    options = parser.parse_args()
    with mistakes_told():
        result_files.output(options.output)
        print(f"{write(matrices(options.measured, options.probed), options.output)} matrices in {options.output}")


if __name__ == "__main__":
    main()
