"""The repository of algorithms, as listed by the installed library."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from starling.algorithms import descriptor
from starling.installation.questions import UnknownError, ask
from starling.messages import printable
from starling.networks.platform_file import Platform
from starling.pictures.timeline import Plan


def listing(ranks: int | None = None) -> dict[str, Any]:
    """The output of `starling-repository`: `collectives`, `traits`, `algorithms`, `others` and `strategies`.

    `traits` tells by the name of a collective what it has at whom. `others` are the ways that are no algorithms of the
    repository: native, exchanges with neighbours. Raises RepositoryError.

    For `ranks`, parameters that depend on the number of ranks have the values that are worth trying on so many; else
    those that may be named on any number.
    """
    return ask("on", str(ranks)) if ranks else ask()


def full_name(collective: str, way: str) -> str:
    """The name of a way with all of its parameters, also of one that is not listed, like a hierarchy of any two parts.

    Raises UnknownError where there is no such way, else RepositoryError.
    """
    return str(ask("named", f"{collective}:{way}")["name"])


def plan(candidate: str, ranks: int, root: int = 0, blocks: int | None = None) -> Plan:
    """What each of `ranks` ranks does in one candidate, as in `bcast:chain?segment=8192`.

    Without `blocks` a vector is divided as by the candidate, into at least four blocks if it divides at all. Raises
    UnknownError for an unknown candidate or one that does not serve so
    many ranks, else RepositoryError.
    """
    return Plan.from_json(ask("schedule", candidate, str(ranks), str(root), *([str(blocks)] if blocks else [])))


def prediction(
    platform: Platform, ranks: int, collective: str, size: int, root: int = 0, parameters: Path | None = None
) -> dict[str, Any]:
    """The cost model's prediction for every candidate of a collective of `size` bytes (docs/cost-model.md).

    Ranks are placed on the hosts in their order; `parameters` is a file. Raises UnknownError for invalid arguments,
    else RepositoryError.
    """
    words = [str(ranks), collective, str(size), str(root), *([str(parameters)] if parameters else [])]
    return ask("predict", "/dev/stdin", *words, given=json.dumps(platform.as_json()))


def algorithms(found: dict[str, Any], collective: str | None = None) -> list[dict[str, Any]]:
    """The ways of a listing, native first within each collective; all of them, or those of one collective.

    Raises UnknownError for an unknown collective.
    """
    names: list[str] = found["collectives"]
    if collective is not None and collective not in names:
        raise UnknownError(f"no collective {printable(collective)} in the repository; there are: {', '.join(names)}")
    every = [*found["others"], *found["algorithms"]]
    return [entry for name in ([collective] if collective else names) for entry in every if entry["collective"] == name]


def with_library(entries: Sequence[dict[str, Any]], of_library: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A listing with the MPI library's own algorithms behind the `native` of each collective."""
    found: list[dict[str, Any]] = []
    for entry in entries:
        found.append(entry)
        if entry["name"] == "native":
            found += [one for one in of_library if one["collective"] == entry["collective"]]
    return found


def _parameters(entry: dict[str, Any]) -> str:
    return " ".join(f"{parameter['name']}={'|'.join(parameter['values'])}" for parameter in entry["parameters"])


def _depends_on_ranks(entry: dict[str, Any]) -> bool:
    return any(parameter.get("by_ranks") for parameter in entry["parameters"])


def named(found: dict[str, Any], collective: str, name: str) -> dict[str, Any]:
    """The algorithm of that name. Raises UnknownError where the collective has none."""
    entries = algorithms(found, collective)
    if entry := next((one for one in entries if one["name"] == name), None):
        return entry
    hint = "; leave the parameters out, all are shown" if "?" in name else ""
    there_are = ", ".join(one["name"] for one in entries)
    raise UnknownError(f"no algorithm {printable(collective)}:{printable(name)}; there are: {there_are}{hint}")


def render_one(entry: dict[str, Any], entries: Sequence[dict[str, Any]], console: Console) -> None:
    """Prints all facts about one algorithm; `entries` are those of its collective."""
    name = f"{entry['collective']}:{entry['name']}"
    console.print(Text.assemble((name, "bold"), f": {entry['says']}"))
    if entry["name"] == "native":
        return
    if "attributes" in entry:
        described = ", ".join(f"{key} {value}" for key, value in entry["attributes"].items())
        more = "; docs/neighborhood.md says more" if entry["collective"].startswith("neighbor_") else ""
        console.print(Text(f"{described}\nforce it: --strategy forced:{name}{more}"))
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for title, lines in descriptor.facts(entry, [one for one in entries if one["name"] != "native"]):
        table.add_row(title, Text("\n".join(lines)))
    console.print(table)
    console.print(Text(f"force it: --strategy forced:{name}; draw it: starling algorithms {name} --draw F.svg"))


def render(entries: list[dict[str, Any]], console: Console, ranks: int | None = None) -> None:
    """Prints a table of algorithms, listed for `ranks` ranks or for any number."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("collective", "name", "parameters", "says"):
        table.add_column(title, overflow="fold")
    for entry in entries:
        cells = (entry["collective"], entry["name"], _parameters(entry), entry.get("says", ""))
        table.add_row(*(Text(str(cell)) for cell in cells))
    console.print(table)
    if ranks is None and any(_depends_on_ranks(entry) for entry in entries):
        console.print(Text("mesh: as many as the ranks have factorisations; those of 12 ranks: --ranks 12"))
