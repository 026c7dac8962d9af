"""A rank that dies, without fault tolerance: the job ends, as it does without Starling, wherever the others wait."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.mpis import Mpi, compile_c, installed_mpis, run_ranks
from support.processes import Outcome
from support.tuned import library, preloaded

HERE = Path(__file__).parent
RANKS = 4
PATIENCE = 60.0
"""Seconds after which a run counts as hung."""
DEATHS = (
    ("allreduce", "inside", 40, "auto"),
    ("allreduce", "inside", 40, "star-basic"),
    ("allreduce", "inside", 40, "forced:allreduce:recursive_doubling"),
    ("allreduce", "inside", 40, "forced:allreduce:shared"),
    ("allreduce", "inside", 0, "forced:allreduce:shared_tree"),
    ("reduce", "inside", 40, "forced:reduce:shared"),
    ("bcast", "before", 40, "forced:bcast:shared"),
    ("alltoall", "before", 40, "forced:alltoall:shared"),
    ("barrier", "before", 40, "forced:barrier:shared"),
    ("barrier", "before", 0, "star-basic"),
)
"""Collective, where a rank dies, in which call, and the strategy."""
NATIVELY = (("allreduce", "inside", 40), ("barrier", "before", 0))


def mpis() -> list[Mpi]:
    """Those whose launchers end a job in which a rank dies: Open MPI 5's does not always."""
    return [mpi for mpi in installed_mpis() if mpi.name != "openmpi5"]


def end_of(mpi: Mpi, folder: Path, argv: tuple[str, str, int], env: dict[str, str]) -> Outcome:
    """The outcome of a job in which a rank has died; HangError where it does not end."""
    program, died = str(compile_c(mpi, HERE / "dies.c", folder)), folder / "died"
    outcome = run_ranks(mpi, RANKS, [program, *map(str, argv), str(died)], env, PATIENCE)
    assert died.exists(), outcome.report()
    return outcome


@pytest.mark.parametrize(("collective", "place", "call"), NATIVELY)
@pytest.mark.parametrize("mpi", mpis(), ids=str)
def test_the_job_ends_without_starling(mpi: Mpi, tmp_path: Path, collective: str, place: str, call: int) -> None:
    outcome = end_of(mpi, tmp_path, (collective, place, call), preloaded(mpi, tmp_path))
    assert outcome.status != 0


@pytest.mark.parametrize(("collective", "place", "call", "strategy"), DEATHS)
@pytest.mark.parametrize("mpi", mpis(), ids=str)
def test_the_job_ends_with_starling(
    mpi: Mpi, tmp_path: Path, collective: str, place: str, call: int, strategy: str
) -> None:
    env = {"STARLING_STRATEGY": strategy, "STARLING_HISTORY": "off", "STARLING_ITER": "1"}
    outcome = end_of(mpi, tmp_path, (collective, place, call), {**preloaded(mpi, tmp_path, [library(mpi)]), **env})
    assert outcome.status != 0, outcome.report()
    assert "nobody died" not in outcome.stdout
