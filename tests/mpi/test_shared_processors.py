"""A node with more ranks than processors, whose MPI library polls: who comes last there is not late."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.mpis import Mpi, compile_c, debian_mpis
from support.tuned import library, run_tuned

HERE = Path(__file__).parent


@pytest.fixture(params=debian_mpis(), ids=str)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    found: Mpi = request.param
    return found


def test_auto_leaves_a_library_that_makes_ranks_wait_for_a_processor(tmp_path: Path) -> None:
    (polls,) = (one for one in debian_mpis() if one.name == "mpich4")
    on_one = ["taskset", "--cpu-list", str(min(os.sched_getaffinity(0)))]
    program = compile_c(polls, HERE / "many_reductions.c", tmp_path)
    preloaded = {"LD_PRELOAD": str(library(polls))}
    _, found = run_tuned(polls, 3, [str(program), "300"], "auto", tmp_path, preloaded, before=on_one)
    assert found.run.shares_processors
    (context,) = found.contexts
    natively = context.candidate("native")
    assert natively and natively.samples < context.calls / 2
    assert context.winner != "native"


@pytest.mark.parametrize("ranks", [1, 2, 9])
def test_the_record_tells_whether_ranks_share_processors(mpi: Mpi, ranks: int, tmp_path: Path) -> None:
    program = compile_c(mpi, HERE / "many_reductions.c", tmp_path)
    some = sorted(os.sched_getaffinity(0))[:8]
    on_few = ["taskset", "--cpu-list", ",".join(map(str, some))]
    _, found = run_tuned(mpi, ranks, [str(program), "3"], "auto", tmp_path, before=on_few)
    assert found.run.shares_processors == (ranks > len(some))


def test_what_is_not_measured_is_not_kept(mpi: Mpi, tmp_path: Path) -> None:
    program = compile_c(mpi, HERE / "many_reductions.c", tmp_path)
    on_one = ["taskset", "--cpu-list", str(min(os.sched_getaffinity(0)))]
    history = tmp_path / "history"
    settings = {"STARLING_HISTORY": str(history), "STARLING_PROBE": "start"}
    _, found = run_tuned(mpi, 2, [str(program), "3"], "auto", tmp_path, settings, before=on_one)
    assert found.run.shares_processors
    assert list(history.glob("*.network")) == []
