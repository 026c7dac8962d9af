"""MPICH's control variables as environment: one algorithm for a collective, or thresholds between algorithms.

Thresholds rule MPICH up to 3.4 (Zheng et al., table I); MPICH 4 and 5 select by trees and read the others. A variable
counts for every communicator, so one entry of a table for each collective can be said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations_with_replacement
from typing import NamedTuple

from starling.tables.expressed import Dialect, Named, Rule, Rules, sizes_in_words, to_all_sizes
from starling.tables.table import NATIVE, SLOWER, Shape, Table

_LARGEST = 2147483647
_FEWEST_FOR_BRUCKS = 8
"""Ranks from which on MPICH 3 uses Bruck's alltoall."""
_COLLECTIVES = {
    "allgather": {"brucks", "recursive_doubling", "ring"},
    "allgatherv": {"brucks", "recursive_doubling", "ring"},
    "allreduce": {"recursive_doubling", "reduce_scatter_allgather", "smp"},
    "alltoall": {"brucks", "pairwise", "scattered"},
    "alltoallv": {"scattered"},
    "barrier": {"dissemination", "k_dissemination", "smp"},
    "bcast": {"binomial", "scatter_recursive_doubling_allgather", "scatter_ring_allgather", "smp"},
    "gather": {"binomial"},
    "reduce": {"binomial", "reduce_scatter_gather", "smp"},
    "reduce_scatter": {"pairwise", "recursive_doubling", "recursive_halving"},
    "reduce_scatter_block": {"pairwise", "recursive_doubling", "recursive_halving"},
    "scatter": {"binomial"},
}
"""Algorithms that a variable can choose in every version from 4 on."""


class _Regime(NamedTuple):
    """An algorithm, the variable with the size up to which it is used, and its value by default; none for the last."""

    algorithm: str
    variable: str = ""
    default: int = _LARGEST


class _Regimes(NamedTuple):
    """What MPICH 3 uses by size."""

    regimes: tuple[_Regime, ...]
    inclusive: bool = False
    """A threshold itself belongs to the sizes below it."""
    factor: int = 1
    """Thresholds are compared with so many blocks."""
    beside: _Regime | None = None
    """Comes behind the first regime where its own threshold is larger: that is set no larger than the first one's."""

    def by_default(self, size: int) -> str:
        """The algorithm for blocks of a size with the default thresholds."""
        scaled = size * self.factor - self.inclusive
        return next(one.algorithm for one in self.regimes if scaled < one.default)


def _regimes(shape: Shape) -> _Regimes | None:
    """None where thresholds rule nothing."""
    is_power = shape.ranks & (shape.ranks - 1) == 0
    match shape.collective:
        case "alltoall":
            short, medium = _Regime("brucks", "ALLTOALL_SHORT", 256), _Regime("scattered", "ALLTOALL_MEDIUM", 32768)
            of_few = () if shape.ranks < _FEWEST_FOR_BRUCKS else (short,)
            return _Regimes((*of_few, medium, _Regime("pairwise")), inclusive=True)
        case "allgather":
            brucks = _Regime("brucks", "ALLGATHER_SHORT", 81920)
            doubling = _Regime("recursive_doubling", "ALLGATHER_LONG", 524288)
            if is_power:
                return _Regimes((doubling, _Regime("ring")), factor=shape.ranks, beside=brucks)
            return _Regimes((brucks, _Regime("ring")), factor=shape.ranks)
        case "allreduce":
            short = _Regime("recursive_doubling", "ALLREDUCE_SHORT", 2048)
            return _Regimes((short, _Regime("reduce_scatter_allgather")), inclusive=True)
        case "bcast":
            middle = (_Regime("scatter_recursive_doubling_allgather", "BCAST_LONG", 524288),) if is_power else ()
            return _Regimes((_Regime("binomial", "BCAST_SHORT", 12288), *middle, _Regime("scatter_ring_allgather")))
        case "reduce":
            return _Regimes(
                (_Regime("binomial", "REDUCE_SHORT", 2048), _Regime("reduce_scatter_gather")), inclusive=True
            )
        case "reduce_scatter":
            short = _Regime("recursive_halving", "REDSCAT_COMMUTATIVE_LONG", 524288)
            return _Regimes((short, _Regime("pairwise")), factor=shape.ranks)
    return None


def _refuses(collective: str, algorithm: Named) -> str:
    if algorithm.name not in _COLLECTIVES.get(collective, set()):
        return f"no variable of every MPICH chooses {algorithm.name}"
    fixed = {"k_dissemination": ("radix", "2")}
    if any(pair != fixed.get(algorithm.name) for pair in algorithm.parameters):
        return f"{algorithm.parameters[0][0]} is another variable's, and not set here"
    return ""


DIALECT = Dialect("MPICH", "mpich", "mpich", _refuses)


class ShellLines(NamedTuple):
    """Lines for a shell, comments among them, and a line for each part of the table that they do not say."""

    lines: list[str]
    left_out: list[str]


def _seconds(table: Table, shape: Shape, of_way: dict[str, Named | None]) -> dict[int, dict[str, float]]:
    """Measured seconds by size and the library's algorithm; NATIVE for its own choice."""
    found: dict[int, dict[str, float]] = {}
    for size, measured in table.compared(shape).items():
        for way, taken in measured.items():
            if way in of_way and taken > 0:
                algorithm = of_way[way]
                name = algorithm.name if algorithm else NATIVE
                times = found.setdefault(size, {})
                times[name] = min(taken, times.get(name, math.inf))
    return found


def _rule_at(rules: Sequence[Rule], size: int) -> Rule:
    return next(rule for rule in rules if rule.below is None or size < rule.below)


def _its_own(rule: Rule, _size: int) -> str:
    return rule.algorithm.name if rule.algorithm else NATIVE


def _single(entry: Rules, seconds: dict[int, dict[str, float]]) -> str | None:
    """The algorithm to use for all sizes, of those that are slower than the library's own choices at none.

    None where those are faster in the mean, or no algorithm was measured.
    """
    names = {_its_own(rule, 0) for rule in entry.rules}
    if len(names) == 1:
        return next(iter(names - {NATIVE}), None)
    if not seconds:
        return None
    everywhere = set.intersection(*(set(times) for times in seconds.values()))
    sums = {
        name: sum(math.log(times[name]) for times in seconds.values())
        for name in everywhere
        if all(times[name] <= SLOWER * times.get(NATIVE, math.inf) for times in seconds.values())
    }
    best = min(sorted(sums), key=sums.__getitem__, default=NATIVE)
    return None if best == NATIVE else best


def _wanted(rule: Rule, size: int, *, known: _Regimes) -> str:
    """The algorithm of a rule; where that is MPICH's own choice, the one that MPICH 3 uses by default."""
    return rule.algorithm.name if rule.algorithm else known.by_default(size)


class _Thresholds(NamedTuple):
    values: dict[str, int]
    used: list[tuple[int, str]]
    """The sizes that were looked at, each with the algorithm that it gets."""


def _thresholds(entry: Rules, known: _Regimes, seconds: dict[int, dict[str, float]]) -> _Thresholds:
    """The thresholds that are best together: one algorithm is left out where two of them are equal.

    Best is the smallest sum of the logarithms of measured times; where they are missing an algorithm other than the
    rule's, or MPICH's own, counts as e times as long.
    """
    edges = sorted({rule.from_ for rule in entry.rules if rule.from_ > 0})
    sizes = sorted({*seconds, *edges, *(max(1, edge // 2) for edge in edges), 1})
    names = [one.algorithm for one in known.regimes]

    def cost(size: int, name: str) -> float:
        times = {one: value for one, value in seconds.get(size, {}).items() if one in names}
        if name in times and len(times) > 1:
            return math.log(times[name] / min(times.values()))
        return 0.0 if _wanted(_rule_at(entry.rules, size), size, known=known) == name else 1.0

    costs = [[cost(size, name) for name in names] for size in sizes]

    def regime_at(place: int, cuts: Sequence[int]) -> int:
        return sum(place >= cut for cut in cuts)

    cuts = min(
        combinations_with_replacement(range(len(sizes) + 1), len(names) - 1),
        key=lambda tried: (
            sum(row[regime_at(place, tried)] for place, row in enumerate(costs)),
            len(tried) - len(set(tried)),
        ),
    )

    def size_of(cut: int) -> int:
        """The first size behind a cut: an edge of the table where one lies there."""
        if cut == 0:
            return 0
        if cut == len(sizes):
            return _LARGEST
        return next((edge for edge in edges if sizes[cut - 1] < edge <= sizes[cut]), sizes[cut])

    values = {}
    for regime, cut in zip(known.regimes, cuts, strict=False):
        edge = size_of(cut)
        scaled = edge if edge == _LARGEST else min(edge * known.factor, _LARGEST)
        values[regime.variable] = max(scaled - 1, 0) if known.inclusive and edge != _LARGEST else scaled
    if known.beside:
        values[known.beside.variable] = min(known.beside.default, values[known.regimes[0].variable])
    return _Thresholds(values, [(size, names[regime_at(place, cuts)]) for place, size in enumerate(sizes)])


def _differences(
    entry: Rules, used: Sequence[tuple[int, str]], wanted: Callable[[Rule, int], str], by: str
) -> list[str]:
    """A line for each rule of which some size gets another algorithm."""
    found = []
    for rule in entry.rules:
        pairs = [(name, wanted(rule, size)) for size, name in used if _rule_at(entry.rules, size) is rule]
        others = {name for name, theirs in pairs if name != theirs}
        if others:
            algorithm = rule.algorithm or NATIVE
            found.append(
                f"{entry.shape}, {sizes_in_words(rule)}: {' and '.join(sorted(others))} by {by}, not {algorithm}"
            )
    return found


def as_environment(entries: list[Rules], table: Table, of_way: dict[tuple[str, str], Named | None]) -> ShellLines:
    """Assignments for a shell, of one entry for each collective.

    `of_way`: the library's algorithm (None: its own choice) of each way in the table that it has, by collective and
    way.
    """
    lines: list[str] = []
    left_out: list[str] = []
    for entry in (to_all_sizes(one, left_out) for one in entries):
        collective = entry.shape.collective
        ways = {way: found for (its, way), found in of_way.items() if its == collective}
        seconds = _seconds(table, entry.shape, ways)
        lines.append(f"# {entry.shape}")
        name = _single(entry, seconds)
        upper = collective.upper()
        if name:
            lines += [
                "# MPICH 4 and later:",
                f"export MPIR_CVAR_{upper}_INTRA_ALGORITHM={name}",
                f"export MPIR_CVAR_{upper}_DEVICE_COLLECTIVE=0",
            ]
            for_all = [(rule.from_, name) for rule in entry.rules]
            left_out += _differences(entry, for_all, _its_own, "the variable of MPICH 4")
        else:
            left_out.append(
                f"{entry.shape}: for MPICH 4 and later no variable, no one algorithm is better than the library's "
                "choices and slower at no size"
            )
        known = _regimes(entry.shape)
        if known is None:
            if collective in {"gather", "scatter"}:
                lines.append(f"# MPICH_{upper}_INTER_SHORT_MSG_SIZE acts on intercommunicators only: not set")
            continue
        found = _thresholds(entry, known, seconds)
        lines.append("# MPICH up to 3.4; later ones do not act on these:")
        for variable, value in found.values.items():
            lines += [f"export {prefix}_{variable}_MSG_SIZE={value}" for prefix in ("MPICH", "MPIR_CVAR")]
        if collective == "bcast":
            lines.append("# below MPIR_CVAR_BCAST_MIN_PROCS ranks, 8, it is binomial whatever the size")
        left_out += _differences(entry, found.used, partial(_wanted, known=known), "thresholds of MPICH 3")
    return ShellLines(lines, left_out)
