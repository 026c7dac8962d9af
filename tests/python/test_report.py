"""What `starling report` shows of a record, and its errors for one that it cannot show."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from rich.console import Console

from starling.algorithms import repository
from starling.records import record as records
from starling.records.record import (
    Candidate,
    Context,
    Decision,
    LeftOut,
    Phase,
    Phases,
    RecordError,
    Run,
    RunRecord,
    Unknown,
    latest,
    read,
)
from starling.records.report import LEARNING, STAGES, render, summary, verdict, waiting
from starling.terminal.figures import human_bytes, human_seconds

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "tests/knowledge/run-record.json"
SCHEMA = json.loads((ROOT / "python/starling/schemas/run-record-1.json").read_text())


def test_every_stage_of_a_strategy_has_words() -> None:
    stages = [stage for one in repository.listing()["strategies"] for stage in one["stages"]]
    assert {one["name"] for one in stages} == set(STAGES)
    assert {one["name"] for one in stages if one["learning"]} == LEARNING


def rendered(record: RunRecord, width: int = 160, rows: int | None = 20) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    render(record, console, rows=rows)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def sample(**changes: object) -> RunRecord:
    """The sample, with nothing left out."""
    data: dict[str, Any] = json.loads(SAMPLE.read_text())
    del data["left_out"]
    data.update(changes)
    return RunRecord.model_validate(data)


def long(record: RunRecord) -> RunRecord:
    """The record of a run of 500 s, of a network that was known."""
    return record.model_copy(
        update={
            "run": record.run.model_copy(
                update={"seconds": 500.0, "probe_s": None, "own_s": None, "shares_processors": False}
            )
        }
    )


def measured(**samples: int) -> list[dict[str, Any]]:
    """The candidates of the sample with those numbers of samples."""
    candidates: list[dict[str, Any]] = json.loads(SAMPLE.read_text())["contexts"][0]["candidates"]
    return [{**one, "samples": samples.get(one["name"], 0)} for one in candidates]


def agreed(**seconds: float) -> list[dict[str, Any]]:
    """The candidates of the sample with these agreed times."""
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
    assert set(fields) == {name for name, one in definition["properties"].items() if not one.get("deprecated")}
    assert {name for name, field in fields.items() if field.is_required()} == set(definition["required"])


def waited(*contexts: dict[str, Any]) -> RunRecord:
    return long(sample(contexts=[{**one, "slowest_seconds": 2.0} for one in contexts]))


def arrivals(fastest: float, last: dict[int, int]) -> dict[str, Any]:
    found = [{"rank": rank, "calls": calls} for rank, calls in last.items()]
    return {"calls": 8, "slowest_s": 1e-2, "mean_s": 5e-3, "fastest_s": fastest, "last": found}


def test_waiting_is_told_apart_from_transfer() -> None:
    one_is_late = waited(context(arrivals=arrivals(1e-3, {3: 7, 1: 1})))
    assert waiting(one_is_late) == (
        "About 1.80 s of the 2.00 s in collectives were waiting for late ranks (starling check says why they are "
        "late). Rank 3 came last most often: 88% of the waiting was for it."
    )
    assert "transfer 1.00 ms, with waiting 5.00 ms in the mean and 10.0 ms at most, in 8 compared" in rendered(
        one_is_late
    )
    many_are = waited(context(arrivals=arrivals(1e-3, {3: 3, 1: 3, 2: 2})))
    assert waiting(many_are).endswith("Different ranks came last.")
    half = waited(context(arrivals=arrivals(1e-3, {3: 7})), context(arrivals=None))
    assert waiting(half).startswith("About 1.80 s of the 4.00 s")


def test_nobody_is_late_where_ranks_share_processors() -> None:
    late = waited(context(arrivals=arrivals(1e-3, {3: 7, 1: 1})))
    crowded = late.model_copy(update={"run": late.run.model_copy(update={"shares_processors": True})})
    crowded = crowded.model_copy(update={"run": crowded.run.model_copy(update={"nodes": 1})})
    assert "share processors 1.00 ms at least, 5.00 ms in the mean" in rendered(crowded)
    assert "came" not in rendered(crowded)
    assert waiting(crowded) == (
        "About 1.80 s of the 2.00 s in collectives were waiting for a processor or for late ranks: ranks share "
        "processors."
    )


def test_little_waiting_is_not_told() -> None:
    for record in (waited(context(arrivals=arrivals(9e-3, {3: 7}))), waited(context(arrivals=None))):
        assert waiting(record) == ""
        assert "transfer" not in rendered(record)


def row(record: RunRecord) -> list[str]:
    """The words of the row of the sample's bcast."""
    return next(line for line in rendered(record).splitlines() if line.startswith("bcast")).split()


def test_a_row_tells_what_ran_and_what_it_gained() -> None:
    ran = "bcast 64 KiB+ 6 700 monitor_adapt chain?segment=8192".split()
    found = sample(contexts=[context(candidates=agreed(native=1.2e-3, chain=4e-4))])
    assert row(found) == [*ran, *"400 us 1.20 ms 3.00x 15.0 ms 50.0 us".split()]


def test_what_only_rank_0_saw_is_marked_and_explained() -> None:
    ran = "bcast 64 KiB+ 6 700 monitor_adapt chain?segment=8192".split()
    only_the_winner = sample(contexts=[context(slowest_seconds=None, slowest_tuning_seconds=None)])
    assert row(only_the_winner) == [*ran, *"12.5 us* 15.5 us* 1.24x* 12.5 ms* 30.0 us".split()]
    assert "*: rank 0's time" in rendered(only_the_winner)
    assert "*: rank 0's time" not in rendered(sample(contexts=[context(candidates=agreed(native=2e-5, chain=1e-5))]))
    assert "*" not in rendered(sample(contexts=[context(slowest_seconds=None, ranks=1)]))


def test_agreed_times_of_earlier_runs_count_where_this_run_has_none() -> None:
    candidates = [{**one, "samples": 0, "median_s": None, "earlier_s": 2.6e-5} for one in agreed(chain=1.3e-5)[:1]]
    found = sample(contexts=[context(candidates=[*candidates, *agreed(chain=1.3e-5)[1:]])])
    assert row(found)[-9:-4] == "13.0 us 26.0 us 2.00x".split()


def test_a_winner_is_shown_by_all_ranks_where_native_never_ran() -> None:
    native = {**agreed()[0], "samples": 0, "median_s": None}
    found = sample(contexts=[context(native_s=None, candidates=[native, *agreed(chain=1.3e-5)[1:]])])
    assert row(found)[-8:] == "13.0 us - - 15.0 ms 50.0 us".split()


def test_rows_show_what_is_in_the_call_key() -> None:
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


def test_what_setting_up_took_stands_with_the_decisions() -> None:
    candidates = context()["candidates"]
    assert "setting up" not in rendered(sample())
    candidates[1]["setup_s"] = 1.5e-3
    assert "setting up 1.50 ms for chain?segment=8192" in rendered(sample(contexts=[context(candidates=candidates)]))
    candidates[0]["setup_s"] = 0.5e-3
    text = rendered(sample(contexts=[context(candidates=candidates)]))
    assert "setting up 2.00 ms, most of it for chain?segment=8192: 1.50 ms" in text


def test_what_candidates_had_to_do_without_stands_with_the_decisions() -> None:
    candidates = context()["candidates"]
    candidates[1]["note"] = "has no magic"
    assert "chain?segment=8192: has no magic" in rendered(sample(contexts=[context(candidates=candidates)]))
    candidates[0]["note"] = candidates[1]["note"]
    assert "native, chain?segment=8192: has no magic" in rendered(sample(contexts=[context(candidates=candidates)]))


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


def test_a_long_reason_ends_between_two_figures_unless_all_is_wanted() -> None:
    why = ", ".join(f"ring?segment={size} takes {size} ms" for size in range(1000, 1020))
    record = sample(contexts=[context(decisions=[{"call": 1, "from": None, "to": "ring", "why": why}])])
    shown = next(line for line in rendered(record, width=900).splitlines() if "call 1:" in line)
    assert re.search(r"takes \d{4} ms, \.\.\. \(--all\)$", shown)
    assert why in rendered(record, width=900, rows=None)


def test_only_the_heaviest_rows_are_shown_unless_all_are_wanted() -> None:
    record = sample(contexts=[context(slowest_seconds=float(i), collective=f"coll{i}") for i in range(30)])
    assert "and 10 lighter ones: see them with --all" in rendered(record)
    assert "coll0 " not in rendered(record)
    assert "coll0 " in rendered(record, rows=None)


def test_the_summary_counts_only_contexts_whose_native_time_is_known() -> None:
    # 690 calls x (31.5 us - 13 us) - 7.8 us = 12.8 ms
    known = context(candidates=agreed(native=3.15e-5, chain=1.3e-5), arrivals=None)
    told = "saved against native 12.8 ms, after the cost of tuning; tuning cost 50.0 us"
    assert summary(long(sample(contexts=[known]))) == f"in collectives 15.0 ms; {told}"
    unknown = context(slowest_seconds=9.0, slowest_tuning_seconds=0.0, candidates=measured(native=0, chain=700))
    left = "whose time with native is not known"
    short = {**unknown, "slowest_seconds": 5e-3}
    assert summary(long(sample(contexts=[known, short, short]))) == (
        f"in collectives 25.0 ms; {told}; not counted as saved or lost: 1400 calls, 10.0 ms, {left}"
    )
    assert summary(long(sample(contexts=[known, unknown]))) == (
        f"in collectives 9.02 s; tuning cost 50.0 us; not counted as saved or lost: 700 calls, 9.00 s, {left}"
    )
    assert summary(long(sample(contexts=[unknown]))) == (
        f"in collectives 9.00 s; tuning cost 0 s; not counted as saved or lost: 700 calls, 9.00 s, {left}"
    )
    hardly = context(calls=1, slowest_seconds=1e-4, slowest_tuning_seconds=0.0, candidates=measured(chain=1))
    assert summary(long(sample(contexts=[known, hardly]))) == f"in collectives 15.1 ms; {told}"


def of_run(contexts: list[Context], history: str = "/h") -> RunRecord:
    """500 s with these contexts, of a network that was known."""
    record = long(sample())
    run = record.run.model_copy(update={"settings": {"history": history}})
    return record.model_copy(update={"contexts": contexts, "left_out": None, "run": run})


def test_communicators_that_call_at_the_same_time_save_no_more_than_their_ranks() -> None:
    part = by_hand(ALL_RANKS)
    whole = of_run([part])
    run = whole.run.model_copy(update={"ranks": 4 * part.ranks})
    quarter = verdict(whole.model_copy(update={"run": run}))
    assert verdict(whole).startswith("Saved 24.2 s against native")
    assert quarter.startswith("Saved 6.06 s against native, with which the run would have taken 506 s instead of 500 s")


def test_the_verdict_tells_what_was_gained_what_it_cost_and_what_comes_next() -> None:
    gained = by_hand(ALL_RANKS)
    assert verdict(of_run([gained])) == (
        "Saved 24.2 s against native, with which the run would have taken 524 s instead of 500 s; trying cost 25.0 s. "
        "The next run starts from what was learnt."
    )
    lost = losing(slowest_seconds=120.0, stage="learning")
    assert verdict(of_run([lost], history="off")) == (
        "Lost 20.8 s against native, 4.2% of the run; trying cost 25.0 s. "
        "1 context of 1 still learning: the next run goes on from here, if it has a history."
    )


def test_the_verdict_claims_nothing_where_native_was_not_measured() -> None:
    assert verdict(of_run([by_hand(FEW)])) == (
        "What was saved is not known: native was not measured where 100% of the time in collectives went; "
        "trying cost 25.0 s. The next run starts from what was learnt."
    )
    assert verdict(of_run([by_hand(ALL_RANKS), by_hand(FEW, slowest_seconds=9.0)])).startswith("Saved 24.2 s against")
    assert "in earlier runs" not in verdict(of_run([by_hand(ALL_RANKS)]))
    assert verdict(of_run([by_hand(EARLIER)])).startswith(
        "Saved 74.2 s against native, with which the run would have taken 574 s instead of 500 s, "
        "by native's times in earlier runs; trying"
    )


def test_the_verdict_of_a_run_that_was_native_claims_no_savings() -> None:
    only = candidate("native", 100, median_s=0.75, min_s=0.5, agreed_s=1.0)
    assert verdict(of_run([by_hand(only, winner="native", stage="native", candidates=[only])])) == (
        "All calls were left to the MPI library; Starling took 750 ms of the run."
    )


def test_measuring_the_network_is_no_gain() -> None:
    record = of_run([by_hand(ALL_RANKS)])
    probed = record.model_copy(update={"run": record.run.model_copy(update={"probe_s": 30.0})})
    assert verdict(probed).startswith("Lost 5.75 s against native, 1.1% of the run")
    assert "; lost against native 5.75 s" in summary(probed)
    started = record.model_copy(update={"run": record.run.model_copy(update={"probe_s": 20.0, "own_s": 10.0})})
    assert verdict(started) == verdict(probed)
    assert summary(started) == summary(probed)


def test_collectives_take_no_longer_than_the_run() -> None:
    # The slowest rank of a call is not always the same.
    late = arrivals(1e-3, {3: 7})
    record = long(sample(contexts=[context(arrivals=late, slowest_seconds=9000.0)]))
    assert waiting(record).startswith("About 450 s of the 500 s in collectives")
    assert summary(of_run([by_hand(ALL_RANKS, slowest_seconds=1000.0)])).startswith("in collectives 500 s; ")


def test_the_verdict_stands_above_the_table() -> None:
    text = rendered(of_run([by_hand(ALL_RANKS)]))
    assert text.index("Saved 24.2 s") < text.index("collective")


def phases(exploring: tuple[int, float, float], settled: tuple[int, float, float]) -> dict[str, Any]:
    """Calls, seconds and seconds of bookkeeping of both."""
    named = ("calls", "seconds", "bookkeeping_seconds")
    return {
        "exploring": dict(zip(named, exploring, strict=True)),
        "settled": dict(zip(named, settled, strict=True)),
    }


def candidate(name: str, samples: int, **seconds: float | None) -> dict[str, Any]:
    times = {"median_s": None, "min_s": None, "agreed_s": None, "earlier_s": None}
    return {"name": name, "parameters": {}, "samples": samples, "eligible": True, "reason": "", **times, **seconds}


def by_hand(native: dict[str, Any], **changes: object) -> Context:
    """100 calls: native 10 times, slow 10 times, and ring, which won; 0.75 s of bookkeeping."""
    ring = candidate("ring", 80, median_s=0.5, min_s=0.25, agreed_s=0.5)
    slow = candidate("slow", 10, median_s=2.0, min_s=2.0, agreed_s=2.5)
    data: dict[str, Any] = {
        "collective": "allgather",
        "bytes": 1024,
        "bucket": False,
        "calls": 100,
        "winner": "ring",
        "native_s": native["median_s"],
        "seconds": 60.0,
        "tuning_seconds": 20.0,
        "slowest_seconds": 75.0,
        "slowest_tuning_seconds": 25.0,
        "phases": phases((30, 30.0, 0.5), (70, 30.0, 0.25)),
        "candidates": [native, ring, slow],
        "arrivals": None,
    }
    return Context.model_validate(context(**{**data, **changes}))


def losing(**changes: object) -> Context:
    """The same, but ring takes longer than native's second."""
    ring = candidate("ring", 90, median_s=1.5, min_s=0.25, agreed_s=1.5)
    return by_hand(ALL_RANKS, **{"candidates": [ALL_RANKS, ring], **changes})


ALL_RANKS = candidate("native", 10, median_s=0.75, min_s=0.5, agreed_s=1.0)
RANK_0 = candidate("native", 10, median_s=0.75, min_s=0.5)
EARLIER = candidate("native", 0, earlier_s=1.5)
FEW = candidate("native", 4, median_s=1.0, min_s=0.5, agreed_s=1.0)


@pytest.mark.parametrize(
    ("found", "saved"),
    [
        pytest.param(by_hand(ALL_RANKS), 100 * 1.0 - 75 - 0.75, id="by the slowest rank"),
        pytest.param(by_hand(RANK_0, slowest_seconds=None), 100 * 0.75 - 60 - 0.75, id="by rank 0"),
        pytest.param(by_hand(EARLIER), 100 * 1.5 - 75 - 0.75, id="by earlier runs"),
        pytest.param(losing(slowest_seconds=120.0), 100 - 120 - 0.75, id="a loss"),
        pytest.param(by_hand(candidate("native", 0)), None, id="native never ran"),
        pytest.param(by_hand(FEW), None, id="native hardly ran"),
        pytest.param(by_hand(ALL_RANKS, slowest_seconds=None, seconds=None), None, id="seconds that are no number"),
    ],
)
def test_saved_is_what_all_calls_would_have_taken_natively_less_what_they_took(
    found: Context, saved: float | None
) -> None:
    assert found.saved == (None if saved is None else pytest.approx(saved))


def disturbed(*, native: float, ring: float, seconds: float, **changes: object) -> Context:
    """1000 calls on a busy machine, of which rank 0 knows the typical times: 20 were native, 980 ring."""
    candidates = [candidate("native", 20, median_s=native), candidate("ring", 980, median_s=ring)]
    data: dict[str, object] = {
        "calls": 1000,
        "candidates": candidates,
        "seconds": seconds,
        "tuning_seconds": 0.0,
        "slowest_seconds": 1.25 * seconds,
        "slowest_tuning_seconds": 0.0,
        "phases": phases((0, 0.0, 0.0), (1000, seconds, 0.25)),
    }
    return by_hand(candidates[0], **{**data, **changes})


def test_delays_that_native_would_have_had_too_are_no_loss() -> None:
    # Typical calls take 31 ms, and by native 50 ms; but a few took so long that the mean is above native's median.
    found = disturbed(native=0.05, ring=0.03125, seconds=90.0)
    assert found.delays == pytest.approx(90 - 980 * 0.03125 - 20 * 0.05)
    assert found.saved == pytest.approx(980 * (0.05 - 0.03125) - 0.25)
    assert found.compared.gain == pytest.approx(1.6)
    assert verdict(of_run([found])).startswith(
        "Saved 18.1 s against native, with which the run would have taken 518 s instead of 500 s, "
        "by typical calls; 58.4 s of delays count neither as saved nor as lost; trying cost 0 s"
    )


def test_a_way_that_is_slower_is_a_loss_with_delays_and_without() -> None:
    for seconds in (63.0, 600.0):
        found = disturbed(native=0.05, ring=0.0625, seconds=seconds)
        assert found.saved == pytest.approx(1000 * (0.05 - 0.0625) - 0.25)
        assert verdict(of_run([found])).startswith("Lost 12.8 s against native, 2.5% of the run")


def test_calls_shorter_than_the_latest_typical_ones_count_as_they_were() -> None:
    found = disturbed(native=0.05, ring=0.0625, seconds=40.0)
    assert found.saved == pytest.approx(1000 * 0.05 - 40 - 0.25)
    assert found.delays == 0.0


def test_trying_counts_in_full_in_spite_of_delays() -> None:
    tried = {"tuning_seconds": 10.0, "phases": phases((100, 30.0, 0.0), (900, 60.0, 0.25))}
    found = disturbed(native=0.05, ring=0.03125, seconds=90.0, **tried)
    assert found.saved == pytest.approx(1000 * (0.05 - 0.03125) - 10 - 0.25)
    found = disturbed(native=0.05, ring=0.03125, seconds=90.0, **{**tried, "tuning_seconds": 50.0})
    assert verdict(of_run([found])).startswith("Lost 31.5 s against native")


def test_a_loss_by_trying_that_delays_may_explain_is_not_claimed() -> None:
    found = disturbed(native=0.05, ring=0.03125, seconds=90.0, tuning_seconds=25.0)
    assert found.savings is Unknown.DELAYS, "6.5 s, and 33.75 s of delays"


def test_a_trial_whose_time_is_not_known_costs_what_trying_cost() -> None:
    candidates = [
        candidate("native", 20, median_s=0.05, agreed_s=0.05),
        candidate("ring", 970, median_s=0.03125, agreed_s=0.03125),
        candidate("slow", 10, median_s=1.0),
    ]
    found = disturbed(
        native=0.05,
        ring=0.03125,
        seconds=90.0,
        candidates=candidates,
        slowest_seconds=90.0,
        slowest_tuning_seconds=10.0,
    )
    assert found.saved == pytest.approx(1000 * (0.05 - 0.03125) - 10 - 0.25)


def test_nothing_is_claimed_where_delays_hide_what_typical_calls_saved() -> None:
    found = disturbed(native=0.05, ring=0.03125, seconds=300.0)
    assert found.savings is Unknown.DELAYS
    told = "What was saved is not known: delays of calls hide it where 100% of the"
    assert verdict(of_run([found])).startswith(told)
    assert ", in which delays hide it" in summary(of_run([found]))


def test_nothing_is_claimed_for_others_where_native_won_though_their_typical_calls_are_shorter() -> None:
    # As where native was chosen by means: then the delays may be those of the other way.
    candidates = [candidate("native", 100, median_s=0.05), candidate("ring", 900, median_s=0.03125)]
    for seconds, saved in ((90.0, 0.0), (35.0, 50.0 - 35.0)):
        found = disturbed(native=0.05, ring=0.03125, seconds=seconds, candidates=candidates, winner="native")
        assert found.saved == pytest.approx(saved - 0.25)


def test_calls_of_native_that_were_all_delayed_are_no_gain() -> None:
    # As where each of them waited until a rank had a processor again.
    assert disturbed(native=0.08, ring=5e-6, seconds=2.0).savings is Unknown.DELAYS
    assert disturbed(native=0.004, ring=5e-6, seconds=2.0).saved == pytest.approx(980 * (0.004 - 5e-6) - 0.25)


def all_ranks(native: dict[str, Any], ring: dict[str, Any], seconds: float, **changes: object) -> Context:
    """Calls of which all ranks know the times, without bookkeeping."""
    data: dict[str, object] = {
        "calls": native["samples"] + ring["samples"],
        "candidates": [native, ring],
        "seconds": seconds,
        "slowest_seconds": seconds,
        "tuning_seconds": 0.0,
        "slowest_tuning_seconds": 0.0,
        "phases": phases((0, 0.0, 0.0), (native["samples"] + ring["samples"], seconds, 0.0)),
    }
    return by_hand(native, **{**data, **changes})


def test_native_calls_took_no_longer_than_all_calls() -> None:
    # The latest of native's calls were disturbed; nearly all calls were native's.
    native = candidate("native", 11400, median_s=0.012, min_s=2e-6, agreed_s=0.016)
    ring = candidate("ring", 600, median_s=2e-5, min_s=3e-6, agreed_s=3e-5)
    found = all_ranks(native, ring, 10.5)
    assert 0 < (found.saved or 0) < 600 * 0.001
    line = next(one for one in rendered(of_run([found])).splitlines() if one.startswith("allgather"))
    assert re.search(r"\dx", line) is None, "no gain by such a time"


def test_a_few_calls_of_native_prove_no_gain_of_an_order_of_magnitude() -> None:
    ring = candidate("ring", 1490, median_s=5e-5, min_s=4e-5, agreed_s=6e-5)

    def saved(**native: float) -> float | None:
        few = candidate("native", 10, median_s=0.011, min_s=0.009, agreed_s=0.011, **native)
        return all_ranks(few, ring, 0.3).saved

    assert saved() is None
    assert saved(earlier_s=0.01) == pytest.approx(1490 * (0.011 - 6e-5), rel=0.02), "earlier runs say so too"
    many = candidate("native", 40, median_s=0.011, min_s=0.009, agreed_s=0.011)
    assert all_ranks(many, ring, 0.6).saved == pytest.approx(1490 * (0.011 - 6e-5), rel=0.02)
    few = candidate("native", 10, median_s=0.011, min_s=0.009, agreed_s=0.011)
    data = of_run([all_ranks(few, ring, 0.3)]).model_dump(by_alias=True)
    in_crowd = RunRecord.model_validate({**data, "run": {**data["run"], "shares_processors": True}})
    assert (in_crowd.contexts[0].saved or 0) > 10, "there a call takes as long as getting a processor"


def test_a_gain_is_counted_by_the_shorter_time_of_native_where_earlier_runs_differ() -> None:
    native = candidate("native", 30, median_s=0.2, min_s=0.04, agreed_s=0.21, earlier_s=0.08)
    ring = candidate("ring", 970, median_s=0.03, min_s=0.03, agreed_s=0.03)
    assert all_ranks(native, ring, 40.0).saved == pytest.approx(970 * (0.08 - 0.03))
    faster = candidate("native", 30, median_s=0.2, min_s=0.02, agreed_s=0.21, earlier_s=0.02)
    assert all_ranks(faster, ring, 40.0).savings is Unknown.DELAYS, "a gain by one, a loss by the other"


def test_a_trial_without_an_agreed_time_does_not_turn_waiting_into_a_loss() -> None:
    in_turn = {"calls": 8, "slowest_s": 3e-4, "mean_s": 2e-4, "fastest_s": 1e-4, "last": []}
    native = candidate("native", 9000, median_s=1e-4, min_s=1e-4, agreed_s=1e-4)
    ring = candidate("ring", 990, median_s=1e-4, min_s=1e-4, agreed_s=1e-4)
    for tried, saved in ((10, pytest.approx(0.0, abs=0.05)), (1000, None)):
        other = candidate("shared", tried, median_s=1e-4, min_s=1e-4)
        found = all_ranks(native, ring, 3.0, candidates=[native, ring, other], calls=9990 + tried, arrivals=in_turn)
        assert found.saved == saved


def test_nothing_is_known_of_native_by_a_few_calls_however_long_they_were() -> None:
    candidates = [candidate("native", 4, median_s=9.0), candidate("ring", 996, median_s=0.03125)]
    assert disturbed(native=9.0, ring=0.03125, seconds=90.0, candidates=candidates).savings is Unknown.NATIVE


def test_a_sum_of_losses_and_savings_is_that_of_the_contexts() -> None:
    contexts = [by_hand(ALL_RANKS), losing(slowest_seconds=150.0)]
    text = summary(of_run(contexts))
    assert text == "in collectives 225 s; lost against native 26.5 s, after the cost of tuning; tuning cost 50.0 s"


def test_calls_that_native_made_save_and_lose_nothing() -> None:
    # One of them may have been delayed, as it would have been without Starling.
    most = candidate("native", 80, median_s=0.75, min_s=0.5, agreed_s=1.0)
    others = [candidate(name, 10, median_s=2.0, min_s=2.0, agreed_s=2.0) for name in ("ring", "slow")]
    found = by_hand(most, winner="native", slowest_seconds=500.0, candidates=[most, *others])
    assert found.saved == pytest.approx(-25 - 0.75)
    only = candidate("native", 100, median_s=0.75, min_s=0.5, agreed_s=1.0)
    assert by_hand(only, winner="native", candidates=[only]).saved == pytest.approx(-0.75)


def test_waiting_for_late_ranks_is_no_loss() -> None:
    # Every call waits 4 s for a rank; without that native takes 0.25 s and ring 0.125 s, as all ranks agreed.
    native = candidate("native", 20, median_s=4.25, min_s=4.0, agreed_s=0.25)
    ring = candidate("ring", 80, median_s=4.125, min_s=4.0, agreed_s=0.125)
    found = by_hand(native, slowest_seconds=415.0, candidates=[native, ring])
    assert found.saved == pytest.approx(100 * 0.25 - (20 * 0.25 + 80 * 0.125) - 0.75)


def test_waiting_is_why_nothing_is_known_where_a_candidates_time_without_it_is_not() -> None:
    native = candidate("native", 20, median_s=4.25, min_s=4.0, agreed_s=0.25)
    ring = candidate("ring", 70, median_s=4.125, min_s=4.0, agreed_s=0.125)
    found = by_hand(native, slowest_seconds=415.0, candidates=[native, ring, candidate("slow", 10, median_s=4.5)])
    assert found.savings is Unknown.WAITING


def test_agreed_times_that_leave_out_what_natives_still_have_are_not_compared() -> None:
    # Ranks take turns on the processors: ring's calls take rank 0 as long as native's, whatever the ranks agreed.
    native = candidate("native", 10, median_s=0.5, min_s=0.5, agreed_s=0.25)
    ring = candidate("ring", 90, median_s=0.5, min_s=0.5, agreed_s=0.0625)
    found = by_hand(native, seconds=50.0, candidates=[native, ring])
    assert found.compared == (0.5, 0.5, False)
    assert found.saved == pytest.approx(-0.75)
    faster = {**ring, "median_s": 0.375}
    found = by_hand(native, seconds=40.0, candidates=[native, faster])
    assert found.compared == (0.0625, 0.25, True), "rank 0 saw most of that gain"


def test_nothing_is_claimed_where_ranks_mostly_wait_and_no_time_without_that_can_be_compared() -> None:
    native = candidate("native", 10, median_s=0.5, min_s=0.5, agreed_s=0.25)
    ring = candidate("ring", 90, median_s=0.5, min_s=0.5, agreed_s=0.0625)
    waits = {"calls": 50, "slowest_s": 0.75, "mean_s": 0.5, "fastest_s": 0.0625, "last": []}
    found = by_hand(native, seconds=90.0, slowest_seconds=90.0, candidates=[native, ring], arrivals=waits)
    assert found.is_lost_in_waiting
    assert found.saved is None
    record = sample().model_copy(update={"contexts": [found]})
    told = "What was saved is not known: ranks mostly waited for each other where 100% of the time in collectives went"
    assert verdict(record).startswith(told)
    assert "against native" not in summary(record)
    assert ", in which ranks mostly waited" in summary(record)
    row = next(one for one in rendered(record).splitlines() if one.startswith(found.collective))
    assert re.search(r"x\*?  ", row) is None, "no gain"
    assert not by_hand(native, candidates=[native, ring], arrivals={**waits, "fastest_s": 0.4}).is_lost_in_waiting


def test_a_time_of_native_that_only_rank_0_knows_is_compared_with_its_own_calls() -> None:
    assert by_hand(RANK_0).saved == pytest.approx(100 * 0.75 - 60 - 0.75)


def test_the_slowest_ranks_times_are_compared_with_their_like_where_ranks_take_turns() -> None:
    # Each call takes 1 s on one rank and less on the others, so that 100 calls take each of them 75 s.
    arrivals = {"calls": 50, "slowest_s": 1.0, "mean_s": 0.75, "fastest_s": 0.5, "last": []}
    native = candidate("native", 100, median_s=0.75, min_s=0.5, agreed_s=1.0)
    ring = candidate("ring", 100, median_s=0.75, min_s=0.5, agreed_s=1.0)
    found = by_hand(native, candidates=[native, ring], calls=200, slowest_seconds=150.0, arrivals=arrivals)
    assert found.saved == pytest.approx(-0.75), "both take the same time"


def test_a_candidate_that_was_delayed_in_the_end_did_not_take_more_than_all_calls() -> None:
    arrivals = {"calls": 50, "slowest_s": 1.0, "mean_s": 0.75, "fastest_s": 0.5, "last": []}
    ring = candidate("ring", 100, median_s=0.5, min_s=0.5, agreed_s=0.5)
    old = candidate("old", 90, median_s=9.0, min_s=0.5, agreed_s=9.0)
    found = by_hand(ALL_RANKS, candidates=[ALL_RANKS, ring, old], calls=200, slowest_seconds=150.0, arrivals=arrivals)
    assert found.saved == pytest.approx(200 * 1.0 - 150 / 0.75 - 0.75)


def test_calls_of_others_count_though_native_won_in_the_end() -> None:
    assert by_hand(ALL_RANKS, winner="native").saved == pytest.approx(100 - 75 - 0.75)


def test_times_of_earlier_runs_do_not_count_where_sizes_vary() -> None:
    assert by_hand(EARLIER, bytes=None).saved is None
    assert by_hand(EARLIER, bucket=True).saved is None
    assert by_hand({**ALL_RANKS, "earlier_s": 9.0}, bytes=None).saved == pytest.approx(100 - 75 - 0.75)


def test_a_root_that_leaves_at_once_saved_no_more_than_the_winner_is_faster() -> None:
    # As in a second run too short for ranks to agree.
    ring = candidate("ring", 100, median_s=0.01, min_s=0.01, earlier_s=0.5)
    found = by_hand(EARLIER, slowest_seconds=None, seconds=1.0, candidates=[EARLIER, ring])
    assert found.saved == pytest.approx(100 * (1.5 - 0.5) - 0.75)


def test_contexts_of_which_only_sums_are_known_count_in_the_totals() -> None:
    sums = {"contexts": 2, "calls": 9, "seconds": 1.0, "tuning_seconds": 0.25, "slowest_seconds": 4.0}
    text = summary(long(sample(left_out=sums)))
    assert text.startswith("in collectives 4.01 s; ")
    assert "; tuning cost 250 ms; not counted as saved or lost: 9 calls, 4.00 s, " in text
    assert text.endswith("; of 2 contexts only these sums are known")


def test_candidates_that_are_not_in_the_record_are_counted() -> None:
    assert "5 more candidates are not in the record" in rendered(sample(contexts=[context(candidates_left_out=5)]))


def test_times_of_many_candidates_are_those_of_the_fastest_unless_all_are_wanted() -> None:
    many = [candidate(f"way{i}", 1, median_s=i * 1e-3, agreed_s=i * 1e-3) for i in range(1, 9)]
    record = sample(contexts=[context(candidates=many)])
    assert "way4 4.00 ms, way5 5.00 ms, and 3 slower ones: see them with --all\n" in rendered(record)
    assert "way7 7.00 ms, way8 8.00 ms\n" in rendered(record, rows=None)


def test_a_gain_below_1_is_explained() -> None:
    slow = context(candidates=agreed(native=1.0e-5, chain=1.25e-5))
    assert "0.80x" in rendered(sample(contexts=[slow]))
    assert "A gain below 1 is no mistake" in rendered(sample(contexts=[slow]))
    assert "A gain below 1" not in rendered(sample())
    by_table = rendered(sample(contexts=[{**slow, "stage": "table"}]))
    assert "A gain below 1 with a table: its way is slower here" in by_table
    assert "A gain below 1 is no mistake" not in by_table


def test_only_what_learns_is_a_start_for_the_next_run() -> None:
    learnt = "The next run starts from what was learnt"
    assert learnt in rendered(sample())
    for stage in ("table", "native", "pass-through"):
        assert learnt not in rendered(sample(contexts=[{**context(), "stage": stage}]))


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


def test_one_rank_is_singular() -> None:
    text = rendered(sample(run=json.loads(SAMPLE.read_text())["run"] | {"ranks": 1}, contexts=[context(ranks=1)]))
    assert ": 1 rank on " in text
    assert "bcast, 64 KiB+, 1 rank\n" in text


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


def test_a_truncated_record_is_an_error_wherever_it_ends(tmp_path: Path) -> None:
    whole = SAMPLE.read_bytes().rstrip()
    path = tmp_path / "r.json"
    for length in range(0, len(whole), 37):
        path.write_bytes(whole[:length])
        with pytest.raises(RecordError):
            read(path)


def test_a_run_of_one_rank_is_not_the_last_one_where_there_is_another(tmp_path: Path) -> None:
    def run(name: str, ranks: int) -> Path:
        record = json.loads(SAMPLE.read_text())
        record["run"]["ranks"] = ranks
        (tmp_path / name).write_text(json.dumps(record))
        return tmp_path / name

    alone = run("20260101T000002-a-9.json", 1)
    assert records.last_good(tmp_path)[0].run.ranks == 1
    run("20260101T000001-a-1.json", 4)
    found, _, skipped = records.last_good(tmp_path)
    assert found.run.ranks == 4
    assert skipped == [f"{alone}: it ran with one rank; name it to see it"]
    for number in range(20):
        run(f"20260102T0000{number:02}-a-1.json", 1)
    assert records.last_good(tmp_path)[0].run.ranks == 1, "only the latest are looked at"


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
