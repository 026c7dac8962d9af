"""What `starling report` shows of a record, and what it says of one that it cannot show."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from rich.console import Console

from starling import record as records
from starling.record import (
    Candidate,
    Context,
    Decision,
    LeftOut,
    Phase,
    Phases,
    RecordError,
    Run,
    RunRecord,
    latest,
    read,
)
from starling.report import human_bytes, human_seconds, render, summary

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "tests/knowledge/run-record.json"
SCHEMA = json.loads((ROOT / "python/starling/schemas/run-record-1.json").read_text())


def rendered(record: RunRecord, width: int = 160, rows: int | None = 20) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    render(record, console, rows=rows)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def sample(**changes: object) -> RunRecord:
    """The sample, of which nothing was left out."""
    data: dict[str, Any] = json.loads(SAMPLE.read_text())
    del data["left_out"]
    data.update(changes)
    return RunRecord.model_validate(data)


def measured(**samples: int) -> list[dict[str, Any]]:
    """The candidates of the sample with those numbers of samples."""
    candidates: list[dict[str, Any]] = json.loads(SAMPLE.read_text())["contexts"][0]["candidates"]
    return [{**one, "samples": samples.get(one["name"], 0)} for one in candidates]


def agreed(**seconds: float) -> list[dict[str, Any]]:
    """The candidates of the sample, all ranks of which found those times together."""
    candidates: list[dict[str, Any]] = json.loads(SAMPLE.read_text())["contexts"][0]["candidates"]
    return [{**one, "agreed_s": seconds.get(one["name"])} for one in candidates]


def context(**changes: object) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(SAMPLE.read_text())["contexts"][0]
    return {**data, **changes}


@pytest.mark.parametrize(
    ("model", "part"),
    [
        (Run, "$defs run"),
        (Context, "$defs context"),
        (Phases, "$defs context properties phases"),
        (Phase, "$defs phase"),
        (Candidate, "$defs candidate"),
        (Decision, "$defs decision"),
        (LeftOut, "properties left_out"),
        (RunRecord, ""),
    ],
)
def test_the_models_have_the_fields_of_the_schema(model: type[BaseModel], part: str) -> None:
    definition = SCHEMA
    for step in part.split():
        definition = definition[step]
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    assert set(fields) == set(definition["properties"])
    assert {name for name, field in fields.items() if field.is_required()} == set(definition["required"])


def row(record: RunRecord) -> list[str]:
    """The words of the row of the sample's bcast."""
    return next(line for line in rendered(record).splitlines() if line.startswith("bcast")).split()


def test_a_row_tells_what_ran_and_what_it_gained() -> None:
    ran = "bcast 64 KiB+ 6 700 monitor_adapt chain?segment=8192".split()
    found = sample(contexts=[context(candidates=agreed(native=9.3e-3, chain=3.1e-3))])
    assert row(found) == [*ran, *"3.10 ms 9.30 ms 3.00x 15.0 ms 50.0 us".split()]


def test_what_only_rank_0_saw_is_marked_and_explained() -> None:
    ran = "bcast 64 KiB+ 6 700 monitor_adapt chain?segment=8192".split()
    only_the_winner = sample(contexts=[context(slowest_seconds=None, slowest_tuning_seconds=None)])
    assert row(only_the_winner) == [*ran, *"12.5 us* 15.5 us* 1.24x* 12.5 ms* 30.0 us".split()]
    assert "*: as rank 0 saw it" in rendered(only_the_winner)
    assert "*: as rank 0" not in rendered(sample(contexts=[context(candidates=agreed(native=2e-5, chain=1e-5))]))
    assert "*" not in rendered(sample(contexts=[context(slowest_seconds=None, ranks=1)]))


def test_what_ranks_of_earlier_runs_found_together_counts_where_those_of_this_run_did_not() -> None:
    candidates = [{**one, "samples": 0, "median_s": None, "earlier_s": 2.6e-5} for one in agreed(chain=1.3e-5)[:1]]
    found = sample(contexts=[context(candidates=[*candidates, *agreed(chain=1.3e-5)[1:]])])
    assert row(found)[-9:-4] == "13.0 us 26.0 us 2.00x".split()
    assert found.contexts[0].saved == pytest.approx(680 * 13e-6 - 5e-5)


def test_a_winner_is_shown_by_all_ranks_where_native_never_ran() -> None:
    native = {**agreed()[0], "samples": 0, "median_s": None}
    found = sample(contexts=[context(native_s=None, candidates=[native, *agreed(chain=1.3e-5)[1:]])])
    assert row(found)[-8:] == "13.0 us - - 15.0 ms 50.0 us".split()


def test_what_is_in_the_call_key_tells_rows_apart() -> None:
    text = rendered(sample(contexts=[context(in_place=True, operator_class="non-commutative", bucket=False)]))
    assert "bcast (in place, non-commutative)  64 KiB  " in text
    assert "bcast (" not in rendered(sample(contexts=[context(operator_class="built-in", bucket=False)]))


def test_the_overheads_of_tuning_stand_with_the_decisions() -> None:
    assert (
        "rank 0 tried 20 calls, 340 us: 30.0 us above the winner's time, bookkeeping 1.00 us (0.29%); "
        "then 680 calls, 12.2 ms: bookkeeping 6.80 us (0.06%)"
    ) in rendered(sample())
    none = {"calls": 0, "seconds": 0.0, "bookkeeping_seconds": 0.0}
    untried = context(phases={"exploring": none, "settled": none})
    assert "tried" not in rendered(sample(contexts=[untried])), "a forced algorithm was not chosen among others"


def test_the_heaviest_context_stands_first() -> None:
    text = rendered(
        sample(
            contexts=[context(slowest_seconds=1.0, collective="one"), context(slowest_seconds=2.0, collective="two")]
        )
    )
    assert text.index("two") < text.index("one")


def test_decisions_come_with_their_reasons_and_the_times_of_the_others() -> None:
    text = rendered(sample())
    assert 'call 40: native -> chain?segment=8192: native took "long"' in text
    assert "3 earlier decisions: not in the record" in text
    assert "  all ranks: chain?segment=8192 13.0 us\n  rank 0: native 15.5 us\n" in text


def test_only_the_heaviest_rows_are_shown_unless_all_are_wanted() -> None:
    record = sample(contexts=[context(slowest_seconds=float(i), collective=f"coll{i}") for i in range(30)])
    assert "and 10 lighter ones: see them with --all" in rendered(record)
    assert "coll0 " not in rendered(record)
    assert "coll0 " in rendered(record, rows=None)


def test_the_summary_counts_only_contexts_whose_native_time_is_known() -> None:
    # 680 settled calls x (15.5 us - 12.5 us) - 50 us = 1.99 ms
    known = "saved against native 1.99 ms, what tuning cost counted; tuning cost 50.0 us"
    assert summary(sample()) == f"in collectives 15.0 ms; {known}"
    unknown = context(slowest_seconds=9.0, slowest_tuning_seconds=0.0, candidates=measured(native=0, chain=700))
    assert summary(sample(contexts=[context(), unknown, unknown])) == (
        f"in collectives 18.0 s; {known}; not counted: 2 contexts whose native time is not known "
        "(fewer than 5 calls of native or of the winner)"
    )
    assert "saved" not in summary(sample(contexts=[unknown]))
    assert "; not counted: 1 context whose native" in summary(sample(contexts=[unknown]))


@pytest.mark.parametrize(
    ("native", "chain", "saved"), [(4, 690, None), (10, 4, None), (5, 5, pytest.approx(680 * 3e-6 - 5e-5))]
)
def test_what_was_saved_is_known_from_five_calls_on(native: int, chain: int, saved: object) -> None:
    few = context(candidates=measured(native=native, chain=chain))
    assert sample(contexts=[few]).contexts[0].saved == saved


def test_a_long_first_call_is_no_loss_against_native() -> None:
    # What made the seconds of all calls a wrong measure: one disturbed call outweighs all others.
    assert sample(contexts=[context(slowest_seconds=100.0)]).contexts[0].saved == pytest.approx(680 * 3e-6 - 5e-5)


def test_what_was_saved_is_by_the_slowest_rank_where_all_found_it() -> None:
    # The root of a bcast saw 12.5 us, and tuning cost it 30 us.
    found = sample(contexts=[context(candidates=agreed(native=9.3e-3, chain=3.1e-3))])
    assert found.contexts[0].saved == pytest.approx(680 * 6.2e-3 - 5e-5)


def test_contexts_of_which_only_sums_are_known_count_in_the_totals() -> None:
    sums = {"contexts": 2, "calls": 9, "seconds": 1.0, "tuning_seconds": 0.25, "slowest_seconds": 4.0}
    text = summary(sample(left_out=sums))
    assert text.startswith("in collectives 4.01 s; ")
    assert text.endswith("; tuning cost 250 ms; of 2 contexts only these sums are known")


def test_candidates_that_are_not_in_the_record_are_counted() -> None:
    assert "5 more candidates are not in the record" in rendered(sample(contexts=[context(candidates_left_out=5)]))


def test_where_native_won_only_tuning_was_lost() -> None:
    record = sample(contexts=[context(winner="native", slowest_tuning_seconds=0.5)])
    assert record.contexts[0].saved == -0.5
    assert "lost against native 500 ms, what tuning cost counted; tuning cost 500 ms" in summary(record)


def test_a_gain_below_1_is_explained() -> None:
    slow = context(candidates=agreed(native=1.0e-5, chain=1.25e-5))
    assert "0.80x" in rendered(sample(contexts=[slow]))
    assert "A gain below 1 is no mistake" in rendered(sample(contexts=[slow]))
    assert "A gain below 1" not in rendered(sample())


def test_all_of_it_has_every_decision_and_the_meaning_of_the_stages() -> None:
    many = [{"call": i, "from": None, "to": "native", "why": f"reason {i}."} for i in range(9)]
    record = sample(contexts=[context(decisions=many, decisions_dropped=2, collective=f"coll{i}") for i in range(5)])
    text = rendered(record)
    assert "5 earlier decisions: see them with --all" in text
    assert "2 earlier decisions: not in the record" in text
    assert "reason 0." not in text
    assert "monitor_adapt: " not in text
    text = rendered(record, rows=None)
    assert text.count("reason 0.") == 5
    assert "see them with" not in text
    assert "monitor_adapt: the fastest is used, and watched" in text


def test_one_rank_is_no_ranks() -> None:
    text = rendered(sample(run=json.loads(SAMPLE.read_text())["run"] | {"ranks": 1}, contexts=[context(ranks=1)]))
    assert ": 1 rank on " in text
    assert "bcast, 64 KiB+, 1 rank\n" in text


def test_where_only_native_ran_nothing_was_saved_or_lost() -> None:
    native = [candidate for candidate in context()["candidates"] if candidate["name"] == "native"]
    assert (
        RunRecord.model_validate(
            json.loads(SAMPLE.read_text()) | {"contexts": [context(candidates=native, winner="native")]}
        )
        .contexts[0]
        .saved
        == 0
    )


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_a_narrow_terminal_keeps_the_columns_that_matter_and_no_line_too_long(width: int) -> None:
    text = rendered(sample(), width)
    assert max(map(len, text.splitlines())) <= width
    for title in ("collective", "bytes", "gain", "time"):
        assert title in text
    assert "stage" not in text


def test_a_run_without_collectives_says_so() -> None:
    assert "no collective was called" in rendered(sample(contexts=[]))


def test_brackets_in_names_are_no_markup() -> None:
    assert "./app[bold]" in rendered(sample(run=json.loads(SAMPLE.read_text())["run"] | {"program": "./app[bold]"}))


@pytest.mark.parametrize(
    ("number", "text"),
    [(None, "-"), (0, "0 B"), (8, "8 B"), (65536, "64 KiB"), (1536 * 1024, "1.5 MiB"), (2**50, "1.049e+06 GiB")],
)
def test_bytes_for_people(number: int | None, text: str) -> None:
    assert human_bytes(number) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (None, "-"),
        (0.0, "0 s"),
        (3.2e-8, "32 ns"),
        (3.214e-6, "3.21 us"),
        (0.012, "12.0 ms"),
        (1.5, "1.50 s"),
        (123.4, "123 s"),
        (-0.002, "-2.00 ms"),
    ],
)
def test_seconds_for_people(number: float | None, text: str) -> None:
    assert human_seconds(number) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (SAMPLE.read_text()[:700], "cut short"),
        ("", "cut short"),
        ("hello", "not JSON"),
        ("[]", "no `schema`"),
        ("{}", "no `schema`"),
        ('{"schema": 2}', "record of schema 2, this starling reads 1"),
        ('{"schema": 1, "run": {}, "contexts": []}', "not a whole run record, run.program is missing"),
    ],
)
def test_a_record_that_cannot_be_read_is_one_line_with_the_reason(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(RecordError, match=r"^[^\n]*$") as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:")
    assert reason in str(caught.value)


def test_every_cut_of_a_record_is_told_as_an_error(tmp_path: Path) -> None:
    whole = SAMPLE.read_bytes().rstrip()
    path = tmp_path / "r.json"
    for length in range(0, len(whole), 37):
        path.write_bytes(whole[:length])
        with pytest.raises(RecordError):
            read(path)


def test_the_last_record_is_the_one_with_the_latest_time_in_its_name(tmp_path: Path) -> None:
    for name in ("20260101T000002-a-9.json", "20260101T000001-b-1.json", "20251231T235959-c-7.json", "20270101.tmp"):
        (tmp_path / name).touch()
    assert latest(tmp_path).name == "20260101T000002-a-9.json"


def test_a_merged_record_is_not_the_last_run(tmp_path: Path) -> None:
    run = tmp_path / "20260101T000002-a-9.json"
    for path in (run, tmp_path / "merged-20260101T000003-a-9.json"):
        path.write_text(SAMPLE.read_text())
    assert latest(tmp_path) == run
    assert records.listed(tmp_path) == f"records in {tmp_path}: {run.name}"
    run.unlink()
    with pytest.raises(RecordError, match="no record yet"):
        latest(tmp_path)


def test_a_merged_record_that_is_named_is_shown() -> None:
    names = ["20260101T000001-a-1.json", "merged-20260101T000001-a-1.json", "20260101T000002-a-1.json"]
    merged = sample(merged=names, run=json.loads(SAMPLE.read_text())["run"] | {"program": "", "strategy": ""})
    assert rendered(merged).startswith("2 runs, merged: 6 ranks on 2 nodes, Open MPI 4.1.4, 1.50 s from ")


@pytest.mark.parametrize("history", [None, Path("/nonexistent/history")])
def test_without_records_one_is_told_how_to_make_or_name_one(history: Path | None) -> None:
    with pytest.raises(RecordError, match="starling"):
        records.latest(history)
