"""The configuration phase without MPI: what is measured, in which order, and what the table says of it."""

from __future__ import annotations

import io
import json
import math
import os
import re
import resource
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from starling.algorithms import repository
from starling.commands.cli import app
from starling.lab.idle import Ticks
from starling.tables import table as tables
from starling.tables.table import NATIVE, Choice, Made, Table
from starling.terminal.figures import human_bytes
from starling.tuning import library, outcome, page, points, report, tune
from starling.tuning.belief import Belief, Estimate, point_correlation
from starling.tuning.curves import Curve, spans
from starling.tuning.expected import Expectation, guessed
from starling.tuning.job import WRONG, Ended, Machine, Refusal, Times, crowded, first_words
from starling.tuning.journal import Journal, Kept, Line
from starling.tuning.json_lines import JournalError, JsonLines
from starling.tuning.points import PlanError, Point
from starling.tuning.samples import FEWEST, Summary
from starling.tuning.search import Search
from starling.tuning.turns import Progress
from support import tuning
from support.tuning import FakeJob, line

SIZES = tuple(4**power for power in range(12))
CURVES = {
    NATIVE: line(50, 0.012),
    "doubling": line(10, 0.01),
    "ring": line(40, 0.001),
    "hopeless": line(300, 0.3),
}
CROSSING = 30 / 0.009
"""Bytes at which `doubling` and `ring` take equally long."""


def search(job: FakeJob, sizes: Iterable[int] = SIZES, ranks: Iterable[int] = (8,), **more: Any) -> Search:
    plan = points.grid(["allreduce"], tuple(sizes), ranks)
    more.setdefault("budget", None)
    return Search(plan, {"allreduce": list(job.curves)}, job, clock=job.clock, **more)


def table_of(found: Search) -> Table:
    made = Made(when="2026-11-23T06:00:00Z", command="starling tune", starling="0.1.0")
    return outcome.table(found, range(64), Machine("node#", "openmpi", "4.1.4"), made)


def finished(curves: Mapping[str, tuning.Curve], sizes: Iterable[int]) -> Search:
    """A search among these, to its end."""
    found = search(FakeJob(curves), sizes)
    found.run()
    return found


def only_choice(found: Search) -> Choice:
    (choice,) = table_of(found).choices
    return choice


def test_the_table_has_the_fastest_ways_and_their_crossing_between_measured_sizes() -> None:
    found = search(FakeJob(CURVES))
    found.run()
    small, large = only_choice(found).intervals
    assert (small.way, large.way) == ("doubling", "ring")
    assert small.from_ == 0
    assert small.below == large.from_
    assert large.from_ == pytest.approx(CROSSING, rel=0.15)
    assert large.from_ not in SIZES
    assert large.below == 4 * SIZES[-1], "nothing tells of sizes far beyond those that were measured"
    assert large.gain is not None
    assert large.gain > 2
    assert "crosses" in large.why


def test_the_seconds_of_an_interval_are_those_at_its_ends() -> None:
    small, large = only_choice(finished(CURVES, SIZES)).intervals
    assert (small.way, large.way) == ("doubling", "ring")
    ends = [(small, 0), (small, small.below), (large, large.from_), (large, large.below)]
    found = [one for interval in (small, large) for one in interval.seconds or ()]
    expected = [CURVES[interval.way](Point("allreduce", 8, size or 0)) for interval, size in ends]
    assert found == pytest.approx(expected, rel=0.15)
    (native,) = only_choice(finished({NATIVE: line(20, 0.004)}, (64, 1 << 20))).intervals
    assert native.seconds == pytest.approx((20e-6, 1e-6 * (20 + 0.004 * (1 << 20))), rel=0.15)
    few = {NATIVE: line(20, 0.004), "quick": line(10, 0.002)}
    (latency,) = only_choice(finished(few, (8,))).intervals
    assert (latency.from_, latency.below) == (0, 32)
    assert latency.seconds == pytest.approx((1e-5, 1e-5), rel=0.15), "small sizes take equally long"


def test_what_is_hopeless_at_one_size_is_not_measured_at_all_others() -> None:
    job = FakeJob(CURVES)
    found = search(job)
    found.run()
    assert 1 <= len(job.cells("hopeless")) <= len(SIZES) / 2
    everything = FakeJob(CURVES)
    search(everything, everything=True).run()
    assert len(everything.cells("hopeless")) == len(SIZES)


def test_a_hopeless_way_is_left_out_with_its_reason() -> None:
    # Much is hoped of it everywhere, so that nothing but the rule keeps it from being measured.
    job = FakeJob({NATIVE: line(20, 0.004), "worse": lambda point: 1e-4 * (1 + point.bytes**0.5)})
    found = search(job, prior=lambda _way, _point: Estimate(-3.0, 3.0))
    found.run()
    reasons = {point.bytes: at.out["worse"] for point, at in found.known.points.items() if "worse" in at.out}
    assert len(job.cells("worse")) <= len(SIZES) / 2
    assert len(job.cells("worse")) + len(reasons) == len(SIZES)
    assert all("times the best of" in why and "getting worse" in why for why in reasons.values())


def test_native_stays_where_nothing_is_faster_for_certain() -> None:
    found = search(FakeJob({NATIVE: line(20, 0.004), "alike": line(19.8, 0.00396)}, noise=0.05))
    found.run()
    (only,) = only_choice(found).intervals
    assert (only.way, only.from_, only.below, only.gain) == (NATIVE, 0, None, 1)


def test_native_is_measured_in_every_race_and_ways_take_turns() -> None:
    job = FakeJob(CURVES, noise=0.3)
    search(job, sizes=(round(CROSSING),), everything=True).run()
    turns = [way for _, way in job.asked]
    assert turns.count(NATIVE) > turns.count("ring") > 3
    behind = turns[turns.index("ring") :]
    changes = sum(one != other for one, other in pairwise(behind))
    assert changes > 0.6 * len(behind), "no way has all its turns in a row"


def test_calls_are_repeated_until_the_interval_of_the_median_is_narrow() -> None:
    calls = {}
    for noise in (0.001, 0.3):
        found = search(FakeJob(CURVES, noise=noise), sizes=(1024,))
        found.run()
        calls[noise] = len(found.known.points[Point("allreduce", 8, 1024)].seconds["doubling"])
    assert calls[0.3] > 2 * calls[0.001]
    quiet = Summary.of([1.0] * 5)
    assert quiet.is_narrow(0.05)
    assert not Summary.of([1.0] * 4).is_narrow(0.05), "too few"
    jumping = Summary.of([1.0, 1.0, 1.0, 100.0, 1.0, 1.0, 1.0, 100.0])
    assert jumping.deviation > 0.5, "its median might as well be the other level"


@pytest.mark.parametrize("budget", [0.02, 0.2, 1.0])
def test_the_budget_is_kept(budget: float) -> None:
    job = FakeJob(CURVES)
    found = search(job, ranks=(2, 4, 8), budget=budget)
    found.run()
    assert job.now <= budget * 1.05
    if budget == 0.02:
        assert found.budget.left < budget / 5, "less than the next turn would take"
    else:
        assert not found.budget.used_up, "more than that is not needed"
    assert any(at.native for at in found.known.points.values())
    table_of(found)


def test_a_way_whose_job_must_start_first_is_measured_after_those_that_promise_as_much() -> None:
    curves = {NATIVE: line(20, 0.004), **{f"way{i}": line(19, 0.004) for i in range(4)}}
    started: set[str] = set()

    def delay(way: str, _: Point) -> float:
        return 5.0 if way == "way0" and way not in started else 0.0

    job = FakeJob(curves, delays=delay)
    found = search(job, sizes=(64,))
    found.run()
    order = list(dict.fromkeys(way for _, way in job.asked if way != NATIVE))
    assert order[-1] == "way0", "the others are alike, and begin at once"
    impatient = FakeJob(curves, delays=delay)
    search(impatient, sizes=(64,), budget=4.0).run()
    assert {way for _, way in impatient.asked} == {NATIVE, "way1", "way2", "way3"}, "its job would take all the time"
    started.add("way0")
    again = FakeJob(curves, delays=delay)
    search(again, sizes=(64,), budget=4.0).run()
    assert "way0" in {way for _, way in again.asked}


def test_an_interval_of_a_library_algorithm_has_another_for_programs_that_cannot_select_it() -> None:
    # Number 8 is the fastest everywhere, then doubling up to 4 KiB and native above.
    curves = {NATIVE: line(20, 0.004), "doubling": line(14, 0.006), "native_adjust_8": line(8, 0.002)}
    (only,) = only_choice(of := finished(curves, (64, 512, 2048))).intervals
    assert (only.way, only.at_run_time.way if only.at_run_time else "") == ("native_adjust_8", "doubling")
    assert only.at_run_time is not None
    assert only.at_run_time.gain == pytest.approx(1.35, rel=0.1)
    assert only.gain == pytest.approx(2.3, rel=0.15)
    assert tables.parse(tables.to_text(table_of(of))) == table_of(of)
    (large,) = only_choice(finished(curves, (64, 1 << 16))).intervals
    assert large.at_run_time == tables.AtRunTime(way=NATIVE, gain=1.0), "doubling is slower than native at one size"
    alike = {NATIVE: curves[NATIVE], "doubling": line(19.6, 0.00392), "native_adjust_8": curves["native_adjust_8"]}
    (small,) = only_choice(finished(alike, (64,))).intervals
    assert small.at_run_time is not None
    assert small.at_run_time.way == NATIVE, "a difference of 2 % may be an accident"
    selected = {"native_doubling" if way == "native_adjust_8" else way: curve for way, curve in curves.items()}
    (of_library,) = only_choice(finished(selected, (64,))).intervals
    assert of_library.way == "native_doubling"
    assert of_library.at_run_time is not None, "a program with several threads cannot select it"
    assert of_library.at_run_time.way == "doubling"
    (plain,) = only_choice(finished({name: curves[name] for name in (NATIVE, "doubling")}, (64,))).intervals
    assert plain.at_run_time is None
    assert "at_run_time" not in tables.to_text(table_of(finished({NATIVE: line(20, 0.004)}, (64,))))


def test_points_that_take_too_long_are_left_out_and_said_so() -> None:
    job = FakeJob(CURVES)
    found = search(job, sizes=(1024, 1 << 30), budget=10)
    found.run()
    assert {point.bytes for point, _ in job.asked} == {1024}
    (note,) = found.notes
    assert note.startswith("allreduce of 1 GiB on 8 ranks was not measured: a call is expected to take ")
    assert note.endswith(" s, too long for the budget")
    many = search(job, sizes=(1024, 1 << 28, 1 << 29, 1 << 30), budget=10)
    many.run()
    assert [note.partition(":")[0] for note in many.notes] == [
        "allreduce of 256 MiB to 1 GiB on 8 ranks, 3 sizes, was not measured"
    ], "one line, however many sizes"
    assert [one.bytes for one in table_of(found).points if one.bytes > 1024] == []


def test_a_way_that_ends_the_job_or_is_wrong_is_not_chosen() -> None:
    job = FakeJob(
        CURVES,
        refusals=lambda way, _: "its result is wrong" if way == "doubling" else "",
        ends_at=lambda way, _: way == "ring",
    )
    found = search(job)
    found.run()
    assert {interval.way for interval in only_choice(found).intervals} == {NATIVE}
    reasons = {why for at in found.known.points.values() for why in at.out.values()}
    assert {"its result is wrong", "while it was measured: the job ended"} <= reasons
    assert sum(way == "ring" for _, way in job.asked) == 2, "the first time may have been a kill from outside"
    assert sum(way == "doubling" for _, way in job.asked) == 1, "nowhere else"
    assert all(note.split()[0] in ("allreduce:doubling", "allreduce:ring") for note in found.notes), "measuring goes on"


def test_a_way_with_a_wrong_result_at_one_size_is_chosen_at_no_size(tmp_path: Path) -> None:
    wrong = 1 << 18
    job = FakeJob(CURVES, refusals=lambda way, point: WRONG.why if (way, point.bytes) == ("ring", wrong) else "")
    path = tmp_path / "measurements"
    log = Journal(path, ["mpirun"], "MPI", [0] * 8, "node#")
    found = search(job, log=log)
    found.run()
    log.close()
    told = ["allreduce:ring is chosen at no size: its result is wrong at 256 KiB on 8 ranks"]
    assert any(point.bytes != wrong for point in job.cells("ring")), "it was measured at others"
    kept = Journal(path, ["mpirun"], "MPI", [0] * 8, "node#").kept
    for one in (found, search(FakeJob(CURVES), kept=kept, budget=1e-9)):
        one.run()
        assert "ring" not in {interval.way for interval in only_choice(one).intervals}
        assert table_of(one).notes == told
    refused = search(FakeJob(CURVES, refusals=lambda _way, point: "too large" if point.bytes == wrong else ""))
    refused.run()
    assert "ring" in {interval.way for interval in only_choice(refused).intervals}, "a refusal is about its size only"
    native = search(
        FakeJob(CURVES, refusals=lambda way, point: WRONG.why if (way, point.bytes) == (NATIVE, 64) else "")
    )
    native.run()
    assert only_choice(native).intervals[0].way == "doubling", "native is what others are compared with"


def test_a_job_that_was_killed_from_outside_costs_no_way_its_place(tmp_path: Path) -> None:
    killed = {("doubling", 1), (NATIVE, 4), ("ring", 1 << 20)}

    def ends_at(way: str, point: Point) -> bool:
        found = (way, point.bytes) in killed
        killed.discard((way, point.bytes))
        return found

    job = FakeJob(CURVES, ends_at=ends_at)
    path = tmp_path / "measurements"
    log = Journal(path, ["mpirun"], "MPI", [0] * 8, "node#")
    first = search(job, sizes=(1, 4, 1 << 20), log=log, everything=True)
    first.run()
    log.close()
    assert not killed
    assert first.notes == ["measuring ended early: the job ended 3 times; the same command goes on"]
    kept = Journal(path, ["mpirun"], "MPI", [0] * 8, "node#").kept
    assert [one.way for one in kept.lines if one.answer == Ended("the job ended")] == [NATIVE, "doubling", "ring"]
    found = search(FakeJob(CURVES), sizes=(1, 4, 1 << 20), kept=kept, everything=True)
    found.run()
    assert found.notes == []
    for point in found.known.points:
        assert set(found.known.measured(point)) == set(CURVES)


def test_a_way_that_ended_the_job_twice_is_chosen_at_no_size() -> None:
    fatal = 1 << 18
    job = FakeJob(CURVES, ends_at=lambda way, point: way == "ring" and point.bytes >= fatal)
    found = search(job)
    found.run()
    assert any(point.bytes < fatal for point in job.cells("ring")), "it was measured at others"
    assert "ring" not in {interval.way for interval in only_choice(found).intervals}
    assert sum(way == "ring" and point.bytes >= fatal for point, way in job.asked) == 2


def test_an_ending_counts_until_the_way_is_measured_like_that() -> None:
    small, large = points.grid(["allreduce"], (64, 1024), (8,))

    def after(*answers: tuple[Point, Ended | Times, bool]) -> list[bool]:
        """Whether ring is still there at both points."""
        found = search(FakeJob(CURVES), sizes=(64, 1024)).known
        for race, (point, answer, in_row) in enumerate(answers):
            found.keep(Line(race, point, "ring", answer, in_row))
        return ["ring" not in found.points[point].out for point in (small, large)]

    ended, times = Ended("the job ended"), Times((1e-3,))
    assert after((small, ended, False), (small, times, False), (large, ended, False)) == [True, True]
    assert after((small, ended, False), (large, times, False), (large, ended, False)) == [False, False]
    assert after((large, times, False), (small, ended, False), (small, ended, False)) == [False, False]
    assert after((small, ended, True), (small, times, False), (small, ended, True)) == [False, False]


def test_native_is_measured_again_where_the_job_ended() -> None:
    left = [1]
    job = FakeJob(CURVES, ends_at=lambda way, point: way == NATIVE and point.bytes == 64 and bool(left and left.pop()))
    found = search(job, sizes=(64, 1024))
    found.run()
    assert found.notes == []
    assert found.known.measured(Point("allreduce", 8, 64))[0] == NATIVE
    always = search(FakeJob(CURVES, ends_at=lambda way, point: way == NATIVE and point.bytes == 64), sizes=(64, 1024))
    always.run()
    assert always.notes == [
        "allreduce of 64 B on 8 ranks was not measured: native: while it was measured: the job ended"
    ]
    assert always.known.measured(Point("allreduce", 8, 1024)) != [NATIVE], "the rest is measured"
    broken = FakeJob(CURVES, ends_at=lambda _way, _point: True)
    search(broken).run()
    assert len(broken.asked) == 3, "then no more jobs are started"


def test_a_killed_search_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "table.json.measurements"

    def journal() -> Journal:
        return Journal(path, ["mpirun", "-n", "8"], "MPI 1.0", [0] * 8, "node#")

    first, log = FakeJob(CURVES, interrupt_after=60), journal()
    with pytest.raises(KeyboardInterrupt):
        search(first, log=log).run()
    log.close()
    with path.open("a") as file:
        file.write('{"race": 99, "coll')  # killed while it wrote
    kept = journal().kept
    assert [(one.point, one.way) for one in kept.lines] == first.asked
    again = FakeJob(CURVES)
    log = journal()
    found = search(again, kept=kept, log=log)
    assert found.known.cells_measured == len({*first.asked})
    found.run()
    log.close()
    assert [interval.way for interval in only_choice(found).intervals] == ["doubling", "ring"]
    uninterrupted = FakeJob(CURVES)
    search(uninterrupted).run()
    assert len(again.asked) < len(uninterrupted.asked)
    assert len(journal().kept.lines) == len(first.asked) + len(again.asked)


def test_a_table_tells_how_idle_a_labs_processors_were(tmp_path: Path) -> None:
    point, elsewhere = Point("allreduce", 8, 8), Point("allreduce", 8, 16)
    log = Journal(tmp_path / "measurements", ["mpirun"], "MPI", [0, 0], "node#")
    log.add(Line(1, point, NATIVE, Times((1e-5,) * 8, Ticks(1, 10))))
    log.add(Line(1, point, "ring", Times((1e-5,) * 8, Ticks(0, 10))))
    log.add(Line(1, elsewhere, NATIVE, Times((1e-5,) * 8)))
    log.close()
    kept = Journal(tmp_path / "measurements", ["mpirun"], "MPI", [0, 0], "node#").kept
    assert [one.answer for one in kept.lines if isinstance(one.answer, Times) and one.answer.processors] == [
        Times((1e-5,) * 8, Ticks(1, 10)),
        Times((1e-5,) * 8, Ticks(0, 10)),
    ]
    found = table_of(search(FakeJob(CURVES), (8, 16), kept=kept))
    assert {(one.bytes, one.way): one.cpu_idle for one in found.points} == {
        (8, NATIVE): 0.05,
        (8, "ring"): 0.05,
        (16, NATIVE): None,
    }


def test_seconds_used_before_a_kill_count(tmp_path: Path) -> None:
    path = tmp_path / "measurements"
    log = Journal(path, ["mpirun"], "MPI", [0, 0], "node#")
    log.add(Line(1, Point("allreduce", 2, 8), NATIVE, Times((1e-5,) * 8)))
    log.add(Line(1, Point("allreduce", 2, 8), "ring", Refusal("too few ranks")))
    log.ended(1, 5.0)
    log.close()
    kept = Journal(path, ["mpirun"], "MPI", [0, 0], "node#").kept
    assert kept.elapsed == 5.0
    assert kept.lines[1].answer == Refusal("too few ranks")
    job = FakeJob(CURVES)
    again = search(job, budget=5.0, kept=kept)
    again.run()
    assert job.asked == []
    assert again.budget.used_up
    assert not search(job, budget=None, kept=kept).budget.used_up


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"line": ["srun"]}, "another launcher line"),
        ({"library": "MPI 2.0"}, "another MPI library"),
        ({"nodes": [0, 1]}, "another placement of ranks"),
        (
            {"machine": "elsewhere"},
            "it was measured on the machine 'vm', and this is 'elsewhere'; move it away, or name",
        ),
    ],
)
def test_measurements_of_another_job_are_refused(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    path = tmp_path / "measurements"
    heading: dict[str, Any] = {"line": ["mpirun"], "library": "MPI 1.0", "nodes": [0, 0], "machine": "vm"}
    Journal(path, **heading).close()
    log = Journal(path, **{**heading, **change})  # that nothing was measured in is in nobody's way
    log.close()
    path.unlink()
    log = Journal(path, **heading)
    log.add(Line(1, Point("allreduce", 2, 8), NATIVE, Times((1e-5,))))
    log.close()
    before = path.read_text()
    with pytest.raises(JournalError, match=says):
        Journal(path, **{**heading, **change})
    assert path.read_text() == before


def test_measurements_that_do_not_name_their_machine_are_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "measurements"
    answer = {"race": 1, "collective": "bcast", "ranks": 2, "bytes": 8, "way": "native", "seconds": [1e-5]}
    heading = {"schema": "starling-tuning-1", "line": ["mpirun"], "library": "MPI", "nodes": [0, 0]}
    path.write_text(f"{json.dumps(heading)}\n{json.dumps(answer)}\n")
    before = path.read_text()
    log = Journal(path, ["mpirun"], "MPI", [0, 0], "node#")
    assert [one.way for one in log.kept.lines] == [NATIVE]
    log.close()
    assert path.read_text() == before


@pytest.mark.parametrize("text", ["no JSON\n", '{"schema": "starling-tuning-9"}\n', "[]\n", '{"schema": 1}\n'])
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "measurements"
    path.write_text(text)
    with pytest.raises(JournalError, match="measurements"):
        Journal(path, ["mpirun"], "MPI", [0, 0], "node#")
    assert path.read_text() == text


@pytest.mark.parametrize(
    "line",
    [
        '{"race": 1, "collective": "bcast", "ranks": 2, "bytes": 8, "way": "native", "seconds": [NaN]}',
        '{"race": 1, "collective": "bcast", "ranks": 2, "bytes": 8, "way": "native", "seconds": [1e400]}',
        '{"race": 1, "collective": "bcast", "ranks": 2, "bytes": 8, "way": "native", "seconds": [-1]}',
        '{"race": 1, "collective": "bcast", "ranks": 2, "bytes": 8, "way": "native", "seconds": []}',
        '{"race": 1, "collective": "bcast", "ranks": 2, "bytes": 8, "way": "native", "seconds": "12"}',
        '{"race": 1, "collective": "bcast", "ranks": 0, "bytes": 8, "way": "native", "seconds": [1]}',
        '{"race": 1, "collective": "bcast", "ranks": 2, "bytes": -8, "way": "native", "seconds": [1]}',
        '{"ended": 1, "elapsed": NaN}',
        '{"ended": 1, "elapsed": -1e9}',
        "[" * 100000,
        "",
    ],
    ids=lambda line: line[-30:],
)
def test_a_line_that_is_no_measurement_is_told_with_its_number(tmp_path: Path, line: str) -> None:
    path = tmp_path / "measurements"
    log = Journal(path, ["mpirun"], "MPI", [0, 0], "node#")
    log.add(Line(1, Point("allreduce", 2, 8), NATIVE, Times((1e-5,))))
    log.close()
    before = f"{path.read_text()}{line}\n"
    path.write_text(before)
    with pytest.raises(JournalError, match="line 3: it is no line of measurements; move it away, or name another"):
        Journal(path, ["mpirun"], "MPI", [0, 0], "node#")
    assert path.read_text() == before


def test_two_runs_do_not_measure_into_one_file(tmp_path: Path) -> None:
    path = tmp_path / "measurements"
    first = Journal(path, ["mpirun"], "MPI", [0, 0], "node#")
    with path.open("a") as file:
        file.write('{"race": 1, "coll')  # it is just writing this
    before = path.read_text()
    with pytest.raises(JournalError, match="another run is measuring into it"):
        Journal(path, ["mpirun"], "MPI", [0, 0], "node#")
    assert path.read_text() == before
    first.close()
    Journal(path, ["mpirun"], "MPI", [0, 0], "node#").close()
    assert path.read_text() + '{"race": 1, "coll' == before


def test_what_another_run_wrote_in_between_is_not_cut_off(tmp_path: Path) -> None:
    lines = JsonLines(tmp_path / "measurements")
    other = Journal(lines.path, ["mpirun"], "MPI", [0, 0], "node#")
    other.close()
    before = lines.path.read_text()
    with pytest.raises(JournalError, match="another run is measuring into it"):
        lines.begin({})
    assert lines.path.read_text() == before


def test_a_table_keeps_what_an_earlier_command_measured() -> None:
    first = search(FakeJob(CURVES), log=(log := Listed()))
    first.run()
    job = FakeJob(CURVES)
    wanted = points.grid(["bcast"], SIZES, [8])
    kept = Kept(log.lines, 0.0)
    odd = [Point("nonsense", 8, 8), Point("allreduce", 8, 1 << 40)]
    plan = {**points.measured_earlier([*kept.natives, *odd], [0] * 8), **wanted}
    assert points.measured_earlier(kept.natives, [0] * 4) == {}
    ways = {name: list(CURVES) for name in ("allreduce", "bcast")}
    both = Search(plan, ways, job, clock=job.clock, budget=None, kept=kept)
    both.run()
    assert {point.collective for point, _ in job.asked} == {"bcast"}
    again, of_bcast = table_of(both).choices
    assert [(one.from_, one.way) for one in again.intervals] == [
        (one.from_, one.way) for one in only_choice(first).intervals
    ]
    assert [one.way for one in of_bcast.intervals] == ["doubling", "ring"]


class Listed:
    """A log in memory."""

    def __init__(self) -> None:
        self.lines: list[Line] = []

    def add(self, line: Line) -> None:
        """Keeps it."""
        self.lines.append(line)

    def ended(self, race: int, elapsed: float) -> None:
        """Nothing to keep."""


def test_a_machine_that_changes_between_races_does_not_change_what_is_faster() -> None:
    # All of the first race is 400 times as slow; "slow" takes part only in the second one.
    of = Point("gatherv", 4, 64)
    lines = [Line(1, of, NATIVE, Times((4e-3,) * 24)), Line(2, of, NATIVE, Times((1e-5,) * 20))]
    lines.append(Line(2, of, "slow", Times((4e-5,) * 5)))
    ways = {"gatherv": [NATIVE, "slow"]}
    found = Search({of: 1.0}, ways, FakeJob(CURVES), clock=lambda: 0.0, budget=None, kept=Kept(lines, 0.0))
    table = table_of(found)
    assert [one.way for one in table.choices[0].intervals] == [NATIVE]
    fast = [Line(2, of, "slow", Times((5e-6,) * 20))]
    found = Search({of: 1.0}, ways, FakeJob(CURVES), clock=lambda: 0.0, budget=None, kept=Kept(lines[:2] + fast, 0.0))
    (only,) = table_of(found).choices[0].intervals
    assert only.way == "slow"
    assert only.seconds == (5e-6, 5e-6), "as its calls took, not as a share of all of native's"
    native, slow = table.points
    assert slow.median_s < native.median_s, "the medians themselves say otherwise"
    assert slow.of_native == pytest.approx(4, rel=0.2)
    assert report.gains(table, slow.shape)[report.Kind.MESSAGES].most == 0
    assert table.compared(slow.shape)[64]["slow"] == pytest.approx(4 * native.median_s, rel=0.2)


def estimates(*logs: float, deviation: float = 0.01) -> Curve:
    return Curve([Estimate(log, deviation) for log in logs], [True] * len(logs))


def test_an_interval_that_is_not_better_for_certain_vanishes() -> None:
    sizes = (64, 256, 1024, 4096)
    native = estimates(0, 0, 0, 0, deviation=0)
    short, long = estimates(-0.5, -0.4, -0.2, 0.1), estimates(0.2, -0.1, -0.3, -0.6)
    medium = estimates(0.3, -0.405, -0.31, 0.0)
    with_medium = spans(sizes, {NATIVE: native, "short": short, "medium": medium, "long": long})
    assert [span.way for span in with_medium] == ["short", "long"], "medium is nowhere better for certain"
    better = estimates(0.3, -0.9, -0.9, 0.0)
    found = spans(sizes, {NATIVE: native, "short": short, "medium": better, "long": long})
    assert [span.way for span in found] == ["short", "medium", "long"]


def test_crossings_lie_where_the_curves_meet() -> None:
    native = estimates(0, 0, deviation=0)
    first, second = spans((256, 1024), {NATIVE: native, "a": estimates(-0.6, -0.1), "b": estimates(-0.2, -0.5)})
    assert (first.way, second.way) == ("a", "b")
    assert second.start == round(2 ** (8 + 2 * 0.5))
    assert second.crossing


def test_no_way_is_chosen_where_it_was_measured_to_be_slower_than_native() -> None:
    native = estimates(0, 0, 0, deviation=0)
    found = spans((64, 256, 1024), {NATIVE: native, "a": estimates(-0.02, 0.03, -0.02, deviation=0.001)})
    assert [span.way for span in found if span.first <= 1 <= span.last] == [NATIVE]


def test_gains_do_not_count_the_luckiest_of_ways_that_made_few_calls() -> None:
    found = table_of(finished({NATIVE: line(20, 0), "ring": line(15, 0), "doubling": line(5, 0)}, (64,)))
    (choice,) = found.choices
    assert report.gains(found, choice.shape)[report.Kind.MESSAGES].most == pytest.approx(0.75, abs=0.05)

    def with_calls(**calls: int) -> Table:
        new = [one.model_copy(update={"samples": calls.get(one.way, one.samples)}) for one in found.points]
        return tables.parse(tables.to_text(found.model_copy(update={"points": new})))

    once = report.gains(with_calls(doubling=1, ring=9), choice.shape)
    assert once[report.Kind.MESSAGES].most == pytest.approx(0.25, abs=0.05), "ring"
    all_of_few = report.gains(with_calls(doubling=1, ring=1, native=2), choice.shape)
    assert all_of_few[report.Kind.MESSAGES].most == pytest.approx(0.75, abs=0.05), "calls are long"


def test_a_way_that_made_few_calls_is_chosen_only_where_it_is_faster_for_certain() -> None:
    native = estimates(0, deviation=0)

    def chosen(log: float, of_few: list[int]) -> str:
        way = Curve([Estimate(log, 0.25)], [True], of_few)
        return spans((64,), {NATIVE: native, "a": way})[0].way

    assert [chosen(log, []) for log in (-0.3, -0.5)] == ["a", "a"]
    assert [chosen(log, [0]) for log in (-0.3, -0.5)] == [NATIVE, "a"]


def test_the_best_ways_make_enough_calls_before_the_budget_ends() -> None:
    ways = {f"way{i}": line(30000 + 1000 * i, 0.02 - 0.001 * i) for i in range(12)}
    found = search(FakeJob({NATIVE: line(50000, 0.012), **ways}, noise=0.2), ranks=(4, 8), budget=60)
    found.run()
    table = table_of(found)
    chosen = [
        one
        for choice in table.choices
        for interval in choice.intervals
        for one in table.points
        if one.way == interval.way != NATIVE and one.ranks == choice.ranks and interval.holds(one.bytes)
    ]
    assert len(chosen) > 15
    assert sum(one.samples < FEWEST for one in chosen) <= 4, "else it is every second one"


def test_a_way_that_was_measured_on_both_sides_serves_in_between_but_not_beyond() -> None:
    between = Curve([Estimate(-0.5, 0.01), Estimate(-0.5, 0.1), Estimate(-0.5, 0.01)], [True, False, True])
    native = estimates(0, 0, 0, deviation=0)
    assert [span.way for span in spans((64, 256, 1024), {NATIVE: native, "a": between})] == ["a"]
    beyond = Curve(between.estimates, [True, False, False])
    assert [span.way for span in spans((64, 256, 1024), {NATIVE: native, "a": beyond})] == ["a", NATIVE]


def test_what_is_believed_of_a_cell_is_less_certain_the_farther_it_is() -> None:
    ways = ["chain?segment=1024", "chain?segment=2048", "chain?segment=none"]
    alike = [Point("bcast", 8, size) for size in (1024, 4096, 65536)]
    belief = Belief(ways, alike, {(way, point): Estimate(0.0, 1.0) for way in ways for point in alike})
    belief.learn(ways[0], alike[0], Estimate(-1.0, 0.01))
    here, near, far = (belief.estimate(ways[0], point) for point in alike)
    assert here.mean == pytest.approx(-1, abs=0.01)
    assert here.mean < near.mean < far.mean < 0
    assert here.deviation < near.deviation < far.deviation < 1
    like, unlike = belief.estimate(ways[1], alike[0]), belief.estimate(ways[2], alike[0])
    assert like.mean < unlike.mean < 0
    assert like.deviation < unlike.deviation
    belief.expect(dict.fromkeys(alike, 0.5))
    assert belief.estimate(ways[0], alike[0]).mean == pytest.approx(-1, abs=0.01), "what was measured stands"
    assert belief.estimate(ways[0], alike[2]).mean > far.mean


def test_good_choices_take_a_small_part_of_a_full_sweep() -> None:
    # 8 algorithms of 5 parameters each; one family is the best below, another one above 8 KiB.
    def curve(number: int, value: int) -> Any:
        return lambda point: (
            1e-6
            * (10 + 6 * number + abs(value - 2))
            * (1 + point.bytes / (800.0 * 1.6**number) / (1 + 0.1 * abs(value - 3)))
        )

    curves = {f"way{i}?segment={1024 << j}": curve(i, j) for i in range(8) for j in range(5)}
    job = FakeJob({NATIVE: line(60, 0.02), **curves}, noise=0.01)
    found = search(job)
    found.run()
    slowdowns = []
    for point in found.known.plan:
        times = {way: of(point) for way, of in job.curves.items()}
        slowdowns.append(times[found.known.best(point)[0]] / min(times.values()) - 1)
    assert sum(slowdowns) / len(slowdowns) < 0.03
    assert len({*job.asked}) < 0.45 * len(job.curves) * len(SIZES)


def test_a_profile_gives_the_points_and_their_weights(tmp_path: Path) -> None:
    path = tmp_path / "profile.json"

    def context(collective: str, size: int | None, ranks: int, seconds: float) -> dict[str, Any]:
        shape = {"ranks": ranks, "nodes": 1, "ranks_per_node": ranks}
        return {"collective": collective, "bytes": size, "calls": 9, "seconds": seconds, **shape}

    contexts = [
        context("allreduce", 8, 4, 3.0),
        context("alltoallv", None, 4, 1.0),
        context("bcast", None, 4, 1.0),
        context("bcast", 64, 64, 9.0),
        context("neighbor_alltoall", 64, 4, 9.0),
        context("reduce", (1 << 30) + 1, 4, 9.0),
    ]
    path.write_text(json.dumps({"contexts": contexts}))
    plan = points.from_profile(path, None, [0] * 16).plan
    assert {(point.collective, point.ranks) for point in plan} == {("allreduce", 4), ("alltoallv", 4)}
    assert plan[Point("allreduce", 4, 8)] == pytest.approx(1.5)
    assert sum(plan.values()) == pytest.approx(len(plan))
    with pytest.raises(PlanError, match="nothing in it can be tuned on 2 ranks"):
        points.from_profile(path, None, [0] * 2)
    late = {"rank_seconds": 8.0, "waiting_rank_seconds": 6.0}
    contexts = [
        {**context("allreduce", 8, 4, 9.0), "profile": late},
        {**context("bcast", 64, 4, 1.0), "profile": {"rank_seconds": 2.0, "waiting_rank_seconds": None}},
        {**context("bcast", 64, 2, 1.0), "profile": {"rank_seconds": 1.0, "waiting_rank_seconds": None}},
    ]
    path.write_text(json.dumps({"run": {"ranks": 4}, "contexts": contexts}))
    plan = points.from_profile(path, None, [0] * 16).plan
    assert plan[Point("allreduce", 4, 8)] == plan[Point("bcast", 4, 64)], "waiting does not count"
    plan = points.from_profile(path, None, [0] * 16, [8, 16]).plan
    assert {(point.collective, point.ranks) for point in plan} == {
        ("allreduce", 8),
        ("allreduce", 16),
        ("bcast", 8),
        ("bcast", 16),
        ("bcast", 2),
    }, "on as many ranks as asked for, but for communicators of a part of them"
    path.write_text(json.dumps({"schema": 9, "contexts": contexts}))
    with pytest.raises(PlanError, match="the profile of another version; make it again"):
        points.from_profile(path, None, [0] * 16)
    ends = {"waiting_rank_seconds": None}
    contexts = [
        {**context("alltoallv", None, 4, 9.0), "profile": {**ends, "rank_seconds": 3.0, "mean_bytes": 1000.0}},
        {**context("alltoallv", None, 4, 9.0), "profile": {**ends, "rank_seconds": 1.0, "mean_bytes": 200.0}},
        {**context("gatherv", None, 4, 9.0), "profile": {**ends, "rank_seconds": 4.0, "mean_bytes": 0.1}},
    ]
    path.write_text(json.dumps({"contexts": contexts}))
    assert points.from_profile(path, None, [0] * 16).plan == {
        Point("alltoallv", 4, 800): 1.0,
        Point("gatherv", 4, 1): 1.0,
    }, "in the mean block of the program"
    for text in ("{}", "[" * 100000, json.dumps({"contexts": [context("allreduce", 8, 4, math.nan)]})):
        path.write_text(text)
        with pytest.raises(PlanError, match="no profile"):
            points.from_profile(path, None, [0] * 16)


def spread_context(shape: tuple[int, int, int], seconds: float, collective: str = "allreduce") -> dict[str, Any]:
    ranks, nodes, fullest = shape
    where = {"ranks": ranks, "nodes": nodes, "ranks_per_node": fullest}
    return {"collective": collective, "bytes": 8, "calls": 9, "seconds": seconds, **where}


def test_a_profiles_communicators_are_measured_on_as_many_nodes(tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    shapes = [(16, 4, 4), (4, 4, 1), (4, 1, 4), (6, 3, 2)]
    contexts = [spread_context(shape, 1.0) for shape in shapes]
    contexts += [spread_context((4, 4, 1), 1.0, "alltoallv"), {**spread_context((2, 0, 0), 1.0)}]
    path.write_text(json.dumps({"run": {"ranks": 16}, "contexts": contexts}))
    nodes = [rank // 4 for rank in range(16)]
    plan, note = points.from_profile(path, None, nodes)
    columns, uneven = Point("allreduce", 4, 8, 4, 1), Point("allreduce", 6, 8, 3, 2)
    wanted = {Point("allreduce", 16, 8), columns, Point("allreduce", 4, 8), uneven, Point("allreduce", 2, 8)}
    assert {one for one in plan if one.collective == "allreduce"} == wanted
    assert [one for one in plan if one.collective == "alltoallv"] == [Point("alltoallv", 4, 4096, 4, 1)]
    assert note == ""
    assert columns.members(nodes) == (0, 4, 8, 12)
    assert uneven.members(nodes) == (0, 1, 4, 5, 8, 9)
    counted = points.from_profile(path, ["allreduce"], nodes, [8]).plan
    assert {one.ranks for one in counted} == {8, 6, 4, 2}

    plan, note = points.from_profile(path, ["allreduce"], [0] * 16)
    assert set(plan) == {Point("allreduce", 4, 8), Point("allreduce", 2, 8)}
    assert note == (
        "60% of the profile's time was not measured, as the job has no ranks that are spread like that: "
        "16 ranks on 4 nodes of 4, 4 ranks on 4 nodes of 1, 6 ranks on 3 nodes of 2"
    )
    for counts in ([8], [8, 4], [8, 4, 2]):
        half = {"run": {"ranks": 16}, "contexts": [spread_context((16, 4, 4), 1.0), spread_context((6, 3, 2), 1.0)]}
        path.write_text(json.dumps(half))
        assert points.from_profile(path, ["allreduce"], [0] * 16, counts).note.startswith("50% of the profile's time")
    path.write_text(json.dumps({"contexts": [spread_context((4, 4, 1), 1.0)]}))
    with pytest.raises(PlanError, match="can be tuned on 16 ranks, 16 of them on the fullest of 1 node; start the job"):
        points.from_profile(path, None, [0] * 16)
    path.write_text(json.dumps({"contexts": [spread_context((4, 4, 2), 1.0)]}))
    with pytest.raises(PlanError, match="no profile"):
        points.from_profile(path, None, nodes)


@pytest.mark.parametrize(
    ("nodes", "ranks", "wanted", "members"),
    [
        ("0011", 2, (2, 1), (0, 2)),
        ("0101", 2, (1, 2), (0, 2)),
        ("000111", 4, (2, 3), (0, 1, 2, 3)),
        ("000111", 4, (2, 2), (0, 1, 3, 4)),
        ("011122", 3, (2, 2), (0, 1, 2)),  # rank 0 is among them, though alone on its node
        ("011122", 6, (3, 3), (0, 1, 2, 3, 4, 5)),
        ("011122", 2, (1, 2), None),
        ("0011", 3, (3, 1), None),
        ("0011", 4, (2, 3), None),
        ("0123", 4, (2, 2), None),
    ],
)
def test_ranks_are_chosen_by_how_they_are_spread(
    nodes: str, ranks: int, wanted: tuple[int, int], members: tuple[int, ...] | None
) -> None:
    assert Point("bcast", ranks, 8, *wanted).members([int(node) for node in nodes]) == members


def test_the_table_has_an_entry_for_each_spread_of_ranks(tmp_path: Path) -> None:
    within = {NATIVE: 2e-5, "doubling": 1e-5, "ring": 4e-5}
    across = {NATIVE: 2e-3, "doubling": 4e-3, "ring": 1e-3}

    def curve(way: str) -> tuning.Curve:
        return lambda point: (across if point.nodes else within)[way]

    plan = {Point("allreduce", 4, 64): 1.0, Point("allreduce", 4, 64, 4, 1): 1.0}
    nodes = [rank // 4 for rank in range(16)]
    job = FakeJob({way: curve(way) for way in within})
    path = tmp_path / "measurements"
    log = Journal(path, ["mpirun"], "MPI", nodes, "node#")
    found = Search(plan, {"allreduce": list(within)}, job, clock=job.clock, budget=None, log=log)
    found.run()
    log.close()
    made = Made(when="2026-11-23T06:00:00Z", command="starling tune", starling="0.1.0")
    table = outcome.table(found, nodes, Machine("node#", "openmpi", "4.1.4"), made)
    ways = {(one.nodes, one.ranks_per_node): one.intervals[0].way for one in table.choices}
    assert ways == {(1, 4): "doubling", (4, 1): "ring"}
    kept = Journal(path, ["mpirun"], "MPI", nodes, "node#").kept
    assert points.measured_earlier(kept.natives, nodes).keys() == plan.keys()
    assert points.measured_earlier(kept.natives, [0] * 16).keys() == {Point("allreduce", 4, 64)}


def test_ways_are_expected_by_how_ranks_are_spread() -> None:
    expected = Expectation(guessed(4, 4), described=False)
    way = "shared?copies=twice"
    assert "node" in expected.refusal(way, Point("allgather", 4, 8, nodes=4, fullest=1))
    assert expected.refusal(way, Point("allgather", 4, 8, nodes=1, fullest=4)) == ""
    columns, within = Point("allgather", 4, 8, 4, 1), Point("allgather", 4, 8, 1, 4)
    assert point_correlation(columns, columns._replace(ranks=8, nodes=8)) > point_correlation(columns, within)
    assert point_correlation(columns, columns) == 1


def test_of_a_profile_with_very_many_sizes_those_with_most_time_are_measured(tmp_path: Path) -> None:
    contexts = [{"collective": "bcast", "ranks": 4, "bytes": size, "seconds": 1.0 + size} for size in range(1, 257)]
    contexts.append({"collective": "reduce", "ranks": 4, "bytes": 8, "seconds": 0.5})
    file = tmp_path / "profile.json"
    file.write_text(json.dumps({"contexts": contexts}))
    plan = points.from_profile(file, None, [0] * 4).plan
    assert [one.bytes for one in plan if one.collective == "bcast"] == [*range(257 - points.MOST_OF_A_COLLECTIVE, 257)]
    assert [one.bytes for one in plan if one.collective == "reduce"] == [8]


def test_sizes_that_not_all_ranks_know_get_one_choice_whatever_was_measured_earlier() -> None:
    job = FakeJob(CURVES)
    plan = {Point("alltoallv", 8, 64): 0.0, Point("alltoallv", 8, 1 << 20): 1.0}
    lines = [Line(1, Point("alltoallv", 8, 64), way, Times((CURVES[way](Point("", 8, 64)),) * 9)) for way in CURVES]
    ways = {"alltoallv": list(CURVES)}
    found = Search(plan, ways, job, clock=job.clock, budget=None, kept=Kept(lines, 0.0))
    found.run()
    (only,) = only_choice(found).intervals
    assert (only.from_, only.below, only.way) == (0, None, "ring"), "by the size that is wanted now"


def test_ranks_that_share_processors_are_told() -> None:
    assert crowded([0, 0, 1, 1], [0, 0, 0, 0]) == ""
    assert crowded([], []) == ""
    assert crowded([0, 1, 0, 1, 1], [1, 1, 0, 1, 1]).startswith("3 ranks of a node share processors:")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], ""),
        (["-----\n", "There are not enough slots to satisfy the 4\n", "slots:\n", "\n", "  ./app\n"],
         "There are not enough slots to satisfy the 4 slots"),
        (["mpirun: no host\n"], "mpirun: no host"),
    ],
)  # fmt: skip
def test_a_launchers_first_sentence_is_told_whole(lines: list[str], words: str) -> None:
    assert first_words(lines) == words


def test_what_can_be_tuned_is_what_the_measuring_program_can_call() -> None:
    source = Path(__file__).parents[2] / "src/tools/collective_calls.h"
    assert tuple(re.findall(r'^    \{"(\w+)", ', source.read_text(), re.MULTILINE)) == points.COLLECTIVES


@pytest.mark.parametrize("collective", ["alltoallv", "gatherv", "scatterv"])
def test_where_not_all_ranks_know_the_size_there_is_one_choice_for_all_sizes(collective: str) -> None:
    job = FakeJob(CURVES)
    plan = points.grid([collective], SIZES, (8,))
    assert [point.bytes for point in plan] == [4096]
    found = Search(plan, {collective: list(job.curves)}, job, clock=job.clock, budget=None)
    found.run()
    (only,) = only_choice(found).intervals
    assert (only.way, only.from_, only.below) == ("ring", 0, None)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"collectives": "allreduce,fold"}, "fold: no such collective"),
        ({"sizes": "1,much"}, "--sizes much"),
        ({"sizes": "0"}, "from 1 byte"),
        ({"budget": "soon"}, "--budget soon"),
        ({"budget": "0m"}, "--budget 0m"),
        ({"platform": "torus:9"}, "--platform"),
        ({"profile": Path("none.json")}, "none.json: no such file"),
        ({"parameters": Path("none.json")}, "starling calibrate"),
    ],
)
def test_bad_options_are_told_in_one_line_before_a_job_starts(
    tmp_path: Path, change: dict[str, Any], says: str
) -> None:
    with pytest.raises(PlanError, match=says) as told:
        tune.check(tune.Request(["mpirun"], tmp_path / "table.json", "starling tune", **change))
    assert "\n" not in str(told.value)


def test_what_is_no_file_is_told_before_a_job_starts(tmp_path: Path) -> None:
    request = tune.Request(["mpirun"], tmp_path / "table.json", "starling tune")
    request.table.mkdir()
    request.measurements.write_text("")
    with pytest.raises(PlanError, match="there is such a file"):
        tune.check(request)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(JournalError, match="pipe: it is a pipe; name another file with -o"):
        JsonLines(pipe)
    with pytest.raises(PlanError, match="/dev/zero: it is neither a file nor a pipe; make a profile with"):
        points.from_profile(Path("/dev/zero"), None, [0] * 4)
    tune.check(replace(request, table=tmp_path / "new.json", profile=pipe))


def test_where_there_is_no_room_for_a_line_the_next_run_goes_on(tmp_path: Path) -> None:
    lines = JsonLines(tmp_path / "measurements")
    lines.begin("heading")
    before = lines.path.read_text()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 7, limits[1]))
    try:
        with pytest.raises(JournalError, match="File too large; mend that, and the same command goes on"):
            lines.append("more than fits")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert len(lines.path.read_text()) == len(before) + 7
    lines.close()
    assert len(lines.path.read_text()) == len(before) + 7, "nothing of it comes later"
    assert JsonLines(lines.path).text == before


def test_a_budget_that_has_no_time_for_what_is_worth_measuring_is_told() -> None:
    job = FakeJob({NATIVE: line(5000, 0.01), "ring": line(1000, 0.001)})
    found = search(job, sizes=(8,), budget=0.4)
    found.run()
    assert list(found.known.measured(Point("allreduce", 8, 8))) == [NATIVE], "ten calls of another would take too long"
    assert not found.budget.used_up
    assert found.lacks_time
    assert not finished(CURVES, SIZES).lacks_time


def test_the_command_in_a_table_is_text_whatever_bytes_it_has() -> None:
    assert tune.command_line(["tune", "-o", "odd\udcff.json"]) == r"starling tune -o 'odd\xff.json'"


def test_points_at_which_native_is_refused_are_told() -> None:
    job = FakeJob(CURVES, refusals=lambda _, point: "too large" if point.bytes > 64 else "")
    found = search(job, sizes=(64, 256, 1024))
    found.run()
    assert table_of(found).notes == ["allreduce of 256 B to 1 KiB on 8 ranks was not measured: native: too large"]


def test_points_for_which_no_time_was_left_are_told() -> None:
    found = search(FakeJob(CURVES), sizes=(8,), budget=1e-6)
    found.run()
    assert found.notes == ["allreduce of 8 B on 8 ranks was not measured: the budget was used up before"]


def test_the_command_line_that_uses_a_table_is_one_that_a_shell_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = table_of(finished(CURVES, (8,)))
    monkeypatch.setattr(tune, "tune", lambda *_: tune.Done(table, 0))
    told = CliRunner().invoke(app, ["tune", "-o", str(tmp_path / "my table.json"), "--", "mpirun"])
    assert told.stderr.endswith(f"; use it: starling run --table '{tmp_path}/my table.json' -- mpirun ...\n")


def test_a_table_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    request = tune.Request(["mpirun"], tmp_path / "table.json", "starling tune")
    tune.check(request)
    request.table.write_text("{}")
    with pytest.raises(PlanError, match="there is such a file"):
        tune.check(request)
    request.measurements.write_text("")
    tune.check(request)


def test_ranks_and_ways_are_checked_against_the_job() -> None:
    assert points.numbers_of_ranks("8,4", 8) == (4, 8)
    with pytest.raises(PlanError, match="no number from 2 to 8"):
        points.numbers_of_ranks("4,16", 8)
    there = {"bcast": [NATIVE, "chain?segment=8192", "knomial?k=4,segment=none", "native_ring"]}
    assert tune.admitted(there, "knomial?k=4,segment=none,native_*")["bcast"] == [
        NATIVE,
        "knomial?k=4,segment=none",
        "native_ring",
    ]
    assert tune.admitted(there, "chain")["bcast"] == [NATIVE, "chain?segment=8192"]
    for wrong in ("rong", "chain?segments=8192", "two_level?inner=rong"):
        with pytest.raises(PlanError, match=f"--ways {re.escape(wrong)}"):
            tune.admitted(there, wrong)


def test_ways_may_be_compositions_that_are_not_offered() -> None:
    there = {"bcast": [NATIVE, "two_level?inner=shared,outer=binomial"], "barrier": [NATIVE]}
    wanted = "two_level?outer=chain:segment=512,inner=native,chain?segment=12345"
    assert tune.admitted(there, wanted) == {
        "bcast": [NATIVE, "two_level?inner=native,outer=chain:segment=512", "chain?segment=12345"],
        "barrier": [NATIVE],
    }


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        (math.inf, ["0:00", "0:10", "0:20", "0:40", "1:20", "2:40", "5:20", "10:40", "20:40", "30:40", "40:40"]),
        (3000.0, [f"{minutes}:00" for minutes in range(0, 50, 5)]),
    ],
)
def test_without_a_terminal_lines_tell_how_far_it_is(
    budget: float, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    monkeypatch.setattr(tune, "log", lines.append)
    monkeypatch.setattr(tune, "Console", lambda **_: Console(file=io.StringIO()))
    with tune.shown() as tell:
        for second in range(2990):
            tell(Progress(float(second), budget, second, second, Point("bcast", 4, 8), [NATIVE]))
    assert [line.partition(" used, ")[0] for line in lines] == told
    assert all(line.endswith(" left") == math.isfinite(budget) for line in lines)


def test_times_are_read_with_their_units() -> None:
    assert [tune.seconds_of(text) for text in ("90", "90s", "10m", "1.5h", "none")] == [90, 90, 600, 5400, None]


def full_table() -> Table:
    curves = {
        **CURVES,
        "native_ring": line(30, 0.0015),
        "groups?mesh=2x4": line(60, 0.0011),
        "groups?mesh=2x2x2": line(90, 0.0012),
    }
    found = search(FakeJob(curves), everything=True)
    found.run()
    return table_of(found)


def test_the_table_is_valid_and_keeps_all_measurements(tmp_path: Path) -> None:
    table = full_table()
    path = tmp_path / "table.json"
    tables.write(table, path)
    assert tables.read(path) == table
    assert len(table.points) == 7 * len(SIZES)
    for point in table.points:
        assert point.samples > 0
        assert (point.low_s is None) == (point.samples < FEWEST)
        if point.low_s is not None and point.high_s is not None:
            assert point.low_s <= point.median_s <= point.high_s


def test_the_report_says_what_the_table_says_and_what_it_gains() -> None:
    table = full_table()
    console = Console(record=True, width=160)
    report.render(table, console)
    text = console.export_text()
    for word in ("doubling", "ring", "point-to-point", "orthogonal groups", "the MPI library's algorithms"):
        assert word in text
    kinds = text.partition("fastest way of each kind\n")[2].splitlines()
    assert kinds[0].split()[:4] == ["collective", "ranks", "nodes", "kind"]
    assert kinds[1].split()[:3] == ["allreduce", "8", "8"], "communicators of as many ranks may be on other nodes"
    gained = report.gains(table, table.choices[0].shape)
    largest = 1 - CURVES["ring"](Point("allreduce", 8, SIZES[-1])) / CURVES[NATIVE](Point("allreduce", 8, SIZES[-1]))
    assert gained[report.Kind.MESSAGES].most == pytest.approx(largest, abs=0.05)
    assert gained[report.Kind.GROUPS].least == 0
    assert all(one.least <= one.mean <= one.most for one in gained.values())


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_narrow_terminal_keeps_the_columns_that_matter(width: int) -> None:
    console = Console(width=width, highlight=False)
    with console.capture() as captured:
        report.render(table_of(finished(CURVES, SIZES)), console)
    heading, *rows = captured.get().partition("\n\n")[2].splitlines()
    assert max(map(len, [heading, *rows])) <= width
    for title in ("collective", "ranks", "below", "way"):
        assert title in heading.split()
    assert rows[0].split()[0] == "allreduce"
    assert "doubling" in rows[0].split()
    (of_kinds,) = (row.split() for row in rows if row.startswith("collective"))
    assert {"collective", "ranks", "kind", "mean"} <= set(of_kinds)


def test_the_page_of_a_table_with_times_that_no_clock_tells_is_drawn_without_them() -> None:
    table = full_table()
    shape = table.choices[0].shape
    of_shape = list(table.measured(shape))
    native = next(one for one in of_shape if one.way == NATIVE)
    other = next(one for one in of_shape if one.way != NATIVE and one.bytes > native.bytes)
    odd = [
        native.model_copy(update={"median_s": 1e308, "bytes": 3}),
        other.model_copy(update={"median_s": 1e-300, "of_native": 1e308, "bytes": 3}),
        native.model_copy(update={"median_s": 1e-300, "bytes": 1 << 50}),
        other.model_copy(update={"median_s": 0.0, "of_native": 0.0, "bytes": 1 << 50}),
    ]
    drawn = page.html(table.model_copy(update={"points": [*table.points, *odd]}))
    assert drawn.partition("<h2>")[2] == page.html(table).partition("<h2>")[2]


def test_the_page_draws_bars_curves_with_crossings_and_bands() -> None:
    table = full_table()
    text = page.html(table)
    pictures = [ET.fromstring(f"<svg{one.partition('</svg>')[0]}</svg>") for one in text.split("<svg")[1:]]
    assert len(pictures) == 3
    bars, curves, bands = ("".join(picture.itertext()) for picture in pictures)
    for kind in report.Kind:
        assert str(kind) in bars
    crossing = next(one.from_ for one in table.choices[0].intervals if one.way == "ring")
    assert human_bytes(crossing) in curves
    assert "2D meshes" in bands
    assert "3D meshes" in bands
    areas = pictures[2].findall(".//{*}path[@class='band']")
    assert len({area.get("d") for area in areas}) == len({area.get("fill") for area in areas}) == 2
    assert "<script" not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        ("groups?mesh=6x16", 2),
        ("groups_leader?mesh=3x4x8", 3),
        ("groups?mesh=square", 2),
        ("groups?mesh=cube", 3),
        ("ring", 0),
        ("native", 0),
    ],
)
def test_a_mesh_has_the_dimensions_that_its_way_names(way: str, expected: int) -> None:
    assert page.dimensions(way) == expected


def test_an_interrupted_race_leaves_a_table_of_what_there_is() -> None:
    job = FakeJob(CURVES, interrupt_after=20)
    found = search(job)
    with pytest.raises(KeyboardInterrupt):
        found.run()
    table = table_of(found)
    assert table.points
    assert all(math.isfinite(point.median_s) for point in table.points)


def test_nothing_kept_is_nothing_known() -> None:
    found = search(FakeJob(CURVES), kept=Kept((), 0.0))
    assert found.known.cells_measured == 0
    assert table_of(found).choices == []


def test_the_librarys_algorithms_are_listed_with_their_values() -> None:
    ways = [
        "native",
        "native_chain?segment=8192,fanout=4",
        "native_chain?segment=65536,fanout=4",
        "native_tree",
        "ring",
    ]
    chain, tree = library.described("bcast", ways, "Open MPI v4.1.4, package: Debian")
    assert (chain["name"], chain["says"]) == ("native_chain", "chain of Open MPI v4.1.4")
    (mpich,) = library.described("bcast", ["native_tree"], "MPICH Version:      5.0.2")
    assert mpich["says"] == "tree of MPICH 5.0.2"
    assert chain["parameters"] == [
        {"name": "segment", "values": ["8192", "65536"]},
        {"name": "fanout", "values": ["4"]},
    ]
    assert (tree["name"], tree["parameters"], tree["collective"]) == ("native_tree", [], "bcast")
    listed = repository.with_library([{"collective": "bcast", "name": name} for name in ("native", "chain")], [tree])
    assert [entry["name"] for entry in listed] == ["native", "native_tree", "chain"]
