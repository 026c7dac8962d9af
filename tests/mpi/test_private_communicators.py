"""Starling's own communicators: few, none for each of the program's, and given back; the program's are left alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from starling.records.record import RunRecord
from support.mpis import Mpi, compile_c, debian_mpis, installed_mpis
from support.tuned import library, preloaded, printed_natively, run_tuned

HERE = Path(__file__).parent
PATIENCE = 120.0
"""Seconds after which a run counts as hung."""
OWN = 2
"""Communicators that Starling makes for itself: of all ranks, and of each rank alone."""
OF_GROUPS = 128
"""Most additional communicators of a rank for the rows and columns of meshes."""
USED = 72
"""Communicators of the program with collectives."""
STRATEGIES = ("native", "auto", "star-basic", "lottery", "forced:allreduce:recursive_doubling,bcast:binomial")


def watched(mpi: Mpi, folder: Path) -> dict[str, str]:
    """The environment that preloads, in front of Starling, a tool that sees Starling's MPI calls."""
    tool = compile_c(mpi, HERE / "mpi_tool.c", folder, ["-shared", "-fPIC"])
    return preloaded(mpi, folder, [tool, library(mpi)])


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_no_communicator_is_made_for_one_of_the_program_s(mpi: Mpi, tmp_path: Path, strategy: str) -> None:
    program = str(compile_c(mpi, HERE / "churn.c", tmp_path))
    env = {"STARLING_ITER": "1", **watched(mpi, tmp_path)}
    outcome, record = run_tuned(mpi, 2, [program, "40"], strategy, tmp_path, env, PATIENCE)
    assert outcome.stdout.startswith("40 communicators, 0 wrong")
    told = re.findall(r"tool: (\d+) at first, (\d+) at most, \d+ left, (\d+) handlers set", outcome.stderr)
    assert len(told) == 2, outcome.report()
    for at_first, at_most, handlers in told:
        assert int(at_first) <= OWN
        assert int(at_most) <= OWN
        assert int(handlers) == 0, "an error handler of the program's was swapped"
    sums = [context for context in record.contexts if context.collective == "allreduce"]
    own = any(one.samples for context in sums for one in context.candidates if one.name != "native")
    assert own or strategy in ("native", "auto", "lottery"), "nothing of Starling's own ran"


def limited() -> list[Mpi]:
    """MPIs with at most 2048 communicators."""
    return [mpi for mpi in installed_mpis() if mpi.name in ("mpich4", "mpich5")]


def remaining(printed: str) -> int:
    """How many communicators the program got. AssertionError where a result was wrong."""
    found = re.fullmatch(r"(\d+) communicators, 0 wrong\n", printed)
    assert found, printed
    return int(found[1])


def run_remaining(
    mpi: Mpi, folder: Path, used: int, calls: int, strategy: str, env: dict[str, str]
) -> tuple[int, RunRecord]:
    program = str(compile_c(mpi, HERE / "remaining.c", folder))
    outcome, record = run_tuned(mpi, 4, [program, str(used), str(calls)], strategy, folder, env, PATIENCE)
    return remaining(outcome.stdout), record


@pytest.mark.parametrize("mpi", limited(), ids=str)
def test_rows_and_columns_keep_to_the_bound(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "remaining.c", tmp_path))
    plain = remaining(printed_natively(mpi, 4, [program, str(USED), "1"], tmp_path, PATIENCE))
    forced = "forced:barrier:dissemination,allgather:groups?mesh=2x2"
    left, record = run_remaining(mpi, tmp_path, USED, 1, forced, {})
    assert plain - left <= OWN + OF_GROUPS
    assert any(context.winner == "groups?mesh=2x2" for context in record.contexts), "some got their rows"


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_a_candidate_that_needs_no_communicator_takes_one_agreement_at_its_first_call(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "first_calls.c", tmp_path))

    def told(sizes: int) -> list[int]:
        """The messages by which 2 ranks agreed: one of each rank each time."""
        argv = [program, str(sizes)]
        forced = "forced:allreduce:recursive_doubling"
        env = {"STARLING_HOST_BUFFERS": "1", **watched(mpi, tmp_path)}  # else they also agree on GPUs
        outcome, record = run_tuned(mpi, 2, argv, forced, tmp_path, env, PATIENCE)
        assert [context.winner for context in record.contexts] == ["recursive_doubling"] * sizes
        return [int(count) for count in re.findall(r"(\d+) of one number", outcome.stderr)]

    few, many = told(1), told(5)
    assert len(few) == 2
    assert sorted(many) == [count + 4 for count in sorted(few)]


# MPICH 4's threads hand its one lock on so slowly that this takes minutes on few processors.
@pytest.mark.parametrize("mpi", [mpi for mpi in installed_mpis() if mpi.flavour == "openmpi"], ids=str)
def test_threads_agree_on_numbers_at_the_same_time_without_trying_again(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "first_calls_threads.c", tmp_path, ["-pthread"]))

    def sums(threads: int) -> list[int]:
        """Of each rank: all by which it agreed on numbers, and a few of other origin."""
        forced = "forced:allreduce:recursive_doubling"
        outcome, _ = run_tuned(mpi, 3, [program, str(threads)], forced, tmp_path, watched(mpi, tmp_path), PATIENCE)
        assert outcome.stdout == "0 faults\n"
        return [int(count) for count in re.findall(r"(\d+) sums", outcome.stderr)]

    one, eight = sums(1), sums(8)
    assert len(one) == 3
    # Two for a number. A thread may also test the operator by itself.
    assert max(eight) <= min(one) + 7 * 3


@pytest.mark.parametrize("strategy", ["star-basic", "brute-force"])
@pytest.mark.parametrize("mpi", limited(), ids=str)
def test_communicators_of_a_losing_candidate_are_freed(mpi: Mpi, tmp_path: Path, strategy: str) -> None:
    """Also where it rests while others are tried."""
    program = str(compile_c(mpi, HERE / "remaining.c", tmp_path))
    used = 8  # each would keep two or more
    plain = remaining(printed_natively(mpi, 4, [program, str(used), "1"], tmp_path, PATIENCE))
    # Collectives on rows and columns are repeated so often that a mesh cannot win on a busy machine either.
    env = {"STARLING_ITER": "2", "STARLING_ONLY": "allgather:groups?mesh=2x2", "SLOW_PARTS": "200"}
    left, record = run_remaining(mpi, tmp_path, used, 12, strategy, {**env, **watched(mpi, tmp_path)})
    gathers = [context for context in record.contexts if context.collective == "allgather"]
    assert [context.winner for context in gathers] == ["native"]
    assert any(one.samples for one in gathers[0].candidates if one.name == "groups"), "none was ever tried"
    assert plain - left <= OWN
