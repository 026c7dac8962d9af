"""Parses the arguments of `starling run` without loading the code for help, errors and completion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from starling.installation.variants import Flavour
from starling.runs.settings import KEYS, Kind, flag


class Typed(NamedTuple):
    """A launcher line, and the settings given as options, by name."""

    line: list[str]
    flags: Mapping[str, str]


def _by_word() -> dict[str, str]:
    words: dict[str, str] = {}
    for name, key in KEYS.items():
        if key.option is not None:
            words |= dict.fromkeys([flag(name), *([key.option.short] if key.option.short else [])], name)
    return words


def typed(words: Sequence[str]) -> Typed | None:
    """The parsed words; None where the full command line must handle them: help, errors, unusual forms."""
    names = _by_word()
    flags: dict[str, str] = {}
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "--":
        word, equals, value = words[at].partition("=")
        name = names.get(word)
        if name is None:
            return None
        at += 1
        if KEYS[name].kind is Kind.FLAG:
            if equals:
                return None
            value = "1"
        elif not equals:
            if at == len(words) or words[at].startswith("-"):
                return None
            value = words[at]
            at += 1
        if KEYS[name].kind is Kind.FLAVOUR and value not in list(Flavour):
            return None
        flags[name] = value
    line = list(words[at:])
    if line[:1] == ["--"]:
        del line[0]
    return Typed(line, flags) if line else None
