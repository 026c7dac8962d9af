"""Open MPI's fault tolerance: a program survives the same faults with Starling as without."""

from __future__ import annotations

from pathlib import Path

import pytest

from starling.records import record
from support.mpis import Mpi, compile_c, debian_mpis, installed_mpis, run_ranks
from support.processes import Outcome
from support.tuned import library, run_tuned

HERE = Path(__file__).parent
RANKS = 4
PATIENCE = 60.0
"""Seconds after which a run counts as hung."""
TOLERANT = ("--with-ft", "ulfm")
REVOKED = [f"rank {rank}: interrupted, then {RANKS} are left" for rank in range(RANKS)]
SURVIVED = [f"rank {rank}: interrupted, then {RANKS - 1} are left" for rank in range(RANKS - 1)]
RUNS = [(["revoke"], REVOKED), (["dies", "30"], SURVIVED), (["dies", "0"], SURVIVED)]
"""Arguments of the program, and what its ranks print."""
STRATEGIES = ("auto", "star-basic", "lottery", "forced:allreduce:recursive_doubling")


def able() -> list[Mpi]:
    """MPIs with MPIX_Comm_revoke and related functions."""
    return [mpi for mpi in installed_mpis() if mpi.name == "openmpi5"]


def run_tolerant(mpi: Mpi, folder: Path, argv: list[str], env: dict[str, str], said: list[str]) -> Outcome:
    """Ends when the ranks have said what they should: after a death Open MPI 5's launcher does not always end."""
    program = str(compile_c(mpi, HERE / "faults.c", folder))
    return run_ranks(mpi, RANKS, [program, *argv], env, PATIENCE, launcher_options=TOLERANT, last_lines=said)


@pytest.mark.parametrize(("argv", "said"), RUNS)
@pytest.mark.parametrize("mpi", able(), ids=str)
def test_the_program_survives_without_starling(mpi: Mpi, tmp_path: Path, argv: list[str], said: list[str]) -> None:
    assert sorted(run_tolerant(mpi, tmp_path, argv, {}, said).stdout.splitlines()) == said


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(("argv", "said"), RUNS)
@pytest.mark.parametrize("mpi", able(), ids=str)
def test_a_program_that_survives_faults_runs_natively(
    mpi: Mpi, tmp_path: Path, argv: list[str], said: list[str], strategy: str
) -> None:
    path = tmp_path / "record.json"
    env = {"LD_PRELOAD": str(library(mpi)), "STARLING_STRATEGY": strategy, "STARLING_HISTORY": "off"}
    outcome = run_tolerant(mpi, tmp_path, argv, {**env, "STARLING_RECORD": str(path)}, said)
    assert sorted(outcome.stdout.splitlines()) == said, outcome.report()
    notices = [line for line in outcome.stderr.splitlines() if "starling: " in line]
    assert len(notices) == 1, outcome.report()
    assert "fault tolerance" in notices[0]
    for context in record.read(path)[0].contexts if path.exists() else []:
        assert [one.name for one in context.candidates if one.samples] in ([], ["native"])


@pytest.mark.parametrize("mpi", able(), ids=str)
def test_without_fault_tolerance_the_same_mpi_is_tuned(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "at_once.c", tmp_path))
    strategy = "forced:allreduce:recursive_doubling"
    outcome, found = run_tuned(mpi, 2, [program, "/dev/null", "0"], strategy, tmp_path)
    assert "fault tolerance" not in outcome.stderr
    assert [context.winner for context in found.contexts if context.collective == "allreduce"] == ["recursive_doubling"]


@pytest.mark.parametrize(("value", "tolerant"), [("on", True), ("TRUE", True), ("1", True), ("no", False)])
@pytest.mark.parametrize("mpi", [mpi for mpi in debian_mpis() if mpi.flavour == "mpich"], ids=str)
def test_mpich_is_asked_for_fault_tolerance_by_a_variable(
    mpi: Mpi, tmp_path: Path, value: str, *, tolerant: bool
) -> None:
    program = str(compile_c(mpi, HERE / "at_once.c", tmp_path))
    env = {"LD_PRELOAD": str(library(mpi)), "STARLING_HISTORY": "off", "STARLING_RECORD": "off"}
    argv = [program, "/dev/null", "0"]
    outcome = run_ranks(mpi, 2, argv, {**env, "MPIR_CVAR_ENABLE_FT": value}, PATIENCE).check()
    assert ("fault tolerance" in outcome.stderr) == tolerant
