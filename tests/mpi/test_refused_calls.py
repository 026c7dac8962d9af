"""Calls that the MPI library refuses on one rank, which then makes them correctly: refused calls do not count."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.mpis import Mpi, compile_c, debian_mpis, installed_mpis, run_ranks
from support.tuned import candidates, library, preloaded, printed_natively, run_tuned

HERE = Path(__file__).parent
RANKS = 2
TIMES = 4
"""How often each wrong call is made."""
PATIENCE = 90.0
"""Seconds after which a run counts as hung."""
UNCHECKED = {"OMPI_MCA_mpi_param_check": "0", "MPIR_CVAR_ERROR_CHECKING": "0"}
"""The library checks no arguments: Open MPI, and MPICH as it is built for `pip`."""


def forced(turn: int) -> str:
    """The strategy that forces one candidate of every collective."""
    return "forced:" + ",".join(f"{one}:{names[turn % len(names)]}" for one, names in candidates(turn).items())


STRATEGIES = ("native", "auto", "star-basic", "star", "lottery", forced(0), forced(1))


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.partition(":")[0])
@pytest.mark.parametrize("mpi", installed_mpis(), ids=str)
def test_a_call_refused_on_one_rank_may_be_repeated(mpi: Mpi, tmp_path: Path, strategy: str) -> None:
    program = str(compile_c(mpi, HERE / "refused.c", tmp_path))
    plain = printed_natively(mpi, RANKS, [program, str(TIMES)], tmp_path, PATIENCE)
    refused, _, wrong, _ = plain.split()
    assert (int(refused) > 0, int(wrong)) == (True, 0)
    env = {"STARLING_ITER": "2", "STARLING_LONGEST_DRAW": "3"}
    outcome, record = run_tuned(mpi, RANKS, [program, str(TIMES)], strategy, tmp_path, env, PATIENCE)
    assert outcome.stdout == plain
    tuned = [context for context in record.contexts if context.stage != "pass-through"]
    assert sum(context.calls for context in tuned) == int(refused), "as many as were made again rightly"


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_settled_contexts_see_refused_calls_too(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "refused.c", tmp_path))
    many = str(20 * TIMES)
    env = {"STARLING_ITER": "1", "STARLING_ONLY": "native,recursive_doubling,ring,simple,binomial"}
    outcome, record = run_tuned(mpi, RANKS, [program, many], "star-basic", tmp_path, env, PATIENCE)
    assert outcome.stdout.endswith(" refused, 0 wrong\n")
    assert any(context.phases.settled.calls > 0 for context in record.contexts)


@pytest.mark.parametrize("strategy", STRATEGIES[1::2], ids=lambda one: one.partition(":")[0])
@pytest.mark.parametrize("checks", ["checked", "unchecked"])
@pytest.mark.parametrize("mpi", installed_mpis(), ids=str)
def test_a_rank_without_data_may_leave_out_arguments(mpi: Mpi, tmp_path: Path, checks: str, strategy: str) -> None:
    program = str(compile_c(mpi, HERE / "no_data.c", tmp_path))
    env = {"STARLING_ITER": "2", **(UNCHECKED if checks == "unchecked" else {})}
    plain = run_ranks(mpi, RANKS, [program, "40"], {**preloaded(mpi, tmp_path), **env}, PATIENCE).check().stdout
    assert plain.endswith(" kinds, 0 wrong\n")
    outcome, _ = run_tuned(mpi, RANKS, [program, "40"], strategy, tmp_path, env, PATIENCE)
    assert outcome.stdout == plain


@pytest.mark.parametrize("mpi", installed_mpis(), ids=str)
def test_what_the_library_refuses_is_found_before_it_can_end_the_job(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "no_data.c", tmp_path))
    tool = compile_c(mpi, HERE / "reports_to_world.c", tmp_path, ["-shared", "-fPIC"])
    env = preloaded(mpi, tmp_path, [tool, library(mpi)])
    outcome, _ = run_tuned(mpi, RANKS, [program, "2"], "auto", tmp_path, env, PATIENCE)
    assert outcome.stdout.endswith(" kinds, 0 wrong\n")
