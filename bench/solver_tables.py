"""The tables of the ADCL paper (Gabriel, Feki, Benkert and Resch 2008) from what bench/solver.py measured.

An implementation's time is the mean of all its rounds, as there, unless a column says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import NamedTuple

from markdown import origin, table
from searches import PARTNERS, SEARCHES, TRANSFER, WINDOWS, implementations
from solver import HERE, POINTS, iterations, total

from starling.lab import measured
from starling.lab.measured import Measurement, Measurements

NEAR = 1.02
"""A choice that takes at most so many times the best's time is right."""
GOALS = (0.01, 0.05)
"""Overheads that a search should keep."""


class Case(NamedTuple):
    """A row of table 2."""

    platform: str
    mpi: str
    ranks: int
    points: str

    @property
    def order(self) -> tuple[str, str, int, list[int]]:
        """Platforms in turn, each from few ranks to many."""
        return self.platform, self.mpi, self.ranks, list(map(int, self.points.split("x")))

    def label(self, with_points: bool) -> str:
        """The head of a column."""
        return f"{self.platform}, {self.ranks}" + (f", {self.points}" if with_points else "")


def percent(value: float) -> str:
    """With one digit behind the point."""
    return f"{100 * value:.1f} %"


def cases(files: Iterable[Measurements]) -> dict[Case, dict[str, list[Measurement]]]:
    """Of each case the rounds of each implementation and search."""
    found: dict[Case, dict[str, list[Measurement]]] = {}
    for file in files:
        for one in file.measurements:
            case = Case(one.platform, one.mpi, one.ranks, one.what)
            found.setdefault(case, {}).setdefault(one.how, []).append(one)
    return dict(sorted(found.items(), key=lambda item: item[0].order))


def fixed(rounds: Mapping[str, Sequence[Measurement]]) -> dict[str, float]:
    """Seconds of all iterations by each implementation, the fastest first."""
    names = [name for name, _ in implementations()]
    times = {how: fmean(map(total, some)) for how, some in rounds.items() if how in names}
    return dict(sorted(times.items(), key=lambda item: item[1]))


def over_best_of_others(rounds: Mapping[str, Sequence[Measurement]], search: str) -> list[float]:
    """What a search took in each round over an implementation in the same round: the best of all other rounds.

    The best of many means that scatter is too fast by chance, and a machine may change from round to round. This is
    free of both. Rounds without an implementation are left out; if each has one round only, it is over the best of
    that.
    """
    found = []
    for turn, one in enumerate(rounds[search]):
        in_turn = {how: some for how, some in rounds.items() if len(some) > turn}
        others = {how: [*some[:turn], *some[turn + 1 :]] for how, some in in_turn.items() if len(some) > 1}
        if best := next(iter(fixed(others) or fixed(in_turn)), None):
            found.append(total(one) / total(rounds[best][turn]) - 1)
    return found


def best(*files: Measurements) -> str:
    """Table 2: the fastest implementation of each case, and the loss with the best ones that do it otherwise."""
    attributes = dict(implementations())
    rows = []
    for case, rounds in cases(files).items():
        times = fixed(rounds)
        (first, least), *others = times.items()
        near = [name for name, seconds in others if seconds <= NEAR * least]
        otherwise = (
            [seconds for name, seconds in times.items() if attributes[name][PARTNERS] == "pair"],
            [seconds for name, seconds in times.items() if attributes[name][TRANSFER] in WINDOWS.values()],
        )
        slowest, most = list(times.items())[-1]
        row = (
            case.platform,
            case.ranks,
            case.points,
            f"`{first}`",
            f"{1e3 * least / iterations(rounds[first][0]):.3g}",
            f"{len(near)}",
            *(percent(min(some) / least - 1) if some else "" for some in otherwise),
        )
        rows.append((*row, f"`{slowest}`", f"{most / least:.2f}"))
    heads = (
        "platform",
        "ranks",
        "points a rank",
        "best",
        "ms an iteration",
        "others within 2 %",
        "best pair by pair",
        "best one-sided",
        "slowest",
        "of the best's time",
    )
    made = origin(one.made for file in files for one in file.measurements)
    return f"{table(heads, rows)}\n\n{made}"


def _carried(chosen: Mapping[Case, Mapping[str, float]], with_points: bool) -> str:
    """What each case loses with the winner of each other one."""
    winners = {case: next(iter(times)) for case, times in chosen.items()}
    rows = []
    for case, times in chosen.items():
        least = times[winners[case]]
        losses = [times[winner] / least - 1 if winner in times else None for winner in winners.values()]
        rows.append([case.label(with_points), *("" if loss is None else percent(loss) for loss in losses)])
    return table(["", *(case.label(with_points) for case in chosen)], rows)


def machines(*files: Measurements) -> str:
    """Table 3: the winners of the largest case of each platform, carried to the others."""
    largest: dict[tuple[str, str], tuple[Case, Mapping[str, float]]] = {}
    for case, rounds in cases(files).items():
        largest[case.platform, case.mpi] = (case, fixed(rounds))
    return _carried(dict(largest.values()), with_points=True)


def sizes(*files: Measurements) -> str:
    """Table 4: at the medium problem, the winners of each platform and number of ranks, carried to the others."""
    medium = {case: fixed(rounds) for case, rounds in cases(files).items() if case.points == POINTS[1]}
    return _carried(medium, with_points=False)


def overheads(*files: Measurements) -> str:
    """Table 5: what each search took over the best implementation, and its choices.

    Mean and worst of the rounds over the best mean, as in the paper, and the median of `over_best_of_others`. An
    emulated cluster is marked if its processors were hardly idle: then its times are theirs, not the network's.
    """
    rows = []
    for case, rounds in cases(files).items():
        times = fixed(rounds)
        least = next(iter(times.values()))
        bound = case.platform != HERE and measured.cpu_bound(one for some in rounds.values() for one in some)
        for search in SEARCHES:
            if search not in rounds:
                continue
            over = [total(one) / least - 1 for one in rounds[search]]
            in_turn = median(over_best_of_others(rounds, search))
            right = sum(times.get(one.notes["chosen"], float("inf")) <= NEAR * least for one in rounds[search])
            kept = (f"{'yes' if max(over) <= goal else 'no'}" for goal in GOALS)
            of_case = (case.platform + (" (CPU-bound)" if bound else ""), case.ranks, case.points, search)
            told = (percent(fmean(over)), percent(in_turn), percent(max(over)))
            rows.append((*of_case, *told, *kept, f"{right} of {len(over)}"))
    heads = (
        "platform",
        "ranks",
        "points a rank",
        "search",
        "mean",
        "median in the same round",
        "worst round",
        *(f"<= {goal:.0%}" for goal in GOALS),
    )
    return table([*heads, "right, or within 2 % of it"], rows)
