"""The list of algorithms as people and programs see it."""

import io
from typing import Any

import pytest
from rich.console import Console

from starling.algorithms.repository import algorithms, listing, named, render, render_one
from starling.installation.questions import RepositoryError

CHAIN = {
    "collective": "bcast",
    "name": "chain",
    "parameters": [{"name": "segment", "values": ["none", "1024"], "says": "bytes"}],
    "says": "passes segments along a line of ranks",
}
NATIVE: list[dict[str, Any]] = [
    {"collective": name, "name": "native", "parameters": [], "says": "the MPI library's own way"}
    for name in ("barrier", "bcast", "neighbor_alltoall")
]
CHIME = {"collective": "barrier", "name": "chime", "parameters": [], "says": "rings", "attributes": {"bell": "large"}}
PAIR = {"collective": "neighbor_alltoall", "name": "Sendrecv_pair", "parameters": [], "says": "pair by pair"}
LISTING = {
    "collectives": ["barrier", "bcast", "neighbor_alltoall"],
    "algorithms": [CHAIN],
    "others": [*NATIVE, CHIME, PAIR],
    "strategies": [],
}


def test_native_comes_first_for_every_collective() -> None:
    names = [(entry["collective"], entry["name"]) for entry in algorithms(LISTING)]
    assert names == [
        ("barrier", "native"),
        ("barrier", "chime"),
        ("bcast", "native"),
        ("bcast", "chain"),
        ("neighbor_alltoall", "native"),
        ("neighbor_alltoall", "Sendrecv_pair"),
    ]


def test_a_way_of_any_kind_is_found_and_shown() -> None:
    file = io.StringIO()
    render_one(named(LISTING, "barrier", "chime"), algorithms(LISTING, "barrier"), Console(file=file, width=120))
    assert file.getvalue().splitlines() == [
        "barrier:chime: rings",
        "bell large",
        "force it: --strategy forced:barrier:chime",
    ]


def test_every_kind_of_way_is_listed_with_native_first() -> None:
    found = listing()
    for collective in found["collectives"]:
        first, *rest = algorithms(found, collective)
        assert (first["name"], first["says"]) == ("native", "the MPI library's own way")
        assert rest


def test_traits_tell_what_each_collective_has_at_whom() -> None:
    found = listing()
    traits = found["traits"]
    assert list(traits) == found["collectives"]
    names = ("reduces", "buffers_of_blocks", "size_is_known", "waits_for_all")
    assert traits["bcast"] == dict(zip(names, (False, 0, True, False), strict=True))
    assert traits["reduce_scatter"] == dict(zip(names, (True, 1, True, True), strict=True))
    assert traits["alltoallv"] == dict(zip(names, (False, 2, False, False), strict=True))


def test_one_collective_alone() -> None:
    assert [entry["name"] for entry in algorithms(LISTING, "bcast")] == ["native", "chain"]


def test_an_unknown_collective_is_told_with_those_that_there_are() -> None:
    with pytest.raises(
        RepositoryError, match="no collective cast in the repository; there are: barrier, bcast, neighbor_alltoall"
    ):
        algorithms(LISTING, "cast")


def test_the_table_shows_name_parameters_and_sentence() -> None:
    file = io.StringIO()
    render([CHAIN], Console(file=file, width=120))
    row = file.getvalue().splitlines()[1]
    assert row.split() == "bcast chain segment=none|1024 passes segments along a line of ranks".split()


def test_meshes_are_told_to_depend_on_the_ranks() -> None:
    mesh = {"name": "mesh", "values": ["square"], "by_ranks": True, "says": "rows x columns"}
    told = []
    for ranks in (None, 6):
        file = io.StringIO()
        render([{**CHAIN, "parameters": [mesh]}], Console(file=file, width=120), ranks)
        told.append(file.getvalue())
    assert "as many as the ranks have factorisations" in told[0]
    assert "factorisations" not in told[1]


def test_the_meshes_of_a_number_of_ranks_are_listed() -> None:
    (groups,) = (one for one in algorithms(listing(6), "bcast") if one["name"] == "groups")
    assert [parameter["values"] for parameter in groups["parameters"]] == [["2x3", "3x2"]]
    (groups,) = (one for one in algorithms(listing(), "bcast") if one["name"] == "groups")
    assert [parameter["values"] for parameter in groups["parameters"]] == [["square", "cube"]]
    (chain,) = (one for one in algorithms(listing(7), "bcast") if one["name"] == "chain")
    assert chain["parameters"][0]["values"][0] == "none"
