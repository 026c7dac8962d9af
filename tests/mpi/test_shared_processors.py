"""A node with more ranks than processors, whose MPI library polls: who comes last there is not late."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.linked import linked
from support.mpis import Mpi, compile_c, debian_mpis, mpi_named, run_ranks
from support.tuned import library, run_tuned

HERE = Path(__file__).parent


@pytest.fixture(params=debian_mpis(), ids=str)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    found: Mpi = request.param
    return found


def on(processors: int, argv: Sequence[str]) -> list[str]:
    """A program whose ranks all run on the same processors, so many."""
    some = sorted(os.sched_getaffinity(0))[:processors]
    return ["taskset", "--cpu-list", ",".join(map(str, some)), *argv]


def test_auto_leaves_a_library_that_makes_ranks_wait_for_a_processor(tmp_path: Path) -> None:
    polls = mpi_named("mpich4")
    argv = on(1, [str(compile_c(polls, HERE / "many_reductions.c", tmp_path)), "1000"])
    _, found = run_tuned(polls, 3, argv, "auto", tmp_path, {"LD_PRELOAD": str(library(polls))})
    assert found.run.shares_processors
    (context,) = found.contexts
    natively = context.candidate("native")
    assert natively and natively.samples < context.calls / 2
    assert context.winner != "native"


@pytest.mark.alone
def test_messages_give_the_processor_away_where_the_library_keeps_it(mpi: Mpi, tmp_path: Path) -> None:
    """A call of a library that polls lasts until each rank had a turn, a thousand times as long."""
    argv = on(1, [str(compile_c(mpi, HERE / "many_reductions.c", tmp_path)), "100"])
    # Without the tests' own library that lets MPICH 4 give it away.
    polls = {"OMPI_MCA_mpi_yield_when_idle": "0", "LD_PRELOAD": str(library(mpi))}
    forced = "forced:allreduce:recursive_doubling"

    def seconds(strategy: str, processors: str = "auto") -> float:
        """Of all calls, on rank 0."""
        _, found = run_tuned(mpi, 3, argv, strategy, tmp_path, {**polls, "STARLING_PROCESSORS": processors})
        (context,) = found.contexts
        phases = context.phases
        return sum(phase.seconds or 0 for phase in (phases.exploring, phases.settled))

    patiently = seconds(forced)
    assert patiently < seconds("native") / 10
    assert patiently < seconds(forced, "own") / 10, "as told"


def test_an_error_of_messages_that_give_way_is_told_to_their_communicators_handler_only(
    mpi: Mpi, tmp_path: Path
) -> None:
    argv = on(1, [str(compile_c(mpi, HERE / "too_long_on_dup.c", tmp_path))])
    polls = {"OMPI_MCA_mpi_yield_when_idle": "0", "STARLING_ONLY": "alltoallv"}
    done, found = run_tuned(mpi, 4, argv, "forced:alltoallv:pair", tmp_path, polls)
    assert found.run.shares_processors
    assert done.stdout == "3 of 4\n"


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_the_record_tells_whether_ranks_share_processors(mpi: Mpi, ranks: int, tmp_path: Path) -> None:
    argv = [str(compile_c(mpi, HERE / "many_reductions.c", tmp_path)), "3"]
    processors = min(2, len(os.sched_getaffinity(0)))
    _, found = run_tuned(mpi, ranks, on(processors, argv), "auto", tmp_path)
    assert found.run.shares_processors == (ranks > processors)


@pytest.mark.parametrize(("told", "processors"), [("own", 1), ("shared", 2)])
def test_a_user_may_tell_whether_ranks_share_processors(mpi: Mpi, told: str, processors: int, tmp_path: Path) -> None:
    argv = [str(compile_c(mpi, HERE / "many_reductions.c", tmp_path)), "3"]
    settings = {"STARLING_PROCESSORS": told, "STARLING_PROBE": "start"}
    _, found = run_tuned(mpi, 2, on(processors, argv), "auto", tmp_path, settings)
    assert found.run.shares_processors == (told == "shared")
    assert (found.run.probe_s is None) == (told == "shared")


@pytest.mark.alone
def test_nonblocking_sets_give_the_processor_away(mpi: Mpi, tmp_path: Path) -> None:
    program = linked(mpi, HERE / "adcl_any_order.c", tmp_path)
    polls = {"OMPI_MCA_mpi_yield_when_idle": "0", "LD_PRELOAD": str(library(mpi)), "STARLING_RECORD": "off"}

    def seconds(processors: str) -> float:
        env = {**polls, "STARLING_HISTORY": "off", "STARLING_PROCESSORS": processors}
        return run_ranks(mpi, 4, on(2, [program, "60"]), env, 100, cwd=tmp_path).check().seconds

    assert seconds("auto") < seconds("own") / 2


def test_such_a_job_measures_and_keeps_nothing(mpi: Mpi, tmp_path: Path) -> None:
    argv = [str(compile_c(mpi, HERE / "many_reductions.c", tmp_path)), "3"]
    settings = {"STARLING_HISTORY": str(tmp_path / "history"), "STARLING_PROBE": "start"}
    for processors in (1, 2):
        _, found = run_tuned(mpi, 2, on(processors, argv), "auto", tmp_path, settings)
        assert found.run.shares_processors == (found.run.probe_s is None)
        assert found.run.shares_processors or processors == 2
        assert len(list((tmp_path / "history").glob("*.network"))) == (0 if found.run.shares_processors else 1)


def test_runs_that_share_processors_are_learnt_from_by_such_runs_only(mpi: Mpi, tmp_path: Path) -> None:
    argv = [str(compile_c(mpi, HERE / "many_reductions.c", tmp_path)), "40"]
    history = tmp_path / "history"
    history.mkdir()

    def is_known(processors: int) -> bool:
        """Whether a run knows native's time from earlier ones."""
        _, found = run_tuned(mpi, 2, on(processors, argv), "auto", tmp_path, {"STARLING_HISTORY": str(history)})
        native = found.contexts[0].candidate("native")
        return native is not None and native.earlier_s is not None

    assert not is_known(1)
    (tmp_path / "record.json").rename(history / "20240501T120000-node-1.json")
    assert is_known(1)
    assert is_known(2) == (len(os.sched_getaffinity(0)) < 2)


@pytest.mark.parametrize(("processors", "calls"), [(1, 511), (2, 7)], ids=["shared", "own"])
def test_short_rooted_calls_wait_for_nobody_at_first(mpi: Mpi, processors: int, calls: int, tmp_path: Path) -> None:
    """Ranks that share processors would wait for them as well."""
    argv = on(processors, [str(compile_c(mpi, HERE / "bcasts_ahead.c", tmp_path)), str(calls)])
    _, found = run_tuned(mpi, 2, argv, "auto", tmp_path)
    (context,) = found.contexts
    assert (context.calls, context.winner) == (calls, "native")
