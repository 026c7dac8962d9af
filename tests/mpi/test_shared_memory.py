"""Memory that ranks of a node share: progress of MPI meanwhile, what happens without it, and what is left of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.mpis import Mpi, compile_c, debian_mpis, run_ranks
from support.tuned import library, on_hosts_of_two, preloaded, run_tuned

SOURCE = Path(__file__).parent / "shared_memory.c"
FORCED = "forced:barrier:shared,bcast:shared,allreduce:shared"


@pytest.fixture(params=debian_mpis(), ids=str)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    found: Mpi = request.param
    return found


@pytest.fixture
def program(mpi: Mpi, tmp_path: Path) -> str:
    return str(compile_c(mpi, SOURCE, tmp_path))


def shared_files() -> set[Path]:
    """Files of Starling's in shared memory."""
    return set((Path("/dev") / "shm").glob("starling-*"))


def test_a_rank_that_waits_lets_mpi_make_progress(mpi: Mpi, program: str, tmp_path: Path) -> None:
    _, record = run_tuned(mpi, 3, [program, "late"], FORCED, tmp_path)
    assert {context.winner for context in record.contexts} >= {"shared", "shared?k=2"}


def test_where_a_rank_cannot_share_memory_all_go_natively(mpi: Mpi, program: str, tmp_path: Path) -> None:
    _, record = run_tuned(mpi, 3, [program, "refused"], FORCED, tmp_path)
    (context,) = (one for one in record.contexts if one.collective == "allreduce")
    assert context.winner == "native"
    (forced,) = (one for one in context.candidates if one.public_name == "shared?part=whole")
    assert forced.reason is not None
    assert forced.reason.startswith("ranks of a node cannot share memory")
    assert not shared_files()


def test_what_a_process_shares_is_bounded(mpi: Mpi, program: str, tmp_path: Path) -> None:
    _, record = run_tuned(mpi, 3, [program, "many"], FORCED, tmp_path)
    (context,) = (one for one in record.contexts if one.collective == "allreduce")
    samples = {one.public_name: one.samples for one in context.candidates if one.samples}
    assert set(samples) == {"native", "shared?part=whole"}
    # A segment of three ranks has 0.74 MiB of 256; the last call is made when all others are freed.
    assert 300 < samples["shared?part=whole"] < 360


def test_nodes_of_different_sizes_have_a_segment_each(mpi: Mpi, program: str, tmp_path: Path) -> None:
    forced = "forced:barrier:two_level?inner=shared,bcast:two_level?inner=shared"
    _, record = run_tuned(mpi, 5, on_hosts_of_two([program, "late"]), forced, tmp_path)
    (context,) = (one for one in record.contexts if one.collective == "bcast")
    assert context.winner == "two_level?inner=shared,outer=binomial"


def test_nothing_is_left_when_a_rank_is_killed(mpi: Mpi, program: str, tmp_path: Path) -> None:
    settings = {"STARLING_STRATEGY": FORCED, "STARLING_HISTORY": "off", "STARLING_PLATFORM": "nodes"}
    before = shared_files()
    outcome = run_ranks(mpi, 3, [program, "killed"], {**preloaded(mpi, tmp_path, [library(mpi)]), **settings})
    assert outcome.status != 0
    assert shared_files() == before
