"""Calls in a row in the configuration phase: a way, or native, that is slower in a row than behind barriers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from starling.tables import table as tables
from starling.tables.table import NATIVE, Choice, Made, Table
from starling.tuning import outcome, points, report
from starling.tuning.belief import Estimate
from starling.tuning.job import Machine, Times
from starling.tuning.journal import Journal, Kept, Line
from starling.tuning.points import Point
from starling.tuning.rows import FEWEST_CALLS, MOST_ROUNDS, SPELLS, Rows
from starling.tuning.search import Search
from support.tuning import Curve, FakeJob

POINT = Point("allgather", 16, 7680)
MS = 1e-3
TIMES = {NATIVE: 9.7 * MS, "steady": 12 * MS, "unsteady": 8 * MS, "next": 9 * MS, "far": 30 * MS}
"""Of calls behind barriers."""


def curves(*ways: str) -> Mapping[str, Curve]:
    def of(way: str) -> Curve:
        return lambda _point: TIMES[way]

    return {way: of(way) for way in (NATIVE, *ways)}


def drifting(*ways: str, after: int = 10, factor: float = 1.65) -> Callable[[str, int], float]:
    """Ranks drift apart by these ways, after so many calls in a row."""
    return lambda way, call: factor if way in ways and call >= after else 1.0


def searched(job: FakeJob, collective: str = POINT.collective, **more: Any) -> Search:
    more.setdefault("budget", None)
    plan = {POINT._replace(collective=collective): 1.0}
    ways = {collective: list(job.curves)}
    found = Search(plan, ways, job, clock=job.clock, in_row=points.waits_for_all, **more)
    found.run()
    return found


def table_of(found: Search) -> Table:
    made = Made(when="2026-11-27T06:00:00Z", command="starling tune", starling="0.1.0")
    return outcome.table(found, range(16), Machine("node#", "openmpi", "4.1.4"), made)


def only_choice(table: Table) -> Choice:
    (choice,) = table.choices
    return choice


def test_a_way_is_chosen_that_is_faster_than_native_only_once_native_has_drifted() -> None:
    quiet = only_choice(table_of(searched(FakeJob(curves("steady")))))
    assert [one.way for one in quiet.intervals] == [NATIVE], "behind barriers, and in a row without drift"
    table = table_of(searched(FakeJob(curves("steady"), drifts=drifting(NATIVE))))
    (only,) = only_choice(table).intervals
    assert (only.way, only.why) == ("steady", "1.33 times as fast as native at 1 size, at 1 by calls in a row")
    assert only.gain == pytest.approx(9.7 * 1.65 / 12, rel=0.02)
    longer = FakeJob(curves("steady"), drifts=lambda way, _: 1.65 if way == NATIVE else 1.1)
    (only,) = only_choice(table_of(searched(longer))).intervals
    assert only.seconds is not None
    assert list(only.seconds) == pytest.approx([13.2 * MS, 4 * 13.2 * MS], rel=0.02), "as in a row, too"


def test_the_table_keeps_both_kinds_of_measurements_and_all_readers_use_what_counts() -> None:
    table = table_of(searched(FakeJob(curves("steady"), drifts=drifting(NATIVE))))
    native, steady = table.points
    assert native.median_s == pytest.approx(9.7 * MS, rel=0.02)
    assert steady.of_native == pytest.approx(12 / 9.7, rel=0.02)
    assert native.in_row is not None
    assert steady.in_row is not None
    assert (native.in_row.counts, native.in_row.of_native) == (True, 1)
    assert native.in_row.mean_s == pytest.approx(16 * MS, rel=0.02), "the latest halves of its spells"
    assert steady.in_row.of_native == pytest.approx(12 / 16, rel=0.02)
    assert steady.in_row.samples == sum(SPELLS[:3])
    assert tables.parse(tables.to_text(table)) == table
    row = table.compared(native.shape)[POINT.bytes]
    assert row[NATIVE] == pytest.approx(16 * MS, rel=0.02)
    assert row["steady"] == pytest.approx(12 * MS, rel=0.03)
    assert report.gains(table, native.shape)[report.Kind.MESSAGES].most == pytest.approx(1 - 12 / 16, abs=0.02)
    console = Console(record=True, width=200)
    report.render(table, console)
    assert "by calls in a row" in console.export_text()


def test_a_way_that_is_faster_only_behind_barriers_is_not_chosen_and_the_next_one_is_asked() -> None:
    drifts = drifting("unsteady", after=3, factor=2)
    table = table_of(searched(FakeJob(curves("unsteady"), drifts=drifts)))
    assert [one.way for one in only_choice(table).intervals] == [NATIVE]
    job = FakeJob(curves("unsteady", "next"), drifts=drifts)
    assert [one.way for one in only_choice(table_of(searched(job))).intervals] == ["next"]
    assert {way for _, way, _ in job.asked_in_row[:3]} == {NATIVE, "unsteady", "next"}, "the next one is nearly as good"
    factors = {NATIVE: 1.65, "unsteady": 3.0}
    job = FakeJob(curves("unsteady", "steady"), drifts=lambda way, _: factors.get(way, 1.0))
    assert [one.way for one in only_choice(table_of(searched(job))).intervals] == ["steady"]
    assert {way for _, way, _ in job.asked_in_row[:2]} == {NATIVE, "unsteady"}, "the other one is far behind at first"


def test_where_calls_in_a_row_take_as_long_nothing_changes() -> None:
    job = FakeJob(curves("unsteady"))
    table = table_of(searched(job))
    native, fast = table.points
    assert fast.in_row is not None
    assert not fast.in_row.counts
    assert fast.ratio == fast.of_native
    assert fast.seconds == fast.median_s
    assert native.ratio == 1
    assert "in a row" not in only_choice(table).intervals[0].why
    slower_alike = FakeJob(curves("unsteady"), drifts=drifting(NATIVE, "unsteady", after=0, factor=1.5))
    assert not searched(slower_alike).known.points[POINT].rows.count, "their ratio is the same"
    assert max(calls for _, _, calls in job.asked_in_row) == SPELLS[2], "after three rounds it is clear"


def sometimes(way: str, factor: float, first_calls: Sequence[int]) -> Callable[[str, int], float]:
    """In its spells, one after the other and then from the first again, ranks drift apart by a way from these calls."""
    calls = itertools.cycle(first_calls)
    begins = 0

    def slower(of: str, call: int) -> float:
        nonlocal begins
        if of == way and call == 0:
            begins = next(calls)
        return factor if of == way and call >= begins else 1.0

    return slower


def test_spells_that_differ_are_repeated_until_it_is_clear_what_they_tell() -> None:
    job = FakeJob(curves("unsteady"), drifts=sometimes(NATIVE, 1.65, (1, 20, 10_000, 8, 1, 4, 2)))
    found = searched(job, budget=60.0)
    rows = found.known.points[POINT].rows
    assert len(rows.rounds("unsteady")) > len(SPELLS)
    assert rows.count
    assert not found.budget.used_up, "it is clear before"


@pytest.mark.parametrize(("call", "budget"), [(20 * MS, 5.0), (50 * MS, 5.0), (50 * MS, 15.0), (100 * MS, 30.0)])
@pytest.mark.parametrize("first_calls", [(10_000, 10_000, 1, 1), (1, 10_000, 1), (10_000, 1)])
def test_spells_in_which_ranks_drift_apart_stay_in_the_budget(
    call: float, budget: float, first_calls: Sequence[int]
) -> None:
    job = FakeJob(
        {NATIVE: lambda _: call, "way": lambda _: 0.97 * call}, drifts=sometimes(NATIVE, 1.65, first_calls), noise=0.01
    )
    searched(job, budget=budget)
    assert job.now <= 1.05 * budget


@pytest.mark.parametrize("budget", [None, 5.0])
def test_a_native_that_is_refused_once_it_was_measured_ends_a_search(budget: float | None) -> None:
    natives = 0

    def wrong(way: str, _point: Point) -> str:
        nonlocal natives
        natives += way == NATIVE
        assert natives < 100, "it is asked for again and again"
        return "its result is wrong" if way == NATIVE and natives > 1 else ""

    job = FakeJob(curves("steady", "unsteady"), refusals=wrong)
    searched(job, budget=budget)
    assert job.asked_in_row == []


def test_spells_that_tell_nothing_end() -> None:
    never = 10_000
    job = FakeJob(curves("unsteady"), drifts=sometimes(NATIVE, 1.65, (1, never, never)))
    found = searched(job)
    rows = found.known.points[POINT].rows
    assert len(rows.rounds("unsteady")) == MOST_ROUNDS
    assert not rows.count


def test_a_way_that_no_drift_makes_the_best_is_not_called_in_a_row() -> None:
    job = FakeJob(curves("far"))
    searched(job)
    assert (POINT, "far") in job.asked
    assert job.asked_in_row == []


def test_points_with_nothing_to_call_in_a_row_take_no_share_of_its_time() -> None:
    job = FakeJob({NATIVE: lambda _: 9.7 * MS, "way": lambda one: (9 if one.collective == "allgather" else 90) * MS})
    others = points.grid(["allreduce"], [8**power for power in range(10)], [16])
    plan = {**points.grid(["allgather"], [1], [16]), **others}
    ways = {name: list(job.curves) for name in ("allgather", "allreduce")}
    Search(plan, ways, job, clock=job.clock, budget=20.0, in_row=points.waits_for_all).run()
    assert {point.collective for point, *_ in job.asked_in_row} == {"allgather"}
    assert job.asked_in_row[0][2] == SPELLS[0]


def test_ways_take_turns_in_a_row_too() -> None:
    job = FakeJob(curves("unsteady"), drifts=drifting(NATIVE))
    searched(job)
    assert [calls for _, way, calls in job.asked_in_row if way == NATIVE] == list(SPELLS[:3])
    assert [calls for _, way, calls in job.asked_in_row if way == "unsteady"] == list(SPELLS[:3])
    rounds = [{way for _, way, _ in job.asked_in_row[i : i + 2]} for i in range(0, len(job.asked_in_row), 2)]
    assert rounds == [{NATIVE, "unsteady"}] * 3


@pytest.mark.parametrize("collective", ["bcast", "reduce", "scan", "alltoallv"])
def test_where_ranks_need_not_wait_for_all_calls_in_a_row_would_overlap_and_are_not_compared(collective: str) -> None:
    job = FakeJob(curves("unsteady"))
    searched(job, collective)
    assert job.asked_in_row == []


def test_races_leave_time_for_calls_in_a_row() -> None:
    # So many ways scatter so much that races alone would take all of the budget.
    ways = {f"way{i}": (lambda _point, i=i: (9.6 - i / 100) * MS) for i in range(30)}
    job = FakeJob({**curves(), **ways}, noise=0.3)
    found = searched(job, budget=20.0)
    assert job.asked_in_row
    assert found.budget.used_up
    assert job.now <= 20.0 * 1.05


@pytest.mark.parametrize("budget", [2.0, 150.0])
def test_calls_in_a_row_stay_in_the_budget(budget: float) -> None:
    sizes = [4**power for power in range(8)]
    plan = points.grid(["allgather", "allreduce"], sizes, [16])
    job = FakeJob(curves("steady", "unsteady"), drifts=drifting(NATIVE))
    found = Search(
        plan,
        {name: list(job.curves) for name in ("allgather", "allreduce")},
        job,
        clock=job.clock,
        budget=budget,
        in_row=points.waits_for_all,
    )
    found.run()
    assert job.now <= budget * 1.05
    shortest = min((calls for *_, calls in job.asked_in_row), default=FEWEST_CALLS)
    assert shortest >= FEWEST_CALLS
    assert bool(job.asked_in_row) == (budget > 2), "else they would be too short to tell anything"
    if budget > 2:
        for one in plan:
            first, second, *_ = (calls for point, way, calls in job.asked_in_row if way == NATIVE and point == one)
            assert first < second, "the first round leaves time for a second, and the first points for all others"


def test_a_killed_search_has_its_calls_in_a_row_again(tmp_path: Path) -> None:
    def journal() -> Journal:
        return Journal(tmp_path / "measurements", ["mpirun"], "MPI", [0] * 16, "node#")

    log = journal()
    first = searched(FakeJob(curves("steady"), drifts=drifting(NATIVE)), log=log)
    log.close()
    log = journal()
    kept = log.kept
    log.close()
    assert {one.in_row for one in kept.lines} == {True, False}
    assert kept.natives.count(POINT) == sum(one.way == NATIVE and not one.in_row for one in kept.lines)
    job = FakeJob(curves("steady"), drifts=drifting(NATIVE))
    again = Search(first.known.plan, {POINT.collective: list(job.curves)}, job, clock=job.clock, budget=None, kept=kept)
    assert table_of(again) == table_of(first)
    searched(job, kept=kept)
    assert job.asked_in_row == [], "they are known"


def race_of(number: int, calls: int, **seconds: float) -> list[Line]:
    return [Line(number, POINT, way, Times((one,) * calls)) for way, one in seconds.items()]


def rows_of(number: int, native: float, **seconds: tuple[float, ...]) -> list[Line]:
    """Rounds of spells: native's are all alike, those of ways have so many seconds a call in each round."""
    rounds = len(next(iter(seconds.values())))
    all_ways = {NATIVE: (native,) * rounds, **seconds}
    return [
        Line(number, POINT, way, Times((of[i],) * 32), in_row=True)
        for i in range(rounds)
        for way, of in all_ways.items()
    ]


def knowing(*lines: list[Line], ways: tuple[str, ...]) -> tuple[Search, FakeJob]:
    job = FakeJob(curves(*ways))
    kept = Kept([line for of in lines for line in of], 0.0)
    plan = {POINT: 1.0}
    of = {POINT.collective: list(job.curves)}
    return Search(plan, of, job, clock=job.clock, budget=None, kept=kept, in_row=points.waits_for_all), job


def test_no_more_calls_behind_barriers_are_made_of_ways_whose_verdict_rests_on_calls_in_a_row() -> None:
    behind = race_of(1, 20, native=9.7 * MS, unsteady=8 * MS, next=9 * MS)
    # Either may be the better one: the difference is less than what they scatter.
    in_row = rows_of(2, 16 * MS, unsteady=(12 * MS, 13 * MS, 12.5 * MS), next=(13 * MS, 12.2 * MS, 12.6 * MS))
    found, job = knowing(behind, in_row, ways=("unsteady", "next"))
    assert found.known.points[POINT].rows.count
    found.run()
    assert job.asked == []


def test_figures_of_a_way_without_calls_in_a_row_are_told_by_its_ratio_where_native_has_some() -> None:
    behind = race_of(1, 20, native=10 * MS, unsteady=6 * MS, next=7 * MS)
    found, _ = knowing(behind, rows_of(2, 16 * MS, unsteady=(19 * MS,) * 3), ways=("unsteady", "next"))
    table = table_of(found)
    (only,) = only_choice(table).intervals
    assert only.way == "next"
    assert only.why == "1.43 times as fast as native at 1 size", "that is not by calls in a row"
    (compared,) = table.compared(table.points[0].shape).values()
    assert compared["next"] == pytest.approx(0.7 * 16 * MS, rel=0.01), "native takes 16 ms, this one 0.7 of that"
    assert only.seconds == pytest.approx((compared["next"], 4 * compared["next"])), "at 7.5 KiB, and below 30 KiB"


def test_whether_calls_in_a_row_count_is_judged_again_by_what_later_races_tell() -> None:
    few, many = race_of(1, 3, native=10 * MS, steady=8 * MS), race_of(3, 20, native=10 * MS, steady=13 * MS)
    in_row = rows_of(2, 10 * MS, steady=(13 * MS,) * 3)
    found, _ = knowing(few, in_row, ways=("steady",))
    rows = found.known.points[POINT].rows
    assert rows.count, "a few calls behind barriers said that it is faster"
    for line in many:
        found.known.keep(line)
    found.known.learn(POINT, {NATIVE: [10 * MS] * 20, "steady": [13 * MS] * 20})
    assert not rows.count, "both kinds of calls say the same"
    again, _ = knowing(few, in_row, many, ways=("steady",))
    assert table_of(again) == table_of(found), "a search that goes on judges alike"


def test_what_scatters_does_not_differ_clearly() -> None:
    def rows(*ratios: float) -> Rows:
        found = Rows()
        for number, ratio in enumerate(ratios):
            found.add(NATIVE, number, [1.0] * 32)
            found.add("way", number, [ratio] * 32)
        return found

    behind = Estimate(0.0, 0.02)
    assert rows(1.5).ratio("way") is None, "one round has no spread"
    assert rows(1.5, 1.5).differs("way", behind) == pytest.approx(0.405, abs=0.01)
    assert rows(1.5, 1.3).differs("way", behind) == 0, "two rounds may agree by chance"
    assert rows(1.5, 0.9, 1.4).differs("way", behind) == 0
    assert rows(1.5, 0.9, 1.4).is_open("way", behind)
    assert rows(1.04, 1.04, 1.04).differs("way", behind) == 0, "too little to matter"
    assert not rows(1.04, 1.04, 1.04).is_open("way", behind)
    assert rows(1.0, 1.0).is_open("way", behind), "ranks may drift apart later"


def test_calls_in_a_row_count_where_few_calls_behind_barriers_say_something_else() -> None:
    rows = Rows()
    for race in range(4):
        rows.add(NATIVE, race, [1.0 * MS] * FEWEST_CALLS)
        rows.add("way", race, [1.12 * MS] * FEWEST_CALLS)
    assert not rows.differs("way", Estimate(-0.36, 0.3)), "one call may take anything"
    assert rows.tells_more("way", Estimate(-0.36, 0.3))
    assert not rows.tells_more("way", Estimate(0.1, 0.3)), "as behind barriers"
    assert not rows.tells_more("way", Estimate(-0.36, 0.001))
    assert not Rows().tells_more("way", Estimate(-0.36, 0.3))
