"""The list of algorithms as people and programs see it."""

import io

import pytest
from rich.console import Console

from starling.algorithms.repository import algorithms, render
from starling.installation.questions import RepositoryError

CHAIN = {
    "collective": "bcast",
    "name": "chain",
    "parameters": [{"name": "segment", "values": ["none", "1024"], "says": "bytes"}],
    "says": "passes segments along a line of ranks",
}
LISTING = {"collectives": ["barrier", "bcast"], "algorithms": [CHAIN], "strategies": []}


def test_native_comes_first_for_every_collective() -> None:
    names = [(entry["collective"], entry["name"]) for entry in algorithms(LISTING)]
    assert names == [("barrier", "native"), ("bcast", "native"), ("bcast", "chain")]


def test_one_collective_alone() -> None:
    assert [entry["name"] for entry in algorithms(LISTING, "bcast")] == ["native", "chain"]


def test_an_unknown_collective_is_told_with_those_that_there_are() -> None:
    with pytest.raises(RepositoryError, match="no collective cast in the repository; there are: barrier, bcast"):
        algorithms(LISTING, "cast")


def test_the_table_shows_name_parameters_and_sentence() -> None:
    file = io.StringIO()
    render([CHAIN], Console(file=file, width=120))
    row = file.getvalue().splitlines()[1]
    assert row.split() == "bcast chain segment=none|1024 passes segments along a line of ranks".split()
