r"""Writes the tables of docs/results, each from the raw data beside it, and draws its pictures.

python bench/pages.py                             all tables into their pages
python bench/pages.py --pictures                  the pictures as well, with matplotlib
python bench/pages.py --check                     writes nothing, and fails where a page differs from its data
python bench/pages.py cells single-openmpi.json   prints one table from your own file

A table is in its page between two comments; the first names the table and its files:

    <!-- bench/pages.py cells single-openmpi.json -->
    <!-- end -->
"""

from __future__ import annotations

import argparse
import re
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import adapting
import first_calls
import orthogonal_groups
import prediction_error
import profiles
import replay
import searches
import simulated
import simulated_nodes
import simulated_programs
import simulated_tables
import simulated_trees
import solver_tables
import suite
import suite_tables
import trees
import tuning_replay

import programs
from starling.lab import measured
from starling.lab.measured import MeasuredError

PAGES = Path(__file__).parents[1] / "docs" / "results"
TABLE = re.compile(r"(<!-- bench/pages\.py ([\w-]+) ([^>]*) -->\n).*?(<!-- end -->)", re.DOTALL)


def _of(table: Callable[..., str]) -> Callable[[Sequence[Path]], str]:
    """A table from files of measurements."""

    def written(files: Sequence[Path]) -> str:
        return table(*(measured.read(file) for file in files))

    return written


TABLES: Mapping[str, Callable[[Sequence[Path]], str]] = {
    "summary": _of(suite_tables.summary),
    "cells": _of(suite_tables.cells),
    "first-calls": _of(first_calls.summary),
    "first-cells": _of(first_calls.cells),
    "programs": _of(programs.table),
    "trees": _of(trees.table),
    "adapting": lambda files: adapting.table(adapting.read(files[0])),
    "slowing": lambda files: adapting.slowing(adapting.read(files[0])),
    "star-1": _of(simulated_tables.table_1),
    "star-3-4": _of(simulated_tables.tables_3_and_4),
    "star-5": _of(simulated_tables.table_5),
    "star-6": _of(simulated_tables.table_6),
    "star-7": _of(simulated_tables.table_7),
    "star-programs": _of(simulated_programs.table_of_programs),
    "peers": _of(simulated_tables.peers),
    "slower-peers": _of(simulated_tables.slower_peers),
    "scale": _of(simulated_tables.scale),
    "clusters": _of(simulated_trees.clusters),
    "lottery": _of(simulated_trees.lottery),
    "profiled-collectives": _of(profiles.collectives),
    "profiled-alltoalls": _of(profiles.alltoalls),
    "profile-cost": _of(profiles.cost),
    "predictions": _of(prediction_error.table),
    "nodes": _of(simulated_nodes.by_nodes),
    "groups": _of(orthogonal_groups.improvements),
    "replay": replay.strategies_table,
    "replay-scenarios": replay.scenarios_table,
    "searches": searches.table,
    "solver-best": _of(solver_tables.best),
    "solver-machines": _of(solver_tables.machines),
    "solver-sizes": _of(solver_tables.sizes),
    "solver-overheads": _of(solver_tables.overheads),
    "tuning-replay": tuning_replay.table,
}
PICTURES: Mapping[str, tuple[Callable[[Namespace], None], Sequence[str]]] = {
    "emulated.svg": (
        suite.draw,
        (
            "single-openmpi.json",
            "single-mpich.json",
            "single-intel.json",
            "star-openmpi.json",
            "star-mpich.json",
            "chain-openmpi.json",
            "chain-mpich.json",
        ),
    ),
    "first.svg": (
        first_calls.draw,
        (
            "first-openmpi.json",
            "first-mpich.json",
            "first-intel.json",
            "first-star-openmpi.json",
            "first-star-mpich.json",
            "first-chain-openmpi.json",
            "first-nodes-openmpi.json",
        ),
    ),
    "programs.svg": (programs.draw, ("programs-openmpi.json",)),
    "trees-openmpi.svg": (trees.draw, ("trees-openmpi.json",)),
    "adapting.svg": (adapting.draw, ("adapting-openmpi.json",)),
    "simulated.svg": (simulated.draw, ("simulated.json",)),
    "replay.svg": (replay.draw, ("replay.json",)),
    "tuning-replay.svg": (tuning_replay.draw, ("tuning-replay.json",)),
    "simulated-nodes.svg": (simulated_nodes.draw, ("simulated-nodes.json",)),
    "orthogonal-groups.svg": (orthogonal_groups.draw, ("orthogonal-groups.json",)),
    "simulated-trees.svg": (simulated_trees.draw, ("simulated-trees.json",)),
}


def table(kind: str, files: Sequence[Path]) -> str:
    """One table as Markdown. Raises MeasuredError."""
    if kind not in TABLES:
        raise MeasuredError(f"{kind}: no such table; there are: {', '.join(TABLES)}")
    return TABLES[kind](files)


def written(text: str, folder: Path) -> str:
    """A page with all of its tables made from the files of a folder. Raises MeasuredError."""

    def between(found: re.Match[str]) -> str:
        return f"{found[1]}{table(found[2], [folder / name for name in found[3].split()])}\n{found[4]}"

    return TABLE.sub(between, text)


def old(folder: Path) -> list[str]:
    """The pages that differ from their data. Raises MeasuredError."""
    pages = ((page.name, page.read_text()) for page in sorted(folder.glob("*.md")))
    return [name for name, text in pages if written(text, folder) != text]


def write(folder: Path, pictures: bool) -> None:
    """Writes all pages, and draws all pictures if asked to. Raises MeasuredError."""
    for page in sorted(folder.glob("*.md")):
        page.write_text(written(page.read_text(), folder))
    for name, (draw, files) in PICTURES.items() if pictures else ():
        draw(Namespace(measured=[folder / file for file in files], picture=folder / name))


def main() -> None:
    """Prints one table, or writes or checks all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", action="store_true", help="draw the pictures too")
    parser.add_argument("--check", action="store_true", help="only compare")
    parser.add_argument(
        "--folder", type=Path, default=PAGES, help="with the pages and the data, by default docs/results"
    )
    parser.add_argument("kind", nargs="?", metavar="TABLE", help=f"one of {', '.join(TABLES)}")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="what bench/ measured")
    options = parser.parse_args()
    try:
        if options.kind:
            print(table(options.kind, options.files))
        elif options.check:
            if pages := old(options.folder):
                sys.exit(f"pages.py: {', '.join(pages)}: not as the data beside it; run: python bench/pages.py")
        else:
            write(options.folder, options.pictures)
    except MeasuredError as error:
        sys.exit(f"pages.py: {error}")


if __name__ == "__main__":
    main()
