"""Limits: calls that are wrong or just valid, the end of a program, and data beyond 2^31 bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from starling.installation.questions import available_memory
from support.mpis import Mpi, compile_c, compile_cxx, debian_mpis, mpi_named
from support.tuned import candidates, printed_natively, run_tuned

HERE = Path(__file__).parent
LEAK = 2048
"""KiB: 9,000 communicators that left 256 bytes each."""
KEPT = 16 * 12
"""KiB: 16 contexts."""
NEEDED = 12 << 30
"""Bytes for two ranks with 2 GiB each, staging, and what the MPI library copies on the way."""


def first_of_each() -> str:
    """The strategy that forces one candidate of every collective."""
    return "forced:" + ",".join(f"{collective}:{names[0]}" for collective, names in candidates().items() if names)


STRATEGIES = ("star-basic", "native", first_of_each())


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_wrong_calls_fail_as_without_starling(mpi: Mpi, tmp_path: Path, strategy: str) -> None:
    program = str(compile_c(mpi, HERE / "errors.c", tmp_path, ["-Wno-error"]))
    printed_natively(mpi, 2, [program], tmp_path)
    outcome, _ = run_tuned(mpi, 2, [program], strategy, tmp_path)
    assert " 0 disagreements" in outcome.stdout


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_each_rank_may_leave_out_what_is_not_significant_there(mpi: Mpi, tmp_path: Path, strategy: str) -> None:
    program = str(compile_c(mpi, HERE / "edges.c", tmp_path))
    outcome, _ = run_tuned(mpi, 3, [program], strategy, tmp_path)
    assert outcome.stdout == "0 faults\n"


@pytest.mark.parametrize("strategy", [*STRATEGIES, "brute-force"])
@pytest.mark.parametrize("mpi", [*debian_mpis(), mpi_named("mpich5")], ids=str)
def test_blocks_may_have_absolute_addresses(mpi: Mpi, tmp_path: Path, strategy: str) -> None:
    argv = [str(compile_c(mpi, HERE / "absolute.c", tmp_path))]
    assert printed_natively(mpi, 3, argv, tmp_path) == "0 wrong\n"
    outcome, _ = run_tuned(mpi, 3, argv, strategy, tmp_path)
    assert outcome.stdout == "0 wrong\n", outcome.report()


@pytest.mark.parametrize("mpi", [mpi_named("openmpi4"), mpi_named("mpich5")], ids=str)  # MPICH 4 itself takes more
def test_the_first_calls_may_be_those_of_a_thread_with_a_small_stack(mpi: Mpi, tmp_path: Path) -> None:
    argv = [str(compile_c(mpi, HERE / "small_stack.c", tmp_path, ["-pthread", "-D_GNU_SOURCE"]))]
    assert printed_natively(mpi, 3, argv, tmp_path) == "0 wrong\n"
    for strategy in ("native", "star-basic"):
        outcome, _ = run_tuned(mpi, 3, argv, strategy, tmp_path)
        assert outcome.stdout == "0 wrong\n", outcome.report()


@pytest.mark.parametrize("clock", ["missing", "stands", "back"])
@pytest.mark.parametrize("mpi", [mpi_named("openmpi4"), mpi_named("mpich5")], ids=str)
def test_a_clock_that_does_not_go_on_hangs_no_program(mpi: Mpi, tmp_path: Path, clock: str) -> None:
    argv = [str(compile_c(mpi, HERE / "odd_clock.c", tmp_path, ["-rdynamic"]))]
    for strategy in ("native", "star-basic"):
        outcome, _ = run_tuned(mpi, 2, argv, strategy, tmp_path, {"ODD_CLOCK": clock}, 60.0)
        assert outcome.stdout == "0 wrong\n", outcome.report()


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_a_program_may_end_mpi_while_it_exits(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "at_exit.c", tmp_path))
    outcome, _ = run_tuned(mpi, 2, [program], "star-basic", tmp_path)
    assert outcome.stdout == "the last sums are right\n"


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_ten_thousand_communicators_leave_nothing_behind(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "churn.c", tmp_path))
    outcome, record = run_tuned(mpi, 2, [program, "10000"], "star", tmp_path, {"STARLING_ITER": "1"})
    words = outcome.stdout.split()
    assert words[:4] == ["10000", "communicators,", "0", "wrong,"]
    assert int(words[4]) < LEAK, "memory grows with the number of communicators"
    tuned = {context.collective: context for context in record.contexts}
    assert [tuned[one].calls for one in ("allreduce", "bcast")] == [30000, 30000]
    assert sum(one.samples > 0 for one in tuned["allreduce"].candidates) > 1


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_a_lottery_keeps_the_schedules_of_its_latest_draw_only(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE.parent.parent / "bench/keys.c", tmp_path))
    outcome, record = run_tuned(mpi, 2, [program, "16", "120"], "lottery", tmp_path)
    tried = [
        sum(one.samples > 0 for one in context.candidates) for context in record.contexts if context.calls == 9 * 120
    ]
    assert len(tried) == 16, "all communicators are in the record"
    assert min(tried) > 4
    assert float(outcome.stdout.split()[0]) / 1024 < KEPT


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_a_bucket_of_sizes_refuses_what_one_of_its_ends_refuses(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE.parent.parent / "bench/collective_times.c", tmp_path))
    calls = [program, "0", "3", "bcast:1024", "bcast:12000", "bcast:20000"]
    _, record = run_tuned(mpi, 2, calls, "forced:bcast:chain?segment=8192", tmp_path, {"STARLING_SIZES": "1"})
    buckets = {context.bytes: context for context in record.contexts if context.bucket}
    assert {size: one.winner for size, one in buckets.items()} == {8192: "native", 16384: "chain?segment=8192"}
    assert [one.reason for one in buckets[8192].candidates][1] == "the message is one segment"


def limited() -> list[Mpi]:
    """MPIs with a limited number of communicators, and with types of large counts."""
    return [mpi for mpi in debian_mpis() if mpi.flavour == "mpich"]


@pytest.mark.parametrize("mpi", limited(), ids=str)
def test_types_may_be_made_with_large_counts(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "large_types.c", tmp_path))
    outcome, record = run_tuned(mpi, 3, [program], "star-basic", tmp_path, {"STARLING_ITER": "1"})
    assert outcome.stdout == "0 wrong\n"
    assert any(context.stage != "pass-through" for context in record.contexts)


@pytest.mark.parametrize("mpi", limited(), ids=str)
def test_a_program_may_take_nearly_all_communicators(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "exhausted.c", tmp_path))
    outcome, record = run_tuned(mpi, 2, [program, "all"], "star", tmp_path, {"STARLING_ITER": "1"})
    assert outcome.stdout.startswith("0 wrong with ")
    (sums,) = (context for context in record.contexts if context.collective == "allreduce")
    assert any(one.samples for one in sums.candidates if one.name != "native"), "where there is one left it is used"


@pytest.mark.parametrize("mpi", limited(), ids=str)
def test_ranks_agree_where_some_have_no_communicator_left(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "exhausted.c", tmp_path))
    outcome, record = run_tuned(mpi, 4, [program, "half"], "forced:allgather:groups", tmp_path)
    assert outcome.stdout.startswith("0 wrong with ")
    (gathers,) = (context for context in record.contexts if context.collective == "allgather")
    assert gathers.winner == "native"
    assert any("no communicator left" in (one.reason or "") for one in gathers.candidates)


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_more_than_two_gibibytes_arrive(mpi: Mpi, tmp_path: Path) -> None:
    assert available_memory() > NEEDED, "this machine has too little memory for this test"
    program = str(compile_cxx(mpi, HERE / "large.cpp", tmp_path, ["-O2"]))
    first = "forced:" + ",".join(f"{name}:{candidates()[name][0]}" for name in ("bcast", "allgather"))
    outcome, record = run_tuned(mpi, 2, [program], f"{first},allreduce:recursive_doubling", tmp_path, timeout=300)
    assert "0 faults" in outcome.stdout
    forced = {context.collective for context in record.contexts if context.stage == "forced"}
    assert forced == {"bcast", "allgather", "allreduce"} - ({"allreduce"} if mpi.flavour == "openmpi" else set())
