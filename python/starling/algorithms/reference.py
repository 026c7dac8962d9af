"""The reference pages of the repository: `python -m starling.algorithms.reference docs/collectives`.

A page for each collective, a picture for each algorithm and an index, all made from the descriptors in the repository.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from starling.algorithms import descriptor, repository
from starling.algorithms.descriptor import Entry
from starling.installation.questions import RepositoryError
from starling.messages import log
from starling.pictures import drawing

_RANKS = 8
_SYMBOLS = (
    "*p* ranks; *s* bytes of a block, where each rank has one; *m* bytes of the vector; *alpha* seconds a message, "
    "*beta* seconds a byte."
)


def _plural(count: int, what: str) -> str:
    return f"{count} {what}" + "s" * (count != 1)


def _candidates(entries: Iterable[Entry]) -> int:
    return sum(math.prod(len(parameter["values"]) for parameter in entry["parameters"]) for entry in entries)


def _bases(entries: Iterable[Entry]) -> list[Entry]:
    """The first entry of each algorithm: the others only add a synchronisation."""
    firsts: dict[tuple[str, str], Entry] = {}
    for entry in entries:
        firsts.setdefault((entry["collective"], entry["algorithm"]), entry)
    return list(firsts.values())


def _code(text: str) -> str:
    return f"`{text}`"


def _drawn(base: Entry) -> dict[str, str]:
    """The candidates to draw by the names of their pictures: the first values, and one that divides the vector."""
    name = f"{base['collective']}:{base['name']}"
    drawn = {f"{base['collective']}-{base['name']}": name}
    for parameter in base["parameters"]:
        if parameter["values"][0] == "none":
            drawn[f"{base['collective']}-{base['name']}-{parameter['name']}"] = (
                f"{name}?{parameter['name']}={parameter['values'][1]}"
            )
    return drawn


def _section(base: Entry, entries: Sequence[Entry]) -> list[str]:
    says = base["says"]
    lines = ["", f"## {base['name']}", f"{says[0].upper()}{says[1:]}."]
    for picture, candidate in _drawn(base).items():
        lines += ["", f"![The steps of {candidate} on {_RANKS} ranks](pictures/{picture}.svg)"]
    facts = descriptor.facts(base, entries, code=_code, link=lambda name: f"[{name}]({name}.md)")
    rows = [(title, "<br>".join(said).replace("|", "\\|")) for title, said in facts]
    return [*lines, "", "| | |", "|---|---|", *(f"| {title} | {said} |" for title, said in rows)]


def _table(bases: Sequence[Entry]) -> list[str]:
    rows = []
    for one in bases:
        page = "" if one["serves"][0] == one["collective"] else f"{one['serves'][0]}.md"
        cells = (f"[{one['name']}]({page}#{one['name']})", one["says"], one["latency"], one["bandwidth"])
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return ["| algorithm | | latency | bandwidth |", "|---|---|---|---|", *rows]


def _page(collective: str, entries: Sequence[Entry]) -> str:
    """The page of a collective: a table of its algorithms, then a section for each whose home it is."""
    bases = _bases(entries)
    counts = f"{_plural(len(bases), 'algorithm')}, {_plural(_candidates(entries), 'candidate')} besides native."
    lines = [f"# {collective}", counts, _SYMBOLS, "[All collectives](README.md).", "", *_table(bases)]
    for one in bases:
        if one["serves"][0] == collective:
            lines += _section(one, entries)
    return "\n".join(lines) + "\n"


_INDEX = """# The algorithms of every collective
`make docs` writes these pages from the descriptors in `src/algorithms`, and the pictures from the schedules. A
candidate is an algorithm with its parameters bound and one way to keep its steps apart; `native`, the MPI library's own
way, is always a candidate too. Meshes count as two, `square` and `cube`, though on a number of ranks all of its
factorisations are candidates (`starling algorithms --ranks 96`).

In a picture each rank is a line and time goes to the right. A message takes one unit, however large it is, and goes
from the start of its sender's round to its arrival. Opened by itself, a picture shows the blocks of each message.
`starling algorithms 'bcast:chain?segment=8192' --draw chain.svg --ranks 12` draws any candidate on up to 64 ranks.

| collective | algorithms | candidates | |
|---|---|---|---|
"""


def _index(found: dict[str, list[Entry]]) -> str:
    rows = []
    for collective, entries in found.items():
        bases = _bases(entries)
        names = ", ".join(one["name"] for one in bases)
        rows.append(f"| [{collective}]({collective}.md) | {len(bases)} | {_candidates(entries)} | {names} |")
    every = [entry for entries in found.values() for entry in entries]
    home = [one for one in _bases(every) if one["serves"][0] == one["collective"]]
    rows.append(
        f"| all | {len(home)} | {_candidates(every)} | an algorithm that serves several collectives counts once |"
    )
    return _INDEX + "\n".join(rows) + "\n"


def pages() -> dict[str, str]:
    """The text of every page and picture by its path. Raises RepositoryError."""
    listing = repository.listing()
    found = {
        collective: entries
        for collective in listing["collectives"]
        if (entries := [entry for entry in listing["algorithms"] if entry["collective"] == collective])
    }
    written = {"README.md": _index(found)}
    for collective, entries in found.items():
        written[f"{collective}.md"] = _page(collective, entries)
        for one in _bases(entries):
            if one["serves"][0] == collective:
                for picture, candidate in _drawn(one).items():
                    written[f"pictures/{picture}.svg"] = drawing.draw(repository.plan(candidate, _RANKS))
    return written


def write(folder: Path) -> None:
    """Writes every page and picture below `folder`, and removes those of deleted algorithms."""
    written = pages()
    for pattern in ("*.md", "pictures/*.svg"):
        for old in folder.glob(pattern):
            if old.relative_to(folder).as_posix() not in written:
                old.unlink()
    for name, text in written.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def main(words: Sequence[str]) -> int:
    """Writes the pages into the named folder; returns the exit status."""
    if len(words) != 1:
        log("usage: python -m starling.algorithms.reference FOLDER")
        return 2
    try:
        write(Path(words[0]))
    except (RepositoryError, OSError) as error:
        log(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
