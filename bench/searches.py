r"""ADCL's searches, played to made-up times of its 20 implementations of a halo exchange: what each costs in 700 calls.

python bench/searches.py play -o docs/results/searches.json      all searches, a minute
python bench/searches.py play --times docs/results/solver-simulated.json -o docs/results/solver-searches.json
python bench/pages.py searches docs/results/searches.json        the table

With --times, in place of made-up times those of a file of bench/solver.py are played, each case several times.

The implementations and their attributes are those of table 1 of the ADCL paper (Gabriel, Feki, Benkert and Resch
2008). The times are made up, for each kind of platform as the paper's tables have it: an implementation's time is the
product of what its attribute values contribute and of something of its own (a tenth to a half of the logarithms'
variance).

typical   the slowest takes 1.05 to 1.5 times as long as the fastest
wide      1.6 to 2 times: SharkGE in table 3
blocked   as typical, but all partners at once take up to 12 times as long: CacauGE behind its 12:1 switch

Single calls scatter by 6 %. An agreement of the ranks is taken to last as long as a fifth of the best one's call. The
same seed gives the same figures on every machine.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from statistics import fmean, median
from typing import Any

import markdown
import result_files
from command import mistakes_told
from replay import PLAYER, asked

from starling.lab.measured import Measurements

CALLS = 700
AGREEMENT = 0.2
"""What an agreement takes, in calls of the best implementation."""
PART = 0.3
"""What the exchange is taken to be of a program's time where times are made up: the paper does not tell it."""
COMPUTING = 2.3e-9
"""Seconds that examples/solver computes for each point in an iteration, on one processor: of recorded cases this tells
what the exchange is of the program's time."""
GOAL = 0.01
"""What a search may cost, of the program's time."""
PARTS = ("first calls", "later calls of others", "the chosen one is slower", "agreements", "chance")
"""Of the overhead. The first calls of all that were tried; chance is that single calls scatter."""
SEED = 1
TURNS = 10
"""How often each recorded case is played, with other disturbances."""
PARTNERS, DATA, TRANSFER = "partners", "data", "transfer"
MESSAGES = {
    "IsendIrecv": ("Isend/Irecv/Waitall", ("aao", "pair")),
    "SendIrecv": ("Send/Irecv/Wait", ("aao", "pair")),
    "SendRecv": ("Send/Recv", ("pair",)),
    "Sendrecv": ("Sendrecv", ("pair",)),
}
WINDOWS = {
    "WinfecePut": "Put/fence",
    "WinfeceGet": "Get/fence",
    "PostStartPut": "Put/post/start",
    "PostStartGet": "Get/post/start",
}
KINDS = {"typical": 240, "wide": 60, "blocked": 60}
"""How many sets of times there are of each kind."""
SEARCHES: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "brute-force, every call (as ADCL)": ("brute-force", {"STARLING_GIVE_UP": 0}),
    "brute-force": ("brute-force", {}),
    "brute-force, early stop 2 %": ("brute-force", {"STARLING_EARLY_STOP": 0.02}),
    "attribute, every call (as ADCL)": ("attribute", {"STARLING_GIVE_UP": 0}),
    "attribute": ("attribute", {}),
    "attribute:tested": ("attribute:tested", {}),
    "factorial": ("factorial", {}),
    "factorial, early stop 2 %": ("factorial", {"STARLING_EARLY_STOP": 0.02}),
    "star": ("star", {}),
    "auto": ("auto", {}),
}


def implementations() -> Iterator[tuple[str, dict[str, str]]]:
    """Names and attributes, in the order of the paper's table 1."""
    for data in ("ddt", "pack"):
        for name, (transfer, partners) in MESSAGES.items():
            for partner in partners:
                suffix = "_pack" if data == "pack" else ""
                yield f"{name}_{partner}{suffix}", {PARTNERS: partner, DATA: data, TRANSFER: transfer}
    for partner in ("aao", "pair"):
        for name, transfer in WINDOWS.items():
            yield f"{name}_{partner}", {PARTNERS: partner, DATA: "ddt", TRANSFER: transfer}


MAKING_WINDOWS = 1e-3
"""Seconds that the library expects of the first one-sided exchange besides."""


def candidate(name: str, attributes: Mapping[str, str], seconds: float) -> dict[str, Any]:
    """An implementation of a matrix (matrices.py), as the library tells a strategy of it."""
    known = {"name": name, "attributes": attributes, "seconds": [seconds]}
    if attributes[TRANSFER] in WINDOWS.values():
        return {**known, "kind": "one-sided", "seconds_to_begin": MAKING_WINDOWS}
    return {**known, "kind": "messages"}


def times(kind: str, random_numbers: random.Random) -> dict[str, float]:
    """Seconds of each implementation, for one made-up case."""
    spread = random_numbers.uniform(*((1.6, 2.0) if kind == "wide" else (1.05, 1.5)))
    own = random_numbers.uniform(0.1, 0.5) ** 0.5
    of_values: dict[tuple[str, str], float] = {}
    logs = {}
    for name, attributes in implementations():
        shared = 0.0
        for attribute in attributes.items():
            if attribute not in of_values:
                of_values[attribute] = random_numbers.gauss(0, 1)
            shared += of_values[attribute] / len(attributes) ** 0.5
        logs[name] = (1 - own**2) ** 0.5 * shared + own * random_numbers.gauss(0, 1)
    least, most = min(logs.values()), max(logs.values())
    found = {name: 1e-3 * spread ** ((value - least) / (most - least)) for name, value in logs.items()}
    if kind == "blocked":
        factor = random_numbers.uniform(6, 12)
        for name, attributes in implementations():
            if attributes[PARTNERS] == "aao":
                found[name] *= factor
    return found


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each kind, and a matrix (matrices.py) of it."""
    random_numbers = random.Random(SEED)  # noqa: S311 - no secret
    for kind, count in KINDS.items():
        for number in range(count):
            seconds = times(kind, random_numbers)
            candidates = [candidate(name, attributes, seconds[name]) for name, attributes in implementations()]
            matrix = {
                "what": "halo exchange",
                "platform": f"{kind} {number}",
                "case": number,
                "ranks": 64,
                "part": PART,
            }
            yield kind, {**matrix, "candidates": candidates}


def steady(seconds: Sequence[float]) -> float:
    """Seconds of an iteration in the long run: the mean of the middle half.

    At first ranks drift apart, and at the end those ahead have stopped, which leaves the network to the others.
    """
    quarter = len(seconds) // 4
    return fmean(seconds[quarter : len(seconds) - quarter])


def recorded(file: Measurements) -> Iterator[tuple[str, dict[str, Any]]]:
    """The cases of a file of bench/solver.py, each several times, by platform.

    What is packed is as fast as with derived datatypes where it was not simulated: copying takes no time there.
    """
    of_cases: dict[tuple[str, int, str], dict[str, float]] = {}
    for one in file.measurements:
        of_cases.setdefault((one.platform, one.ranks, one.what), {})[one.how] = steady(one.seconds)
    for number, ((platform, ranks, points), seconds) in enumerate(of_cases.items()):
        candidates: list[dict[str, Any]] = []
        for name, attributes in implementations():
            found = seconds.get(name, seconds.get(name.removesuffix("_pack")))
            if found is not None:
                candidates.append(candidate(name, attributes, found))
        best = min(one["seconds"][0] for one in candidates)
        part = best / (best + COMPUTING * prod(map(int, points.split("x"))))
        for turn in range(TURNS):
            matrix = {
                "what": f"halos of {points}",
                "platform": f"{platform} {number} {turn}",
                "case": number,
                "ranks": ranks,
                "part": part,
            }
            yield platform, {**matrix, "candidates": candidates}


def play(
    player: Path, searches: Iterable[str], all_cases: Sequence[tuple[str, Mapping[str, Any]]]
) -> list[dict[str, Any]]:
    """For each search and kind: what 700 calls took over those of the best, for each case in ascending order.

    Raises MeasuredError.
    """
    kinds = {matrix["platform"]: kind for kind, matrix in all_cases}
    parts: dict[str, float] = {matrix["platform"]: matrix["part"] for _, matrix in all_cases}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "times.json"
        file.write_text(json.dumps({"schema": 1, "matrices": [matrix for _, matrix in all_cases]}))
        for search in searches:
            strategy, settings = SEARCHES[search]
            words = [file, "--strategies", strategy, "--scenarios", "plain", "--no-model"]
            words += ["--calls", CALLS, "--seed", SEED]
            if settings:
                words += ["--set", ",".join(f"{name}={value}" for name, value in settings.items())]
            games = asked(player, words)
            of_platform = {matrix["platform"]: matrix for _, matrix in all_cases}
            for kind in dict.fromkeys(kinds.values()):
                mine = [one for one in games if kinds[one["platform"]] == kind]
                rows.append(
                    {
                        "search": search,
                        "kind": kind,
                        "overhead": sorted(round(_overhead(one), 5) for one in mine),
                        "of_program": sorted(round(parts[one["platform"]] * _overhead(one), 5) for one in mine),
                        "of_cases": _of_cases(mine, of_platform),
                        "final": sorted(round(one["final_ratio"] - 1, 5) for one in mine),
                        "agreements": round(fmean(one["agreements"] for one in mine), 1),
                        **_missed(mine, of_platform),
                    }
                )
    return rows


def _overhead(game: Mapping[str, Any]) -> float:
    """Of all calls over those of the best, agreements included."""
    total: float = game["total_s"][-1] / game["best_s"][-1] + AGREEMENT * game["agreements"] / CALLS
    return total - 1


def _parts(game: Mapping[str, Any], matrix: Mapping[str, Any]) -> list[float]:
    """What its overhead consists of: PARTS."""
    seconds = [one["seconds"][0] for one in matrix["candidates"]]
    first = later = final = 0.0
    for candidate, time, calls in zip(matrix["candidates"], seconds, game["calls_of"], strict=True):
        lost = time / min(seconds) - 1
        if calls == 0:
            continue
        first += lost
        if candidate["name"] == game["final"]:
            final += lost * (calls - 1)
        else:
            later += lost * (calls - 1)
    agreements = AGREEMENT * game["agreements"]
    known = [part / CALLS for part in (first, later, final, agreements)]
    return [*known, _overhead(game) - sum(known)]


def _missed(games: Sequence[Mapping[str, Any]], of_platform: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """How many games cost more than the goal, and what their overheads consist of in the mean."""
    matrices = [of_platform[one["platform"]] for one in games]
    missed = [
        _parts(game, matrix)
        for game, matrix in zip(games, matrices, strict=True)
        if matrix["part"] * _overhead(game) > GOAL
    ]
    means = [round(fmean(part), 5) for part in zip(*missed, strict=True)]
    return {"missed": len(missed), "parts_of_missed": means}


def _of_cases(games: Sequence[Mapping[str, Any]], of_platform: Mapping[str, Mapping[str, Any]]) -> list[float]:
    """The overhead of the program in the mean of each case's games, in ascending order."""
    of_case: dict[int, list[float]] = {}
    for game in games:
        matrix = of_platform[game["platform"]]
        of_case.setdefault(matrix["case"], []).append(matrix["part"] * _overhead(game))
    return sorted(round(fmean(costs), 5) for costs in of_case.values())


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _share(values: Sequence[float], most: float) -> str:
    return f"{100 * sum(one <= most for one in values) // len(values)}%"  # rounded down: 100% are all


def read(path: Path) -> list[dict[str, Any]]:
    """What `play` wrote. Raises MeasuredError."""
    return result_files.rows(
        path,
        "a file that bench/searches.py wrote",
        {"search", "kind", "overhead", "of_program", "of_cases", "final", "agreements", "missed", "parts_of_missed"},
    )


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Every search: what it costs, and whether it is right."""
    heads = ["search", "kind", "mean", "median", "90th percentile", "worst", "<= 1 %", "<= 5 %"]
    heads += ["<= 1 % of the program", "<= 5 % of it"]
    heads += ["right, or within 2 % of it", "agreements"]
    lines = []
    for one in rows:
        costs = one["overhead"]
        lines.append(
            [
                one["search"],
                one["kind"],
                *(_percent(value) for value in (fmean(costs), median(costs), costs[len(costs) * 9 // 10], costs[-1])),
                _share(costs, 0.01),
                _share(costs, 0.05),
                _share(one["of_program"], 0.01),
                _share(one["of_program"], 0.05),
                _share(one["final"], 0.02),
                f"{one['agreements']:.0f}",
            ]
        )
    return markdown.table(heads, lines)


def missed_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Every search: cases within the goal in the mean of their games, and what overheads beyond it consist of."""
    lines = []
    for search in dict.fromkeys(one["search"] for one in rows):
        mine = [one for one in rows if one["search"] == search]
        count = sum(one["missed"] for one in mine)
        means = [
            sum(one["missed"] * one["parts_of_missed"][i] for one in mine if one["missed"]) / max(1, count)
            for i in range(len(PARTS))
        ]
        of_all = count / sum(len(one["overhead"]) for one in mine)
        of_cases = sorted(cost for one in mine for cost in one["of_cases"])
        within = sum(cost <= GOAL for cost in of_cases)
        cases = f"{within} of {len(of_cases)}, at most {_percent(of_cases[-1])}"
        lines.append(
            [search, cases, _percent(of_all), _percent(sum(means)), *(f"{100 * part:.2f} %" for part in means)]
        )
    goal = f"{100 * GOAL:.0f} % of the program"
    return markdown.table(
        ["search", f"cases with <= {goal} in the mean", f"replays with > {goal}", "overhead there", *PARTS], lines
    )


def main() -> None:
    """Plays the searches."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    playing = commands.add_parser("play", help="play made-up times to the searches")
    playing.add_argument("--times", type=Path, help="what bench/solver.py measured; else made-up times")
    playing.add_argument("--player", type=Path, default=PLAYER, help="the program starling-replay")
    playing.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    with mistakes_told():
        result_files.output(options.output)
        all_cases = (
            cases() if options.times is None else recorded(result_files.measurements(options.times, "solver.py"))
        )
        rows = play(options.player, SEARCHES, list(all_cases))
        lines = ",\n".join(json.dumps(one) for one in rows)
        result_files.write(
            options.output, f'{{"schema": 1, "seed": {SEED}, "calls": {CALLS}, "played": [\n{lines}\n]}}\n'
        )
        print(f"{len(rows)} rows in {options.output}")


if __name__ == "__main__":
    main()
