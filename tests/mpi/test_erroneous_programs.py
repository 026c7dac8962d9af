"""Programs with a wrong call on one rank: MPI ends the job with an error, also where the others wait in Starling."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.mpis import Mpi, compile_c, debian_mpis, run_ranks
from support.processes import Outcome
from support.tuned import library, preloaded

PROGRAM = Path(__file__).parent / "erroneous.c"
FAULTS = tuple(re.findall(r'errs\(fault, "(\w+)"', PROGRAM.read_text()))
RANKS = 4
PATIENCE = 60.0
"""Seconds after which a run counts as hung."""
STRATEGIES = (
    "auto",
    "star-basic",
    "forced:allreduce:recursive_doubling,bcast:binomial,alltoall:ring",
    "forced:allreduce:shared,bcast:shared,alltoall:shared",
)


def end_of(mpi: Mpi, folder: Path, fault: str, env: dict[str, str]) -> Outcome:
    return run_ranks(mpi, RANKS, [str(compile_c(mpi, PROGRAM, folder)), fault], env, PATIENCE)


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_a_program_without_a_fault_goes_on(mpi: Mpi, tmp_path: Path) -> None:
    env = {**preloaded(mpi, tmp_path, [library(mpi)]), "STARLING_HISTORY": "off"}
    assert end_of(mpi, tmp_path, "none", env).check().stdout == "went on\n"


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_mpi_ends_the_job(mpi: Mpi, tmp_path: Path, fault: str) -> None:
    outcome = end_of(mpi, tmp_path, fault, preloaded(mpi, tmp_path))
    assert outcome.status != 0
    assert "went on" not in outcome.stdout


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_mpi_ends_the_job_with_starling_too(mpi: Mpi, tmp_path: Path, fault: str, strategy: str) -> None:
    env = {"STARLING_STRATEGY": strategy, "STARLING_HISTORY": "off", "STARLING_ITER": "1"}
    outcome = end_of(mpi, tmp_path, fault, {**preloaded(mpi, tmp_path, [library(mpi)]), **env})
    assert outcome.status != 0, outcome.report()
    assert "went on" not in outcome.stdout
