"""How many ranks a run had, by its record: without the model of a whole one, for which a run would have to wait."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from starling import files


class World(NamedTuple):
    """The ranks of a run: what they ran, how many there were, and the flavour and version of their MPI."""

    program: str
    ranks: int
    mpi: tuple[str, str]


def world(file: Path) -> World | None:
    """The ranks that a record tells of; None for what is no record."""
    try:
        run = json.loads(files.read(file))["run"]
        return World(str(run["program"]), int(run["ranks"]), (str(run["mpi_flavour"]), str(run["mpi_version"])))
    except (OSError, ValueError, LookupError, TypeError, OverflowError, RecursionError):
        return None
