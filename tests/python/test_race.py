"""What a race makes of a tuning table in which several ways were measured."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

from starling.tables import table as tables
from starling.tuning import race as races
from starling.tuning.race import Race, RaceError

TIMES = {
    1024: {"native": 4.0, "ring": 2.0, "tree": 1.0},
    4096: {"native": 4.0, "ring": 1.0, "tree": 2.0},
    16384: {"native": 4.0, "tree": 2.0},
}
"""Milliseconds by size and way: the ring was not measured at the largest size."""


def race(folder: Path, way: str = "ring") -> Race:
    """The race of a way in a table with these times."""
    shape = {"collective": "allreduce", "ranks": 8, "nodes": 8, "ranks_per_node": 1}
    points = [
        {**shape, "bytes": size, "way": name, "median_s": 1e-3 * ms, "samples": 9}
        for size, row in TIMES.items()
        for name, ms in row.items()
    ]
    text = {
        "schema": "starling-table-1",
        "machine": "",
        "mpi_flavour": "openmpi",
        "mpi_version": "4.1.4",
        "made": {"when": "2026-01-01T00:00:00Z", "command": "", "starling": "0"},
        "choices": [],
        "points": points,
    }
    file = folder / "table.json"
    file.write_text(json.dumps(text))
    return races.of(tables.read(file), "allreduce", way)


def test_ratios_places_and_the_fastest_others(tmp_path: Path) -> None:
    found = race(tmp_path)
    assert [found.ratio(size, "native") for size in TIMES] == [2.0, 4.0, None]
    assert [found.place(size) for size in TIMES] == [2, 1, None]
    assert [found.fastest_other(size) for size in TIMES] == ["tree", "tree", "tree"]
    assert found.verdict.startswith("ring is 2.83 times as fast as native (geometric mean of 2 sizes)")
    assert found.verdict.endswith("the fastest of all at 1 of 2")


def test_the_rows_for_people(tmp_path: Path) -> None:
    console = Console(width=120, record=True, file=io.StringIO())
    races.render(race(tmp_path), console)
    text = console.export_text()
    assert "2 of 3" in text
    assert "1 of 3" in text
    assert "16 KiB" in text


def test_every_measurement_is_in_the_csv(tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(races.as_csv(race(tmp_path)))))
    assert {(int(row["bytes"]), row["way"]): float(row["median_s"]) for row in rows} == {
        (size, name): 1e-3 * ms for size, row in TIMES.items() for name, ms in row.items()
    }


def test_the_picture_is_a_whole_svg_file_with_every_way(tmp_path: Path) -> None:
    drawn = races.plot(race(tmp_path))
    root = ElementTree.fromstring(drawn)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    for name in ("ring", "tree", "native"):
        assert name in drawn


def test_a_way_that_could_not_serve_says_so(tmp_path: Path) -> None:
    assert race(tmp_path, "bruck").verdict == "bruck could not be measured"
    with pytest.raises(RaceError, match="nothing of bcast"):
        races.of(tables.read(tmp_path / "table.json"), "bcast", "ring")


def test_ranges_of_sizes() -> None:
    assert races.sizes("1K:64K") == [1024, 4096, 16384, 65536]
    assert races.sizes("8:100") == [8, 32, 100]
    assert races.sizes("64,8") == [8, 64]
    assert races.sizes("8:8") == [8]
    for wrong in ("1M:1K", "0:8", "x:8", "1,,2"):
        with pytest.raises(RaceError, match="--sizes"):
            races.sizes(wrong)


def test_the_way_races_against_those_named() -> None:
    words = races.words("allreduce", "ring", "tree,ring", [8, 32], "2m", "t.json")
    assert words[words.index("--ways") + 1] == "ring,tree"
    assert "--ways" not in races.words("allreduce", "ring", "all", [8], "2m", "t.json")
