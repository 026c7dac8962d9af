"""Orthogonal groups on real MPI libraries: meshes of two and three dimensions, their communicators, what those cost."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from starling.algorithms import repository
from starling.records.record import Context, RunRecord
from support.differential import differential, rounds_of, run_rounds
from support.mpis import Mpi, compile_c, debian_mpis
from support.tuned import STARLING, run_tuned

HERE = Path(__file__).parent
OF_GROUPS = 128
"""Most communicators of a rank for the groups of meshes."""


def forced(mesh: str) -> dict[str, list[str]]:
    """Every algorithm on a mesh, by collective."""
    found: dict[str, list[str]] = {}
    for one in repository.listing()["algorithms"]:
        if any(parameter["by_ranks"] for parameter in one["parameters"]):
            found.setdefault(one["collective"], []).append(f"{one['name']}?mesh={mesh}")
    return found


def of(record: RunRecord, collective: str, ranks: int) -> Context:
    (found,) = (one for one in record.contexts if one.collective == collective and one.ranks == ranks)
    return found


FULL = [(6, "3x2"), (6, "2x3"), (8, "4x2"), (8, "2x2x2"), (12, "3x2x2")]
WITH_A_SHORT_ROW = [(5, "3x2"), (7, "2x4"), (7, "3x3")]


@pytest.mark.parametrize(("ranks", "mesh"), [*FULL, *WITH_A_SHORT_ROW])
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_meshes_give_what_the_mpi_library_gives(mpi: Mpi, tmp_path: Path, ranks: int, mesh: str) -> None:
    offered = forced(mesh)
    assert {"allgather", "allreduce", "alltoall", "bcast", "gather", "reduce", "reduce_scatter", "scatter"} <= set(
        offered
    )
    argv = [differential(mpi, tmp_path), "--cases", "25"]
    ran = run_rounds(mpi, ranks, argv, rounds_of(offered), tmp_path)
    assert {collective for collective, _ in ran} == set(offered)


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_candidates_give_their_communicators_back_to_others(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "meshes.c", tmp_path))
    used = OF_GROUPS // 2 + 2
    _, record = run_tuned(
        mpi, 4, [program, str(used)], "forced:allgather:groups?mesh=2x2,bcast:groups?mesh=2x2", tmp_path
    )
    gathers = of(record, "allgather", 4)
    (meshes,) = (one for one in gathers.candidates if one.name == "groups")
    assert meshes.samples == OF_GROUPS // 2 + 3, "two of them for each communicator, as far as they go"
    assert of(record, "bcast", 4).winner == "groups?mesh=2x2", "which has the same groups"

    # On 8 ranks these meshes have no group in common.
    outcome, record = run_tuned(
        mpi, 8, [program, str(used)], "forced:allgather:groups?mesh=2x4,bcast:groups?mesh=4x2", tmp_path
    )
    assert outcome.stdout == "0 wrong\n"
    bcasts = of(record, "bcast", 8)
    (meshes,) = (one for one in bcasts.candidates if one.name == "groups")
    assert meshes.eligible, meshes.reason
    assert meshes.samples == bcasts.calls
    assert meshes.setup_s is not None


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_the_report_tells_what_communicators_cost(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "meshes.c", tmp_path))
    _, record = run_tuned(mpi, 4, [program, "2"], "forced:bcast:groups?mesh=2x2", tmp_path)
    (context,) = (one for one in record.contexts if one.collective == "bcast")
    (meshes,) = (one for one in context.candidates if one.name == "groups")
    assert meshes.setup_s is not None
    assert meshes.setup_s > 0
    told = subprocess.run(
        [*STARLING, "report", str(tmp_path / "record.json")], capture_output=True, text=True, check=True
    ).stdout
    assert "setting up" in told
    assert "for groups?mesh=2x2" in told


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_a_mesh_of_another_number_of_ranks_is_refused(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "meshes.c", tmp_path))
    outcome, record = run_tuned(mpi, 4, [program, "1"], "forced:bcast:groups?mesh=3x2x2", tmp_path)
    assert outcome.stdout == "0 wrong\n"
    context = of(record, "bcast", 4)
    assert context.winner == "native"
    assert "needs 12 ranks for a mesh of 3x2x2" in {one.reason for one in context.candidates}
