"""What a tuning table says, in the algorithms of one MPI library, as far as that library has them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from starling.messages import printable, quoted
from starling.tables.table import NATIVE, Choice, Interval, Shape, Table

FARTHEST = 2
"""An entry counts for communicators of at most so many times as many ranks, or as few, as in a run."""
PREFIX = "native_"
"""Of the names of ways that are algorithms of the MPI library itself."""
_WORDS = {"k": "radix"}
"""Parameters of ways, in the word that `Named` has for them with all libraries."""
_NONE = "none"
"""The value of a parameter that is not used, as `segment=none`: as if it were not named."""
_FINENESS = 16
"""Numbers of ranks that differ by at most one part in so many have one rule for the bytes of all blocks together."""
_DIGITS = 9
"""Most digits of a value that every library reads."""


class Named(NamedTuple):
    """An algorithm of the library, and the values of its parameters."""

    name: str
    parameters: tuple[tuple[str, str], ...] = ()

    def value(self, parameter: str, otherwise: str) -> str:
        """The value of a parameter, or `otherwise` if it has none."""
        return dict(self.parameters).get(parameter, otherwise)

    def __str__(self) -> str:
        """As in a way's name: "ring", "chain?segment=8192"."""
        bound = ",".join(f"{name}={value}" for name, value in self.parameters)
        return f"{self.name}?{bound}" if bound else self.name


class Rule(NamedTuple):
    """The algorithm for sizes from `from_` up to, but without, `below` (None: without end).

    Without an algorithm the library chooses by itself.
    """

    from_: int
    below: int | None
    algorithm: Named | None


class Rules(NamedTuple):
    """The rules of one entry of the table, by ascending sizes, without gaps between them.

    They count for communicators of `least` to `most` ranks: those to which this entry is the nearest.
    """

    shape: Shape
    least: int
    most: int
    rules: list[Rule]

    @property
    def names_some(self) -> bool:
        """Whether it names any algorithm; else the library chooses for all sizes."""
        return any(rule.algorithm for rule in self.rules)


class Dialect(NamedTuple):
    """What an MPI library calls its algorithms, and which of them a format can express."""

    title: str
    flavour: str
    """Tables of this flavour name the library's own algorithms as `native_...`."""
    counterpart: str
    """The key of its names in the descriptors of our algorithms."""
    refuses: Callable[[str, Named], str]
    """Why an algorithm of a collective cannot be expressed; empty if it can."""


class Expressed(NamedTuple):
    """What can be said of a table, and a line for each part of it that cannot."""

    entries: list[Rules]
    left_out: list[str]


class _Refused(NamedTuple):
    why: str


def _parts(way: str) -> Named:
    name, _, bound = way.partition("?")
    pairs = [item.partition("=") for item in bound.split(",") if item]
    return Named(name, tuple((key, value) for key, _, value in pairs))


def _no_numbers(algorithm: Named) -> str:
    """Why no library could read the values of its parameters, which all are numbers; empty if one can."""
    for parameter, value in algorithm.parameters:
        if not (value.isascii() and value.isdigit() and len(value) <= _DIGITS):
            return f"{printable(parameter)} must be a number of at most {_DIGITS} digits, not {quoted(value)}"
    return ""


def sizes_in_words(one: Interval | Rule) -> str:
    """Sizes as people read them: "337 to 8191 bytes", "8192 bytes and more"."""
    if one.below is None:
        return f"{one.from_} bytes and more"
    return f"{one.from_} bytes" if one.below == one.from_ + 1 else f"{one.from_} to {one.below - 1} bytes"


class _Translator:
    """Ways of a table in the words of a library."""

    def __init__(self, table: Table, dialect: Dialect, algorithms: Sequence[dict[str, Any]]) -> None:
        self._table = table
        self._dialect = dialect
        self._known = {
            (entry["collective"], entry["name"]): entry for entry in algorithms if entry["synchronisation"] == "none"
        }

    def __call__(self, collective: str, way: str) -> Named | _Refused | None:
        """The library's algorithm; None for its own choice."""
        if way == NATIVE:
            return None
        found = self._named(collective, _parts(way))
        if isinstance(found, _Refused):
            return found
        why = _no_numbers(found) or self._dialect.refuses(collective, found)
        return _Refused(why) if why else found

    def _named(self, collective: str, way: Named) -> Named | _Refused:
        if way.name.startswith(PREFIX):
            if self._table.mpi_flavour != self._dialect.flavour:
                return _Refused(f"it is an algorithm of {printable(self._table.mpi_flavour)}")
            bound = tuple((_WORDS.get(key, key), value) for key, value in way.parameters if value != _NONE)
            return Named(way.name.removeprefix(PREFIX), bound)
        entry = self._known.get((collective, way.name))
        if entry is None:
            return _Refused(f"{self._dialect.title} has no such algorithm")
        values = {one["name"]: one["values"][0] for one in entry["parameters"]} | dict(way.parameters)
        for names in entry["counterparts"]:
            name, _, value = names.get("with", "").partition("=")
            if self._dialect.counterpart in names and (not name or values.get(name) == value):
                kept = {"segment": values.get("segment", _NONE), "radix": values.get("k", _NONE)}
                bound = tuple((key, text) for key, text in kept.items() if text != _NONE and key != name)
                radix_is_fixed = name == "k"
                return Named(
                    names[self._dialect.counterpart],
                    tuple(pair for pair in bound if not (radix_is_fixed and pair[0] == "radix")),
                )
        return _Refused(f"{self._dialect.title} has no such algorithm")


def _times(table: Table, shape: Shape, interval: Interval) -> dict[int, dict[str, float]]:
    """The measured seconds in an interval, by size and way."""
    found = {
        size: {way: seconds for way, seconds in ways.items() if seconds > 0}
        for size, ways in table.compared(shape).items()
        if interval.holds(size)
    }
    return {size: ways for size, ways in found.items() if ways}


def _mean(seconds: Iterable[float]) -> float:
    logs = [math.log(one) for one in seconds]
    return math.exp(sum(logs) / len(logs))


def _best_expressible(
    table: Table, choice: Choice, interval: Interval, translate: _Translator
) -> tuple[str, Named | None, float | None] | None:
    """Of the ways measured at all sizes of an interval the fastest that can be expressed.

    With the library's algorithm, and how many times as long as the chosen way's calls its calls take, if known.
    """
    times = _times(table, choice.shape, interval)
    if not times:
        return None
    everywhere = set.intersection(*(set(ways) for ways in times.values()))
    means = {way: _mean(ways[way] for ways in times.values()) for way in everywhere}
    for way in sorted(everywhere, key=means.__getitem__):
        found = translate(choice.collective, way)
        if not isinstance(found, _Refused):
            return way, found, means[way] / means[interval.way] if interval.way in means else None
    return None


def _merged(rules: Iterable[Rule]) -> list[Rule]:
    found: list[Rule] = []
    for rule in rules:
        if found and found[-1].algorithm == rule.algorithm and found[-1].below == rule.from_:
            found[-1] = found[-1]._replace(below=rule.below)
        else:
            found.append(rule)
    return found


def _rules_of(table: Table, choice: Choice, translate: _Translator, left_out: list[str]) -> list[Rule]:
    rules: list[Rule] = []
    for interval in choice.intervals:
        found = translate(choice.collective, interval.way)
        if isinstance(found, _Refused):
            instead = _best_expressible(table, choice, interval, translate)
            line = f"{choice.shape}, {sizes_in_words(interval)}: {printable(interval.way)} is left out: {found.why}"
            if instead is None:
                left_out.append(f"{line}; {NATIVE} instead, nothing else was measured there")
                found = None
            else:
                way, found, slower = instead
                times = f", {slower:.2f} times as long" if slower is not None else ""
                left_out.append(f"{line}; {printable(way)} instead{times}")
        if rules and interval.from_ > (rules[-1].below or 0):
            rules.append(Rule(rules[-1].below or 0, interval.from_, None))
        rules.append(Rule(interval.from_, interval.below, found))
    return _merged(rules)


def with_own_choice_outside(entry: Rules) -> Rules:
    """The entry with rules for all sizes: outside those that the table has, the library chooses by itself."""
    first, last = entry.rules[0], entry.rules[-1]
    before = [Rule(0, first.from_, None)] if first.from_ > 1 else []
    after = [] if last.below is None else [Rule(last.below, None, None)]
    rules = entry.rules if before else [first._replace(from_=0), *entry.rules[1:]]
    return entry._replace(rules=_merged([*before, *rules, *after]))


def to_all_sizes(entry: Rules, left_out: list[str]) -> Rules:
    """The entry with its first and last rule extended to all sizes, for formats in which none is the library's own."""
    first, last = entry.rules[0], entry.rules[-1]
    if first.from_ > 1 or last.below is not None:
        left_out.append(
            f"{entry.shape}: its first and last algorithm count for sizes that the table does not have, too"
        )
    rules = [first._replace(from_=0), *entry.rules[1:]]
    return entry._replace(rules=[*rules[:-1], rules[-1]._replace(below=None)])


def in_totals(entry: Rules) -> list[Rules]:
    """The entry by bytes of all blocks together, in parts of nearly as many ranks, for which these are nearly equal."""
    if all(rule.from_ == 0 and rule.below is None for rule in entry.rules):
        return [entry]
    parts: list[Rules] = []
    least = entry.least
    while least <= entry.most:
        most = min(entry.most, least + least // _FINENESS)
        ranks = math.isqrt(least * most)
        rules = [
            Rule(rule.from_ * ranks, None if rule.below is None else rule.below * ranks, rule.algorithm)
            for rule in entry.rules
        ]
        parts.append(entry._replace(least=least, most=most, rules=rules))
        least = most + 1
    return parts


def _one_for_each_number_of_ranks(
    choices: Sequence[Choice], what: str, ranks: int | None, left_out: list[str]
) -> list[Choice]:
    """By ranks; of entries that differ only in their nodes, the one with most ranks on a node.

    Lines are for those of `ranks` ranks only, if that is told.
    """
    by_ranks: dict[int, Choice] = {}
    for choice in sorted(choices, key=lambda one: (one.ranks, -one.ranks_per_node)):
        if not choice.intervals:
            continue
        if choice.ranks in by_ranks:
            kept = by_ranks[choice.ranks].shape
            if ranks not in {None, choice.ranks}:
                continue
            left_out.append(f"{choice.shape}: left out, the format does not tell {what} apart; {kept} counts instead")
        else:
            by_ranks[choice.ranks] = choice
    return list(by_ranks.values())


def _everywhere(_shape: Shape) -> str:
    return ""


def express(
    table: Table,
    dialect: Dialect,
    algorithms: Sequence[dict[str, Any]],
    ranks: int | None = None,
    kind: Callable[[Shape], str] | None = None,
) -> Expressed:
    """What a table says in the words of a library, for all its entries or those of `ranks` ranks.

    `algorithms` are the descriptors of our own. An interval whose way the library lacks gets the fastest way of the
    table's points that it has. `kind` is for formats that tell some nodes apart: its entries have rules beside those of
    other kinds, and the library's own choice is an entry, too, if another of the collective names an algorithm.
    """
    translate = _Translator(table, dialect, algorithms)
    what = "numbers of ranks on a node" if kind else "nodes"
    left_out: list[str] = []
    entries: list[Rules] = []
    for collective in sorted({choice.collective for choice in table.choices}):
        by_kind: dict[str, list[Choice]] = {}
        for choice in table.choices:
            if choice.collective == collective:
                by_kind.setdefault((kind or _everywhere)(choice.shape), []).append(choice)
        of_it: list[Rules] = []
        for of_kind in by_kind.values():
            kept = _one_for_each_number_of_ranks(of_kind, what, ranks, left_out)
            for number, choice in enumerate(kept):
                if ranks not in {None, choice.ranks}:
                    continue
                least = -(-choice.ranks // FARTHEST)
                most = choice.ranks * FARTHEST
                if number > 0:
                    least = max(least, math.isqrt(kept[number - 1].ranks * choice.ranks) + 1)
                if number < len(kept) - 1:
                    most = min(most, math.isqrt(choice.ranks * kept[number + 1].ranks))
                of_it.append(Rules(choice.shape, least, most, _rules_of(table, choice, translate, left_out)))
        telling = [one for one in of_it if one.names_some]
        entries += of_it if kind and telling else telling
    return Expressed(entries, left_out)


def on_other_nodes(entries: Sequence[Rules]) -> list[str]:
    """Lines about communicators that a run with the table would treat otherwise, in formats without nodes."""
    kinds: dict[str, set[bool]] = {}
    for entry in entries:
        kinds.setdefault(entry.shape.collective, set()).add(entry.shape.nodes == 1)
    found = [
        f"{entry.shape}: counts for {entry.least} to {entry.most} ranks on "
        f"{'several nodes' if entry.shape.nodes == 1 else '1 node'}, too: the export does not tell nodes apart"
        for entry in entries
        if len(kinds[entry.shape.collective]) > 1
    ]
    only = [one for one in kinds.values() if len(one) == 1]
    if {True} in only:
        found.append("what was measured on 1 node counts for several, too: the export does not tell nodes apart")
    if {False} in only:
        found.append(
            "what was measured on several nodes counts for 1, too, and for any number of ranks on a node: the export "
            "does not tell nodes apart"
        )
    return found


def for_every_communicator(entries: Sequence[Rules], left_out: list[str]) -> list[Rules]:
    """The entry of most ranks of each collective, for formats that do not tell communicators apart."""
    last = {entry.shape.collective: entry for entry in entries}
    for entry in entries:
        kept = last[entry.shape.collective]
        if entry is not kept:
            left_out.append(
                f"{entry.shape}: left out, the format does not tell numbers of ranks apart; {kept.shape} counts instead"
            )
    return list(last.values())


def translations(
    table: Table, dialect: Dialect, algorithms: Sequence[dict[str, Any]]
) -> dict[tuple[str, str], Named | None]:
    """The library's algorithm (None: its own choice) of each way in a table that it has, by collective and way."""
    translate = _Translator(table, dialect, algorithms)
    named = {(choice.collective, interval.way) for choice in table.choices for interval in choice.intervals}
    found = {key: translate(*key) for key in named | {(point.collective, point.way) for point in table.points}}
    return {key: one for key, one in found.items() if not isinstance(one, _Refused)}
