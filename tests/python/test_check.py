"""What `starling check` concludes from a profile, and what `starling compare` makes of times."""

from __future__ import annotations

import dataclasses
import io
import json
import math
import os
import re
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from starling.commands.cli import app
from starling.records import profile as profiles
from starling.records.history import Key, Known, Place
from starling.records.record import Candidate
from starling.tables import table as tables
from starling.verdicts.check import Check, as_json, check, render
from starling.verdicts.compare import CompareError, Comparison, compare

SAMPLE = Path(__file__).parents[1] / "knowledge/run-record.json"
LINE = ["mpirun", "-n", "4", "./app"]


def profile_of(
    folder: Path, *contexts: tuple[str, float, float | None], by_work: float | None = None
) -> profiles.Profile:
    """A profile of 10 s on 4 ranks: collective, seconds of a rank in the mean, and of these the waiting.

    `by_work` is the part of the waiting that is for unequal work, where that is known.
    """
    record = json.loads(SAMPLE.read_text())
    record["run"] |= {"ranks": 4, "nodes": 4, "ranks_per_node": 1, "seconds": 10.0}
    record["profile"] = {"order": [], "order_left_out": 0}
    like, record["contexts"] = record["contexts"][1], []
    for collective, seconds, waiting in contexts:
        all_ranks = {
            "communicators": 1,
            "ranks": 4,
            "rank_seconds": 4 * seconds,
            "slowest_rank": 1,
            "slowest_rank_seconds": seconds,
            "quickest_rank": 3,
            "quickest_rank_seconds": seconds,
            "waiting_rank_seconds": None if waiting is None else 4 * waiting,
            "unequal_work_rank_seconds": None if waiting is None or by_work is None else 4 * waiting * by_work,
            "sampled_calls": 10,
            "last": [{"rank": 2, "calls": 9}],
            "mean_bytes": None,
        }
        key = {"collective": collective, "bytes": 1024, "bucket": False, "ranks": 4, "nodes": 4, "ranks_per_node": 1}
        record["contexts"].append({**like, **key, "calls": 10, "operator_class": None, "profile": all_ranks})
    file = folder / "profile.json"
    file.write_text(json.dumps(record))
    return profiles.read(file)[0]


def candidate(name: str, seconds: float) -> Candidate:
    """One that all ranks agreed on."""
    times = {"median_s": seconds, "min_s": seconds, "agreed_s": seconds}
    return Candidate(name=name, parameters={}, samples=10, eligible=True, reason="", note="", **times)


def known(profile: profiles.Profile, ratio: float) -> Known:
    """Of the first context, `ring` takes `ratio` of native's time."""
    place, key = Place.of(profile.record.run), Key.of(profile.contexts[0].context)
    return Known(place, key, candidate("ring", 1e-3 * ratio), candidate("native", 1e-3), 1)


def table_with(folder: Path, gain: float, ranks: int = 4) -> tables.Table:
    """A table in which `bruck` is so many times as fast as native for every allgather of so many ranks."""
    choice = {"collective": "allgather", "ranks": ranks, "nodes": ranks, "ranks_per_node": 1}
    text = {
        "schema": "starling-table-1",
        "machine": "",
        "mpi_flavour": "openmpi",
        "mpi_version": "4.1.4",
        "made": {"when": "2026-01-01T00:00:00Z", "command": "", "starling": "0"},
        "choices": [{**choice, "intervals": [{"from": 0, "below": None, "way": "bruck", "gain": gain}]}],
    }
    file = folder / "table.json"
    file.write_text(json.dumps(text))
    return tables.read(file)


def test_what_is_no_waiting_is_the_most_that_can_be_saved(tmp_path: Path) -> None:
    found = check(profile_of(tmp_path, ("allgather", 4.0, 1.0), ("bcast", 1.0, None)), [], None)
    assert (found.collectives, found.waiting, found.known, found.unknown) == (5.0, 1.0, 0.0, 4.0)
    assert found.advice(LINE) == "starling compare -- mpirun -n 4 ./app"
    assert "less than 4.00 s (40.0 % of the run)" in found.prospect


def test_waiting_that_collectives_cause_may_be_saved(tmp_path: Path) -> None:
    found = check(profile_of(tmp_path, ("allgather", 4.0, 3.5), by_work=0.2), [], None)
    assert found.waiting == 3.5
    assert found.unequal_work == pytest.approx(0.7)
    assert found.unknown == pytest.approx(3.3)
    assert found.prospect == (
        "Starling could save less than 3.30 s (33.0 % of the run), which is all but waiting for unequal work"
    )
    assert found.advice(LINE) == "starling compare -- mpirun -n 4 ./app"
    console = Console(file=io.StringIO(), width=120, highlight=False)
    render(found, LINE, console)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert "  waiting, unequal work     700 ms   17.5 % of that: no algorithm shortens it\n" in text
    assert "  waiting, uneven ends      2.80 s   70.0 % of that: collectives let ranks go one by one\n" in text
    assert as_json(found, LINE)["unequal_work_s"] == pytest.approx(0.7)


def test_what_makes_the_figures_doubtful_is_said(tmp_path: Path) -> None:
    found = check(profile_of(tmp_path, ("allgather", 4.0, 3.5)), [], None)
    assert found.caution == ""

    def here(**run: Any) -> str:
        record = found.profile.record
        changed = record.model_copy(update={"run": record.run.model_copy(update=run)})
        return replace(found, profile=replace(found.profile, record=changed)).caution

    assert here(seconds=0.03) == "so short a run tells little: 30.0 ms; let it do more"
    crowded = "4 ranks on one node share its processors: most waiting is for one of these"
    assert here(nodes=1, shares_processors=True) == crowded
    assert here(nodes=1, shares_processors=False) == ""
    assert here(nodes=2, shares_processors=True) == "", "other nodes may not be so"


def test_that_waiting_is_an_estimate_is_said_where_few_calls_were_compared(tmp_path: Path) -> None:
    found = check(profile_of(tmp_path, ("allgather", 4.0, 3.5)), [], None)
    (one,) = found.profile.contexts

    def of(calls: int, sampled: int) -> str:
        context = one.context.model_copy(update={"calls": calls})
        changed = replace(one, context=context, all_ranks=one.all_ranks.model_copy(update={"sampled_calls": sampled}))
        return replace(found, profile=replace(found.profile, contexts=[changed])).estimate

    assert of(6400, 64) == ""
    assert of(20000, 40).startswith("the waiting is an estimate: most of it is by 40 of 20000 calls")


def test_of_a_single_rank_it_says_how_to_start_more(tmp_path: Path) -> None:
    profile = profile_of(tmp_path, ("allgather", 4.0, 1.0))
    run = profile.record.run.model_copy(update={"ranks": 1})
    alone = check(replace(profile, record=profile.record.model_copy(update={"run": run})), [], None)
    told = "it ran with one rank; a launcher goes before the program: starling check -- mpirun -n 4 ./app"
    assert (alone.advice(["./app"]), as_json(alone, ["./app"])["first"]) == (told, told)
    console = Console(file=StringIO(), width=200)
    render(alone, ["./app"], console)
    assert isinstance(console.file, StringIO)
    assert console.file.getvalue().splitlines()[1:] == [told]


def test_history_says_how_much_a_known_way_saves(tmp_path: Path) -> None:
    profile = profile_of(tmp_path, ("allgather", 4.0, 1.0), ("bcast", 1.0, None))
    found = check(profile, [known(profile, 0.5)], None)
    assert found.known == pytest.approx(1.5)
    assert found.unknown == pytest.approx(1.0)
    assert (found.gains[0].way, found.gains[0].source) == ("ring", "history")
    assert found.advice(LINE) == "starling run -- mpirun -n 4 ./app"


def test_a_slower_way_of_history_saves_nothing(tmp_path: Path) -> None:
    profile = profile_of(tmp_path, ("allgather", 4.0, 1.0))
    assert check(profile, [known(profile, 1.2)], None).known == 0


def test_a_program_that_nothing_makes_faster_is_told_where_its_time_goes(tmp_path: Path) -> None:
    profile = profile_of(tmp_path, ("allgather", 4.0, 1.0))
    found = check(profile, [known(profile, 1.2)], None)
    assert found.prospect == "nothing to save: no way that was measured here is faster by 1.0 % of the run"
    console = Console(file=io.StringIO(), width=120, highlight=False)
    render(found, LINE, console)
    assert isinstance(console.file, io.StringIO)
    assert re.search(
        r"^allgather .* 4\.00 s +25\.0 % +- +none is faster, history$", console.file.getvalue(), re.MULTILINE
    )


def test_a_rank_that_is_seldom_the_last_is_not_named(tmp_path: Path) -> None:
    profile = profile_of(tmp_path, ("allgather", 4.0, 3.9))
    context = profile.contexts[0]
    ranks = context.all_ranks.model_copy(update={"sampled_calls": 20})
    found = Check(dataclasses.replace(profile, contexts=[dataclasses.replace(context, all_ranks=ranks)]), [])
    assert found.late == []


def test_history_of_another_machine_says_nothing(tmp_path: Path) -> None:
    profile = profile_of(tmp_path, ("allgather", 4.0, 1.0))
    elsewhere = known(profile, 0.5)
    found = check(profile, [Known(Place("other", *elsewhere.place[1:]), *list(vars(elsewhere).values())[1:])], None)
    assert (found.known, found.unknown) == (0.0, 3.0)


def test_a_table_goes_before_history(tmp_path: Path) -> None:
    profile = profile_of(tmp_path, ("allgather", 4.0, 1.0))
    found = check(profile, [known(profile, 0.5)], table_with(tmp_path, 3.0))
    assert (found.gains[0].way, found.gains[0].source) == ("bruck", "table")
    assert found.known == pytest.approx(2.0)
    other = check(profile, [known(profile, 0.5)], table_with(tmp_path, 3.0, ranks=8))
    assert other.gains[0].source == "history"


def test_waiting_is_named_with_the_rank_that_comes_late(tmp_path: Path) -> None:
    found = check(profile_of(tmp_path, ("allgather", 4.0, 3.9)), [], None)
    assert found.advice(LINE) == (
        "balance the work of ranks: the others wait most for rank 2; no algorithm shortens that"
    )


def test_few_collectives_are_nothing_to_gain_from(tmp_path: Path) -> None:
    found = check(profile_of(tmp_path, ("allgather", 0.2, 0.0)), [], None)
    assert found.advice(LINE) == "nothing: collectives are 2.0 % of the run"


def test_json_has_the_same_figures(tmp_path: Path) -> None:
    found: Check = check(profile_of(tmp_path, ("allgather", 4.0, 1.0)), [], None)
    written: dict[str, Any] = as_json(found, LINE)
    assert (written["run_s"], written["collectives_s"], written["waiting_s"], written["at_most_s"]) == (10, 4, 1, 3)
    assert written["contexts"][0]["gain_s"] == 3


def test_a_ratio_has_a_margin_that_shrinks_with_runs() -> None:
    few = Comparison(LINE, [2.0, 2.2, 2.1], [1.0, 1.0, 1.0])
    many = Comparison(LINE, [2.0, 2.2, 2.1] * 4, [1.0] * 12)
    assert few.ratio == pytest.approx(math.prod([2.0, 2.2, 2.1]) ** (1 / 3))
    assert few.margin is not None
    assert many.margin is not None
    assert 0 < many.margin < few.margin
    assert "less of 2.10 s" in few.verdict


def test_a_difference_within_the_margin_is_none() -> None:
    assert "no difference that 3 pairs" in Comparison(LINE, [1.0, 1.2, 0.9], [1.1, 1.0, 1.0]).verdict
    assert Comparison(LINE, [1.0, 9.0], [9.0, 1.0]).verdict == (
        "tuned 1.00 times as fast: no difference that 2 pairs of runs can show, these differ too much"
    )
    assert "more of 1.00 s" in Comparison(LINE, [1.0, 1.0, 1.0], [1.1, 1.11, 1.1]).verdict
    assert Comparison(LINE, [1.0], [0.5]).margin is None


def test_runs_come_in_turn_and_the_other_first_in_every_second_pair(tmp_path: Path) -> None:
    log = tmp_path / "log"
    line = ["sh", "-c", f"echo ${{STARLING_EXPLAINED:+tuned}} >> {log}"]
    steps: list[tuple[int, str]] = []
    said: list[str] = []
    environ = {**os.environ, "STARLING_HISTORY": str(tmp_path / "history")}
    found = compare(line, ["--mpi", "openmpi"], 2, environ, said.append, lambda done, what: steps.append((done, what)))
    assert [what for _, what in steps] == ["native", "tuned", "tuned", "native"]
    assert [done for done, _ in steps] == [0, 1, 2, 3]
    assert log.read_text().split("\n")[:-1] == ["", "tuned", "tuned", ""], "a line of each run"
    assert all(one > 0 for one in (*found.native, *found.tuned))
    assert len(set(said)) == len(said)


def test_a_failing_program_ends_the_comparison_with_what_it_said() -> None:
    line = ["sh", "-c", "echo about to fail; exit 3"]
    with pytest.raises(CompareError, match="native run ended with exit status 3") as found:
        compare(line, [], 2, os.environ, print, lambda _done, _what: None)
    assert (found.value.status, found.value.said) == (3, ["about to fail"])


def test_a_missing_program_is_told() -> None:
    done = CliRunner().invoke(app, ["compare", "--runs", "1", "--", "no-such-launcher"])
    assert (done.exit_code, "not found" in done.stderr) == (127, True)


def test_wrong_settings_are_told_by_the_run() -> None:
    done = CliRunner().invoke(app, ["compare", "--runs", "1", "--strategy", "no-such", "--", sys.executable, "-c", ""])
    assert done.exit_code == 2
    assert "no-such" in done.stderr
