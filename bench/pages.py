r"""Writes the tables of docs/results, each from the raw data beside it, and draws its pictures.

python bench/pages.py                             all tables into their pages
python bench/pages.py --pictures                  the pictures as well, with matplotlib
python bench/pages.py --check                     writes nothing, and fails where a page differs from its data
python bench/pages.py cells mine.json             prints one table from your own file
python bench/pages.py cells single-openmpi.json   or from one of docs/results (of --folder) that is not here

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
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, NamedTuple

import adapting
import applications
import eager_limit
import first_calls
import mesh_communicators
import one_node_tables
import orthogonal_groups
import plots
import prediction_error
import profiles
import replay
import result_files
import searches
import simulated
import simulated_nodes
import simulated_programs
import simulated_tables
import solver_tables
import suite
import suite_tables
import tree_tables
import trees
import tuned_tables
import tuning_replay
import unknown_sizes
from command import mistakes_told

import programs
from starling.lab import measured
from starling.lab.measured import MeasuredError
from starling.messages import printable

PAGES = Path(__file__).parents[1] / "docs" / "results"
TABLE = re.compile(r"(<!-- bench/pages\.py ([\w-]+) ([^>]*) -->\n).*?(<!-- end -->)", re.DOTALL)


class Source(NamedTuple):
    """A kind of file: what it is for people, and how its content is read."""

    what: str
    read: Callable[[Path], Any]

    def content(self, file: Path, folder: Path) -> Any:
        """Of a file as it is named, or else of the file of this name in the folder. Raises MeasuredError."""
        for place in (file, folder / file):
            if place.exists():
                return self.read(place)
        raise MeasuredError(
            f"{printable(file)}: there is no such file, here or in {printable(folder)} (--folder); give {self.what}"
        )


class Table(NamedTuple):
    """A table of files, which are of these kinds; of one kind there may be many if `written` takes many."""

    written: Callable[..., str]
    sources: Sequence[Source]

    def of(self, files: Sequence[Path], folder: Path) -> str:
        """As Markdown. Raises MeasuredError."""
        kinds = {parameter.kind for parameter in signature(self.written).parameters.values()}
        many = Parameter.VAR_POSITIONAL in kinds
        sources = list(self.sources) * (max(1, len(files)) if many else 1)
        if len(files) != len(sources):
            number = "1 file or more" if many else "1 file" if len(sources) == 1 else f"{len(sources)} files"
            raise MeasuredError(
                f"it takes {number}, not {len(files)}: {', then '.join(one.what for one in self.sources)}"
            )
        return self.written(*(source.content(file, folder) for source, file in zip(sources, files, strict=True)))


def _by(*scripts: str, read: Callable[[Path], Any] | None = None) -> Source:
    """Files that a script of this folder wrote: measurements, if there is no function that reads them."""
    return Source(result_files.written_by(*scripts), read or (lambda path: result_files.measurements(path, *scripts)))


MEASURED = Source("a file of measurements", measured.read)
SUITE, FIRST_CALLS, SOLVER = _by("suite.py"), _by("first_calls.py"), _by("solver.py")
SIMULATED, TREES, PROFILES = _by("simulated.py"), _by("simulated_trees.py", "emulated_trees.py"), _by("profiles.py")
ADAPTING, REPLAY = _by("adapting.py", read=adapting.read), _by("replay.py", read=replay.read)

TABLES: Mapping[str, Table] = {
    "summary": Table(suite_tables.summary, [SUITE]),
    "cells": Table(suite_tables.cells, [SUITE]),
    "first-calls": Table(first_calls.summary, [FIRST_CALLS]),
    "first-cells": Table(first_calls.cells, [FIRST_CALLS]),
    "programs": Table(programs.table, [_by("programs.py")]),
    "applications": Table(applications.table, [_by("applications.py")]),
    "eager-limit": Table(eager_limit.table, [_by("eager_limit.py")]),
    "trees": Table(trees.table, [_by("trees.py")]),
    "adapting": Table(adapting.table, [ADAPTING]),
    "slowing": Table(adapting.slowing, [ADAPTING]),
    "star-1": Table(simulated_tables.table_1, [SIMULATED]),
    "star-3-4": Table(simulated_tables.tables_3_and_4, [SIMULATED]),
    "star-5": Table(simulated_tables.table_5, [SIMULATED]),
    "star-6": Table(simulated_tables.table_6, [SIMULATED]),
    "star-7": Table(simulated_tables.table_7, [SIMULATED]),
    "star-programs": Table(simulated_programs.table_of_programs, [SIMULATED]),
    "peers": Table(simulated_tables.peers, [SIMULATED]),
    "slower-peers": Table(simulated_tables.slower_peers, [SIMULATED]),
    "scale": Table(simulated_tables.scale, [SIMULATED]),
    "clusters": Table(tree_tables.clusters, [TREES]),
    "lottery": Table(tree_tables.lottery, [TREES]),
    "profiled-collectives": Table(profiles.collectives, [PROFILES]),
    "profiled-alltoalls": Table(profiles.alltoalls, [PROFILES]),
    "profile-cost": Table(profiles.cost, [PROFILES]),
    "predictions": Table(prediction_error.table, [MEASURED, _by("prediction_error.py")]),
    "nodes": Table(simulated_nodes.by_nodes, [_by("simulated_nodes.py")]),
    "one-node": Table(one_node_tables.summary, [_by("one_node.py")]),
    "one-node-cells": Table(one_node_tables.table, [_by("one_node.py")]),
    "groups": Table(orthogonal_groups.improvements, [_by("orthogonal_groups.py")]),
    "communicators": Table(mesh_communicators.table, [_by("mesh_communicators.py")]),
    "unknown-sizes": Table(unknown_sizes.table, [_by("unknown_sizes.py")]),
    "replay": Table(replay.strategies_table, [REPLAY]),
    "replay-scenarios": Table(replay.scenarios_table, [REPLAY]),
    "searches": Table(searches.table, [_by("searches.py", read=searches.read)]),
    "searches-missed": Table(searches.missed_table, [_by("searches.py", read=searches.read)]),
    "solver-best": Table(solver_tables.best, [SOLVER]),
    "solver-machines": Table(solver_tables.machines, [SOLVER]),
    "solver-sizes": Table(solver_tables.sizes, [SOLVER]),
    "solver-overheads": Table(solver_tables.overheads, [SOLVER]),
    "tuned": Table(tuned_tables.improvements, [Source("a table that starling tune wrote", tuned_tables.read)]),
    "tuned-in-row": Table(tuned_tables.calls_in_row, [Source("a table that starling tune wrote", tuned_tables.read)]),
    "tuning-replay": Table(tuning_replay.table, [_by("tuning_replay.py", read=tuning_replay.read)]),
}
PICTURES: Mapping[str, tuple[Callable[[Namespace], None], Sequence[str]]] = {
    "emulated.svg": (
        suite.draw,
        (
            "single-openmpi.json",
            "single-mpich.json",
            "star-openmpi.json",
            "star-mpich.json",
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
    "applications.svg": (applications.draw, ("applications-openmpi.json", "applications-mpich5.json")),
    "eager-limit.svg": (eager_limit.draw, ("eager-limit.json",)),
    "first-node.svg": (
        first_calls.draw,
        ("first-node-openmpi4.json", "first-node-mpich4.json", "first-node-mpich5.json"),
    ),
    "tuned.svg": (tuned_tables.draw, ("tuned-openmpi.json",)),
    "programs.svg": (programs.draw, ("programs-openmpi.json",)),
    "trees-openmpi.svg": (trees.draw, ("trees-openmpi.json",)),
    "adapting.svg": (adapting.draw, ("adapting-openmpi.json",)),
    "simulated.svg": (simulated.draw, ("simulated.json",)),
    "replay.svg": (replay.draw, ("replay.json",)),
    "tuning-replay.svg": (tuning_replay.draw, ("tuning-replay.json",)),
    "simulated-nodes.svg": (simulated_nodes.draw, ("simulated-nodes.json",)),
    "one-node.svg": (one_node_tables.draw, ("one-node.json",)),
    "orthogonal-groups.svg": (orthogonal_groups.draw, ("orthogonal-groups.json",)),
    "emulated-trees.svg": (tree_tables.draw, ("emulated-trees.json",)),
    "simulated-trees.svg": (tree_tables.draw, ("simulated-trees.json",)),
}


def table(kind: str, files: Sequence[Path], folder: Path) -> str:
    """One table as Markdown, of files that are here or in the folder. Raises MeasuredError, which names the table."""
    if kind not in TABLES:
        raise MeasuredError(f"{printable(kind)}: no such table; there are: {', '.join(TABLES)}")
    try:
        return TABLES[kind].of(files, folder)
    except MeasuredError as error:
        raise MeasuredError(f"table {kind}: {error}") from error


def written(text: str, folder: Path) -> str:
    """A page with all of its tables made from the files of a folder. Raises MeasuredError."""

    def between(found: re.Match[str]) -> str:
        return f"{found[1]}{table(found[2], [folder / name for name in found[3].split()], folder)}\n{found[4]}"

    return TABLE.sub(between, text)


def pages(folder: Path) -> list[Path]:
    """The pages of a folder, at least one. Raises MeasuredError."""
    found = sorted(folder.glob("*.md"))
    if not found:
        raise MeasuredError(f"{printable(folder)}: it has no pages; give --folder a copy of docs/results")
    return found


def old(folder: Path) -> list[str]:
    """The pages that differ from their data. Raises MeasuredError."""
    texts = ((page.name, page.read_text()) for page in pages(folder))
    return [name for name, text in texts if written(text, folder) != text]


def write(folder: Path, pictures: bool) -> None:
    """Writes all pages, and draws all pictures if asked to. Raises MeasuredError."""
    if pictures:
        plots.pyplot()  # before a page is written
    for page in pages(folder):
        page.write_text(written(page.read_text(), folder))
    for name, (draw, files) in PICTURES.items() if pictures else ():
        draw(Namespace(measured=[folder / file for file in files], picture=folder / name))


def main() -> None:
    """Prints one table, or writes or checks all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", action="store_true", help="draw the pictures too")
    parser.add_argument("--check", action="store_true", help="only compare")
    parser.add_argument(
        "--folder", type=Path, default=PAGES, help="with the pages and the data, by default docs/results of the sources"
    )
    parser.add_argument("kind", nargs="?", metavar="TABLE", help=f"one of {', '.join(TABLES)}")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="what bench/ measured")
    options = parser.parse_args()
    with mistakes_told():
        if options.kind:
            print(table(options.kind, options.files, options.folder))
        elif options.check:
            if differing := old(options.folder):
                sys.exit(f"pages.py: {', '.join(differing)}: not as the data beside it; run: python bench/pages.py")
        else:
            write(options.folder, options.pictures)


if __name__ == "__main__":
    main()
