"""Tuning tables for tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from starling.tables.table import Table

MADE = {"when": "2026-11-23T06:00:00Z", "command": "starling tune -o table.json -- mpirun", "starling": "0.1.0"}


def choice(collective: str, ranks: int, *intervals: tuple[int, int | None, str], nodes: int = 1) -> dict[str, Any]:
    """A choice from (from, below, way)."""
    return {
        "collective": collective,
        "ranks": ranks,
        "nodes": nodes,
        "ranks_per_node": -(-ranks // nodes),
        "intervals": [{"from": from_, "below": below, "way": way} for from_, below, way in intervals],
    }


def points(collective: str, ranks: int, seconds: dict[str, dict[int, float]]) -> list[dict[str, Any]]:
    """The points of one node from seconds by way and size."""
    shape = {"collective": collective, "ranks": ranks, "nodes": 1, "ranks_per_node": ranks}
    return [
        {**shape, "bytes": size, "way": way, "median_s": median, "samples": 9}
        for way, by_size in seconds.items()
        for size, median in by_size.items()
    ]


def data(
    *choices: dict[str, Any],
    flavour: str = "openmpi",
    version: str = "4.1.4",
    machine: str = "",
    measured: Iterable[dict[str, Any]] = (),
) -> dict[str, Any]:
    """A table as JSON has it."""
    return {
        "schema": "starling-table-1",
        "machine": machine,
        "mpi_flavour": flavour,
        "mpi_version": version,
        "made": MADE,
        "choices": list(choices),
        "points": list(measured),
    }


def table(*choices: dict[str, Any], flavour: str = "openmpi", measured: Iterable[dict[str, Any]] = ()) -> Table:
    """The same, read."""
    return Table.model_validate(data(*choices, flavour=flavour, measured=measured))
