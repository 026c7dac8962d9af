"""The program's error handlers: called as often as without Starling, and free to free the communicator."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.mpis import Mpi, compile_c, debian_mpis, installed_mpis
from support.tuned import printed_natively, run_tuned

HERE = Path(__file__).parent
PATIENCE = 60.0
"""Seconds after which a run counts as hung."""
STRATEGIES = ("native", "star-basic", "lottery", "forced:allreduce:recursive_doubling,bcast:binomial")


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("handler", ["frees", "returns"])
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_handlers_are_called_as_without_starling(mpi: Mpi, tmp_path: Path, handler: str, strategy: str) -> None:
    program = str(compile_c(mpi, HERE / "handlers.c", tmp_path))
    plain = printed_natively(mpi, 2, [program, handler], tmp_path, PATIENCE)
    assert plain.endswith(" times, 0 wrong\n")
    # Freed memory is overwritten, so that its use shows.
    env = {"MALLOC_PERTURB_": "165", "STARLING_ITER": "1", "STARLING_LONGEST_DRAW": "2"}
    outcome, _ = run_tuned(mpi, 2, [program, handler], strategy, tmp_path, env, PATIENCE)
    assert outcome.stdout == plain


@pytest.mark.parametrize("strategy", ["star-basic", "forced:allreduce:recursive_doubling,bcast:binomial"])
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_the_programs_handler_stays_in_place_for_other_threads(mpi: Mpi, tmp_path: Path, strategy: str) -> None:
    program = str(compile_c(mpi, HERE / "handlers_threads.c", tmp_path, ["-pthread"]))
    outcome, _ = run_tuned(mpi, 2, [program], strategy, tmp_path, {"STARLING_ITER": "1"}, PATIENCE)
    assert outcome.stdout == "0 errors not reported, 0 handlers not the program's, 0 wrong results\n"


@pytest.mark.parametrize("strategy", ["native", "star-basic"])
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_a_handler_may_make_a_communicator_where_another_was(mpi: Mpi, tmp_path: Path, strategy: str) -> None:
    program = str(compile_c(mpi, HERE / "handler_frees_and_makes.c", tmp_path))
    env = {"MALLOC_PERTURB_": "165", "STARLING_ITER": "1"}
    outcome, _ = run_tuned(mpi, 2, [program], strategy, tmp_path, env, PATIENCE)
    assert outcome.stdout == "the handler was called 20 times, 0 wrong\n"


# Open MPI's handles are addresses: the one of a freed communicator points to anything.
@pytest.mark.parametrize("strategy", ["native", "star-basic", "forced:allreduce:recursive_doubling"])
@pytest.mark.parametrize("mpi", [mpi for mpi in installed_mpis() if mpi.abi == "mpich"], ids=str)
def test_the_handle_of_a_freed_communicator_is_refused_once(mpi: Mpi, tmp_path: Path, strategy: str) -> None:
    program = str(compile_c(mpi, HERE / "stale.c", tmp_path))
    plain = printed_natively(mpi, 3, [program], tmp_path, PATIENCE)
    assert plain == "the handler was called 1 1 1 1 1 times, the handle was used again 5 times, 0 wrong\n"
    outcome, _ = run_tuned(mpi, 3, [program], strategy, tmp_path, {"STARLING_ITER": "1"}, PATIENCE)
    assert outcome.stdout == plain
