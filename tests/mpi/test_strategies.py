"""The effects of settings and earlier runs on strategies: which sizes are tuned, where a later run starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from starling.records.record import Context, RunRecord
from support.mpis import Mpi, compile_c, debian_mpis
from support.tuned import run_tuned

TIMES = Path(__file__).parents[2] / "bench/collective_times.c"
COLLECTIVES = (
    "allgather",
    "allreduce",
    "alltoall",
    "bcast",
    "exscan",
    "gather",
    "reduce",
    "reduce_scatter",
    "scan",
    "scatter",
)
FEW = {"STARLING_SIZES": "2", "STARLING_ITER": "1"}


def of(record: RunRecord, collective: str) -> dict[tuple[int | None, bool], Context]:
    """The contexts of a collective by size, and whether they stand for a bucket of sizes."""
    return {(one.bytes, one.bucket): one for one in record.contexts if one.collective == collective}


def tried(context: Context) -> set[str]:
    return {one.public_name for one in context.candidates if one.samples}


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_star_tunes_the_first_sizes_and_leaves_the_rest_to_native(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, TIMES, tmp_path))
    sizes = (1024, 2048, 12000, 20000, 2048, 24000)
    calls = [program, "0", "60", *(f"allreduce:{size}" for size in sizes)]
    for strategy in ("star", "star-basic"):
        _, record = run_tuned(mpi, 2, calls, strategy, tmp_path, FEW)
        found = of(record, "allreduce")
        assert {key: one.calls for key, one in found.items()} == {
            (1024, False): 60,
            (2048, False): 120,
            (8192, True): 60,
            (16384, True): 120,
        }
        for (_, is_bucket), context in found.items():
            if is_bucket:
                assert (context.winner, context.stage, tried(context)) == ("native", "single", {"native"})
            else:
                assert len(tried(context)) > 1
    _, record = run_tuned(mpi, 2, calls, "lottery", tmp_path, FEW)
    assert len(tried(of(record, "allreduce")[16384, True])) > 1, "the lottery tunes a bucket too"


@pytest.mark.parametrize("mpi", debian_mpis()[:1], ids=str)
def test_the_lottery_goes_on_with_averages_and_deviations_of_the_run_before(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, TIMES, tmp_path))
    history = {"STARLING_HISTORY": str(tmp_path / "history")}
    calls = [program, "0", "300", "allreduce:1024"]
    _, first = run_tuned(mpi, 2, calls, "lottery", tmp_path, history)
    (context,) = of(first, "allreduce").values()
    known = [one for one in context.candidates if one.agreed_s is not None]
    assert len(known) > 2
    unknown = [one.public_name for one in known if one.samples > 2 and one.deviation_s is None]
    assert len(unknown) <= 1, f"{unknown}: only the last draw may not have ended"
    fastest = min(known, key=lambda one: one.agreed_s or 0).public_name
    _, second = run_tuned(mpi, 2, calls, "lottery", tmp_path, history)
    (context,) = of(second, "allreduce").values()
    start = context.decisions[0]
    assert (start.call, start.from_, start.to) == (0, None, fastest)
    assert start.why.startswith(f"{fastest} was fastest in earlier runs")


@pytest.mark.parametrize("mpi", debian_mpis()[:1], ids=str)
def test_reproducible_reductions_are_native_and_say_why(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, TIMES, tmp_path))
    calls = [program, "0", "60", "allreduce:1024", "bcast:1024"]
    _, record = run_tuned(mpi, 2, calls, "star-basic", tmp_path, {"STARLING_REPRODUCIBLE": "1", "STARLING_ITER": "1"})
    (reduction,) = of(record, "allreduce").values()
    assert tried(reduction) == {"native"}
    why = {one.reason for one in reduction.candidates if one.public_name != "native"}
    assert why == {"--reproducible keeps the order of native's reductions"}
    (broadcast,) = of(record, "bcast").values()
    assert len(tried(broadcast)) > 1


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_the_searches_of_adcl_choose_watch_and_leave_their_times_to_the_next_run(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, TIMES, tmp_path))
    calls = [program, "0", "250", "allreduce:1024", "bcast:4096"]
    for strategy in ("brute-force", "attribute", "attribute:tested", "factorial"):
        of_each = {"STARLING_ITER": "2", "STARLING_HISTORY": str(tmp_path / strategy), "STARLING_DRIFT": "0"}
        _, record = run_tuned(mpi, 3, calls, strategy, tmp_path, {**of_each, "STARLING_GIVE_UP": "0"})
        for collective in ("allreduce", "bcast"):
            (context,) = of(record, collective).values()
            eligible = {one.public_name for one in context.candidates if one.eligible}
            assert context.stage == "monitor"
            assert context.winner in tried(context) <= eligible
            assert context.decisions[0].why.startswith("fastest of ")
            assert 1 < len(tried(context)) <= len(eligible)
            if strategy == "brute-force":
                assert tried(context) == eligible
        _, record = run_tuned(mpi, 3, calls, strategy, tmp_path, of_each)
        (second,) = of(record, "allreduce").values()
        assert second.winner in {one.public_name for one in second.candidates if one.eligible}
        if strategy == "brute-force":
            assert tried(second) == {second.winner}, "all is known from the run before"


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
@pytest.mark.parametrize("ranks", [3, 4])
def test_what_is_predicted_on_a_node_is_right_with_every_collective(mpi: Mpi, tmp_path: Path, ranks: int) -> None:
    program = str(compile_c(mpi, TIMES, tmp_path))
    calls = [program, "0", "400", *(f"{collective}:65536" for collective in COLLECTIVES)]
    soon = {"STARLING_PROBE": "start", "STARLING_STAKE": "0"}
    _, record = run_tuned(mpi, ranks, calls, "auto", tmp_path, soon)
    assert {one.collective for one in record.contexts} >= set(COLLECTIVES)
    assert any(candidate.samples for one in record.contexts for candidate in one.candidates[1:])
