"""Descriptors of algorithms in words, for the terminal and the reference pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

_LIBRARIES = {"ompi": "Open MPI", "mpich": "MPICH", "ucc": "UCC"}

Entry = dict[str, Any]
"""An algorithm with one synchronisation, as `starling-repository` lists it."""

Mark = Callable[[str], str]
"""How a name is written."""


def _as_it_is(name: str) -> str:
    return name


def _variants(base: Entry, entries: Iterable[Entry]) -> list[Entry]:
    """The entries of the algorithm with a synchronisation."""
    return [entry for entry in entries if entry["algorithm"] == base["algorithm"] and entry["name"] != base["name"]]


def _needs(entry: Entry) -> str:
    needs = entry["needs"]
    said = ["a number of ranks that is a power of two"] if needs["power_of_two"] else []
    if needs["commutative"]:
        said.append("a commutative operator")
    if needs["least_ranks"] > 1:
        said.append(f"at least {needs['least_ranks']} ranks")
    if needs["switches"]:
        said.append("a description of the network's switches")
    if needs["one_node"]:
        said.append("all ranks on one node")
    return ", ".join(said)


def _parameter(parameter: dict[str, Any], code: Mark) -> str:
    return f"{code(parameter['name'])}, {parameter['says']}: {', '.join(map(code, parameter['values']))}"


def _counterpart(names: dict[str, str], code: Mark) -> str:
    said = ", ".join(f"{title} {code(names[library])}" for library, title in _LIBRARIES.items() if library in names)
    return f"{said} (with {code(names['with'])})" if "with" in names else said


def _variant(variant: Entry, base: Entry, code: Mark) -> str:
    return f"{code(variant['name'])}: {variant['says'].removeprefix(base['says']).removeprefix('; ')}"


def _all(base: Entry, entries: Sequence[Entry], code: Mark, link: Mark) -> Iterator[tuple[str, list[str]]]:
    yield "latency", [base["latency"]]
    yield "bandwidth", [base["bandwidth"]]
    yield "needs", [_needs(base)]
    yield "parameters", [_parameter(one, code) for one in base["parameters"]]
    yield "with synchronisation", [_variant(one, base, code) for one in _variants(base, entries)]
    yield "group", [code(base["group"])]
    limit = base["probe_up_to"]
    yield "tried", [f"for blocks of at most {limit} bytes" if limit else ""]
    yield "order of the reduction", [code(base["reduction_order"]) if base["reduction_order"] else ""]
    yield "in place", ["without a copy of the input" if base["works_in_place"] else ""]
    yield "elsewhere called", ["; ".join(_counterpart(one, code) for one in base["counterparts"])]
    yield "serves also", [", ".join(link(name) for name in base["serves"] if name != base["collective"])]
    yield "source", [base["source"]]


def facts(
    base: Entry, entries: Sequence[Entry], *, code: Mark = _as_it_is, link: Mark = _as_it_is
) -> list[tuple[str, list[str]]]:
    """The facts of an algorithm: a title and the lines below it; lines without content are left out.

    `entries` are those of its collective; `code` formats a name, `link` the name of another collective.
    """
    return [(title, lines) for title, lines in _all(base, entries, code, link) if any(lines)]
