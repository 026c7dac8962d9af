"""What is searched: parameters of the MPI library, the values to try, and which of them go together."""

from __future__ import annotations

import itertools
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starling.messages import printable

MOST = 2000
"""Combinations; more take longer than anybody waits."""
_MOST_LOOKED_AT = 1_000_000
"""Values that are looked at to find those that go together; it takes a second or two."""

_FACTORS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_NUMBER = r"(\d+)([KMG]?)"
_RANGE = re.compile(rf"{_NUMBER}\.\.{_NUMBER}(?:([*+]){_NUMBER})?")
_MOST_DIGITS = 18
_NAME = re.compile(r"[A-Za-z]\w*")
_MCA = "OMPI_MCA_"
_COMPARISON = re.compile(r"\s*([\w.]+)\s*(<=|>=|==|!=|<|>)\s*([\w.]+)\s*")
_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}

Settings = Mapping[str, str]
"""A value for each parameter; none at all for the MPI library as it is."""


class SpaceError(Exception):
    """Parameters or values that make no sense; the text says what is wrong and what to do."""


@dataclass(frozen=True)
class Parameter:
    """A parameter and the values to try, the first one first."""

    name: str
    values: tuple[str, ...]

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return variable(self.name)


def is_mca(name: str) -> bool:
    """Whether it is one of Open MPI's MCA parameters; others are environment variables, in capitals."""
    return name != name.upper()


def variable(name: str) -> str:
    """The environment variable that sets a parameter: itself, or Open MPI's for one of its MCA parameters."""
    return _MCA + name if is_mca(name) else name


def in_words(settings: Settings) -> str:
    """`a=1 b=2`; `as it is` for none."""
    return " ".join(f"{name}={value}" for name, value in settings.items()) or "as it is"


def parameter(text: str) -> Parameter:
    """The parameter of a text like `btl_tcp_eager_limit=16K,64K` or `NAME=1..64*2`. Raises SpaceError."""
    name, equals, listed = (part.strip() for part in text.partition("="))
    name = name.removeprefix(_MCA)
    if not equals or not _NAME.fullmatch(name):
        raise SpaceError(f"{printable(text)}: write NAME=VALUE,VALUE or NAME=FIRST..LAST*FACTOR")
    # Values may have commas themselves: btl=self,tcp|self,vader.
    items = [item.strip() for item in listed.split("|" if "|" in listed else ",")]
    if not all(items) or not listed.isprintable():
        raise SpaceError(f"{printable(text)}: a value is empty, or cannot be printed")
    values = tuple(dict.fromkeys(value for item in items for value in _values(item)))
    return Parameter(name, values)


def _number(digits: str, unit: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise SpaceError(f"{printable(digits)}: a number of at most {_MOST_DIGITS} digits")
    return int(digits) * _FACTORS[unit]


def _values(item: str) -> list[str]:
    if match := re.fullmatch(_NUMBER, item):
        return [str(_number(match[1], match[2]))] if match[2] else [item]
    match = _RANGE.fullmatch(item)
    if match is None:
        if re.match(r"[0-9]+[A-Za-z]?\.\.", item):
            raise SpaceError(f"{printable(item)}: a range is like 1..8, 1..64*2 or 0..100+10")
        return [item]
    value, last = _number(match[1], match[2]), _number(match[3], match[4])
    step = _number(match[6], match[7]) if match[5] else 1
    if match[5] == "*" and (step < 2 or value < 1):
        raise SpaceError(f"{printable(item)}: a factor of 2 or more, and a first value of 1 or more")
    if step < 1 or value > last:
        raise SpaceError(f"{printable(item)}: from a smaller to a larger number, by steps of 1 or more")
    found = []
    while value <= last:
        found.append(str(value))
        value = value * step if match[5] == "*" else value + step
        if len(found) > MOST:
            raise SpaceError(f"{printable(item)}: these are more than {MOST} values; take larger steps")
    return found


def parameters(texts: Sequence[str], example: str = "NAME=VALUE,VALUE") -> list[Parameter]:
    """The parameters of such texts. Raises SpaceError, also where one comes twice or there is none as in `example`."""
    found = [parameter(text) for text in texts]
    names = [one.name for one in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise SpaceError(f"{twice}: named twice; give all its values at once: {twice}=VALUE,VALUE")
    if not found:
        raise SpaceError(f"no parameter is named; name one: -p {example}")
    return found


def lines(text: str) -> list[str]:
    """The parameters of a file: a line each; what follows # is a comment."""
    stripped = (line.partition("#")[0].strip() for line in text.splitlines())
    return [line for line in stripped if line]


@dataclass(frozen=True)
class Condition:
    """A comparison like `btl_tcp_eager_limit <= btl_tcp_max_send_size`, as of numbers where both sides are numbers."""

    text: str
    left: str
    compare: Callable[[Any, Any], bool]
    right: str
    names: tuple[str, ...]
    """Its sides that are parameters; the other one is a value."""

    def holds(self, settings: Settings) -> bool:
        """Whether settings, which have its parameters, fulfil it."""
        one, other = settings.get(self.left, self.left), settings.get(self.right, self.right)
        try:
            return self.compare(float(one), float(other))
        except ValueError:
            return self.compare(one, other)


def condition(text: str, values: Mapping[str, Sequence[str]]) -> Condition:
    """The condition of a text, on parameters with these values. Raises SpaceError."""
    match = _COMPARISON.fullmatch(text)
    if match is None:
        raise SpaceError(f"--where {printable(text)}: write NAME <= NAME or NAME <= VALUE; there are < <= > >= == !=")
    sides = [match[1], match[3]]
    used = tuple(dict.fromkeys(word for word in sides if word in values))
    if not used:
        raise SpaceError(f"--where {printable(text)}: neither side is a parameter that is tried")
    left, right = (word if word in used else _value(word, text, used[0], values) for word in sides)
    return Condition(text, left, _OPERATORS[match[2]], right, used)


def _value(word: str, text: str, name: str, values: Mapping[str, Sequence[str]]) -> str:
    """A number, or a value of the parameter `name` on the other side: any other word would compare by its letters."""
    found = word if ".." in word else _values(word)[0]
    if found not in values[name] and not _is_number(found):
        raise SpaceError(
            f"--where {printable(text)}: {printable(word)} is no parameter that is tried, no number and no value of "
            f"{name}; write one of these"
        )
    return found


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _serves(one: Condition, values: Mapping[str, Sequence[str]]) -> bool:
    """Whether any of these values fulfil a condition."""
    pairs = itertools.product(*(values[name] for name in one.names))
    return any(one.holds(dict(zip(one.names, pair, strict=True))) for pair in pairs)


def _fulfilling(given: Sequence[Parameter], conditions: Sequence[Condition]) -> Iterator[Settings]:
    """The combinations that fulfil all conditions, each of which is asked as soon as its parameters have values.

    Raises SpaceError where that takes too long.
    """
    conditioned = {name for one in conditions for name in one.names}
    # Those that cannot leave any combination out come last: what comes before would be walked through again for each.
    order = sorted(given, key=lambda one: (len(one.values) > 1, one.name not in conditioned, len(one.values)))
    at = {one.name: place for place, one in enumerate(order)}
    asked: list[list[Condition]] = [[] for _ in order]
    for one in conditions:
        asked[max(at[name] for name in one.names)].append(one)
    looked_at = 0
    begun: list[Settings] = [{}]
    while begun:
        settings = begun.pop()
        if len(settings) == len(order):
            yield settings
            continue
        parameter, here = order[len(settings)], asked[len(settings)]
        looked_at += len(parameter.values)
        if looked_at > _MOST_LOOKED_AT:
            raise SpaceError("--where: to find what fulfils the conditions takes too long; name fewer values")
        for value in parameter.values:
            longer = {**settings, parameter.name: value}
            if all(one.holds(longer) for one in here):
                begun.append(longer)


def combinations(given: Sequence[Parameter], conditions: Sequence[str] = ()) -> list[Settings]:
    """Every combination of values that fulfils all conditions. Raises SpaceError where there is none, or too many."""
    values = {one.name: one.values for one in given}
    conditioned = [condition(text, values) for text in conditions]
    left = dict(values)
    for one in sorted(conditioned, key=lambda one: len(one.names)):
        for name in one.names:
            left[name] = tuple(value for value in left[name] if _serves(one, {**left, name: (value,)}))
            if not left[name]:
                others = " and the other conditions" if len(conditions) > 1 else ""
                raise SpaceError(f"--where {printable(one.text)}: no combination of values fulfils it{others}")
    found = list(itertools.islice(_fulfilling([Parameter(*one) for one in left.items()], conditioned), MOST + 1))
    if len(found) > MOST:
        raise SpaceError(f"these are more than {MOST} combinations; name fewer values")
    if not found:
        raise SpaceError("no combination of values fulfils every --where")
    place = {name: {value: at for at, value in enumerate(some)} for name, some in values.items()}
    in_order = [{name: one[name] for name in values} for one in found]
    return sorted(in_order, key=lambda one: [place[name][value] for name, value in one.items()])
