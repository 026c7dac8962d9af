"""The page of a tuning table: its maps have what the table has, by size and number of ranks."""

import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from starling.pictures.chart import COLOURS, NATIVE_COLOUR
from starling.tables import table as tables
from starling.tables.table import NATIVE, Table
from starling.terminal.figures import human_bytes
from starling.tuning import page
from starling.tuning.report import measured
from support.tables import choice, points, table

LAYOUTS = Path(__file__).resolve().parents[2] / "docs/results/tuned-layouts.json"


MS = 1e-3


def with_gains(of: dict[str, Any], *gains: float | None) -> dict[str, Any]:
    """A choice with a gain for each interval."""
    intervals = [{**one, "gain": gain} for one, gain in zip(of["intervals"], gains, strict=True)]
    return {**of, "intervals": intervals}


def of_rings(ranks: int, nodes: int = 1) -> dict[str, Any]:
    """Ring, twice as fast as native whatever the size."""
    return with_gains(choice("bcast", ranks, (0, None, "ring"), nodes=nodes), 2.0)


def maps(of: Table) -> dict[str, ET.Element]:
    """The maps of the page, by their titles."""
    pictures = page.html(of).split("<svg ")[1:]
    found = [ET.fromstring("<svg " + one.partition("</svg>")[0] + "</svg>") for one in pictures]
    titles = [(one.findtext("{*}title") or "", one) for one in found]
    return {title: one for title, one in titles if title.startswith("Choices for ")}


def circles(picture: ET.Element) -> list[tuple[str, ET.Element]]:
    """The circles in rows, by what they say."""
    return [(told, one) for one in picture.findall(".//{*}circle") if (told := one.findtext("{*}title"))]


def test_a_map_has_a_circle_for_each_size_and_number_of_ranks_that_was_measured() -> None:
    read = tables.read(LAYOUTS)
    drawn = maps(read)
    assert set(drawn) == {f"Choices for {one.collective}" for one in read.choices}
    for collective in {one.collective for one in read.choices}:
        told = dict(circles(drawn[f"Choices for {collective}"]))
        those = [one for one in read.choices if one.collective == collective]
        assert len(told) == sum(len(measured(read, one.shape)) for one in those)
        for one in those:
            for size, ways in measured(read, one.shape).items():
                way = next(found.way for found in one.intervals if found.holds(size))
                (says,) = [text for text in told if text.startswith(f"{one.ranks} ranks, {human_bytes(size)}: {way}, ")]
                gain = ways[NATIVE] / ways[way]
                assert (f", {gain:.2f} times as fast as native" in says) == (way != NATIVE)


def test_the_area_of_a_circle_tells_the_gain_and_a_hollow_one_a_loss() -> None:
    found = points("bcast", 4, {"native": {1024: MS, 65536: MS}, "ring": {1024: MS / 5, 65536: MS / 2}})
    found += points("bcast", 8, {"native": {1024: MS}, "ring": {1024: MS / 0.8}})
    drawn = dict(circles(maps(table(of_rings(4), of_rings(8), measured=found))["Choices for bcast"]))
    assert set(drawn) == {
        "4 ranks, 1 KiB: ring, 200 us, 5.00 times as fast as native, 1.00 ms",
        "4 ranks, 64 KiB: ring, 500 us, 2.00 times as fast as native, 1.00 ms",
        "8 ranks, 1 KiB: ring, 1.25 ms, 0.80 times as fast as native, 1.00 ms",
    }
    most, less, none = (float(one.get("r", "")) for one in drawn.values())
    assert most / less == pytest.approx(math.sqrt((5 - 1) / (2 - 1)), rel=0.02)
    assert none < less
    assert [one.get("class") for one in drawn.values()] == ["disk", "disk", "ring"]


def test_circles_are_by_size_from_left_to_right_and_by_ranks_from_below() -> None:
    seconds = {way: dict.fromkeys((64, 1024, 16384), time) for way, time in (("native", MS), ("ring", MS / 2))}
    found = [point for ranks in (4, 8) for point in points("bcast", ranks, seconds)]
    drawn = circles(maps(table(of_rings(8), of_rings(4), measured=found))["Choices for bcast"])
    places = [(float(one.get("cx", "")), float(one.get("cy", ""))) for _, one in drawn]
    xs, ys = sorted({x for x, _ in places}), sorted({y for _, y in places}, reverse=True)
    assert places == [(x, y) for y in ys for x in xs]
    assert [told.partition(" ")[0] for told, _ in drawn] == ["4"] * 3 + ["8"] * 3
    assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1], abs=0.2), "both times 16"


def test_each_way_has_its_colour_in_the_legend_in_strips_and_in_circles() -> None:
    few = choice("bcast", 4, (0, 4096, "ring"), (4096, None, "native"))
    found = points("bcast", 4, {"native": {1024: MS, 65536: MS}, "ring": {1024: MS / 2}})
    found += points("bcast", 8, {"native": {1024: MS}, "ring": {1024: MS / 2}})
    picture = maps(table(few, of_rings(8), measured=found))["Choices for bcast"]
    assert {one.text for one in picture.findall("{*}text")} >= {"4", "8", "native", "ring", "bytes", "ranks"}
    for told, one in circles(picture):
        assert one.get("fill") == (NATIVE_COLOUR if ": native" in told else COLOURS[0])
    strips = [one for one in picture.findall("{*}rect") if one.get("class") == "strip"]
    assert [(one.findtext("{*}title"), one.get("fill")) for one in strips] == [
        ("4 ranks, from 0 B to 4 KiB: ring", COLOURS[0]),
        ("4 ranks, from 4 KiB on: native", NATIVE_COLOUR),
        ("8 ranks, from 0 B on: ring", COLOURS[0]),
    ]


def test_ways_for_which_no_colour_is_left_are_told_as_others() -> None:
    ways = [f"way{i}" for i in range(len(COLOURS) + 2)]
    choices = [choice("bcast", i + 2, (0, None, way)) for i, way in enumerate(ways)]
    picture = maps(table(*choices))["Choices for bcast"]
    assert "2 others" in {one.text for one in picture.findall("{*}text")}
    assert len({one.get("fill") for _, one in circles(picture)}) == len(COLOURS) + 1


def test_there_is_no_map_of_one_number_of_ranks() -> None:
    of_one = table(of_rings(8), of_rings(8, nodes=4), choice("reduce", 4, (0, None, "ring")))
    assert maps(of_one) == {}
    assert "By size and number of ranks" not in page.html(of_one)


def test_shapes_that_have_the_ranks_in_common_are_told_apart_by_their_nodes() -> None:
    picture = maps(table(of_rings(8), of_rings(8, nodes=4), of_rings(16)))["Choices for bcast"]
    assert {"1 x 8", "4 x 2"} <= {one.text for one in picture.findall("{*}text")}


def test_what_was_not_measured_is_drawn_by_the_tables_gain_and_told_so() -> None:
    choices = [
        with_gains(choice("bcast", ranks, (0, 4096, "ring"), (4096, None, "native")), 1.5, 1.0) for ranks in (4, 8)
    ]
    assert [told for told, _ in circles(maps(table(*choices))["Choices for bcast"])] == [
        "4 ranks, not measured: ring, 1.50 times as fast as native",
        "4 ranks, not measured: native",
        "8 ranks, not measured: ring, 1.50 times as fast as native",
        "8 ranks, not measured: native",
    ]


def test_a_barrier_which_has_no_bytes_has_a_map() -> None:
    choices = [choice("barrier", ranks, (0, None, "ring")) for ranks in (4, 8)]
    seconds = {"native": {0: MS}, "ring": {0: MS / 2}}
    found = [point for ranks in (4, 8) for point in points("barrier", ranks, seconds)]
    picture = maps(table(*choices, measured=found))["Choices for barrier"]
    assert len(circles(picture)) == 2
    assert "0 B" in {one.text for one in picture.findall("{*}text")}
