"""Errors in the middle of an exchange: later calls on the communicator are right wherever they are without Starling."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.mpis import ROOT, Mpi, compile_c, debian_mpis, run_ranks
from support.tuned import candidates, preloaded, run_tuned

HERE = Path(__file__).parent
RANKS = 4
PATIENCE = 60.0
"""Seconds after which a run counts as hung."""
KINDS = ("alltoallv", "alltoallw", "gatherv", "scatterv")
ITEMS = ("4", "4096")
"""Of a block. With the second number the block is one piece of what goes through shared memory, and what is too much
another piece."""
RIGHT = "0 errors too many, 0 wrong, 0 not reported\n"


def survives(mpi: Mpi, kind: str) -> bool:
    """Whether the MPI library itself goes on: after an error Open MPI's gatherv leaves messages to the next call."""
    return not (mpi.flavour == "openmpi" and kind == "gatherv")


def cases() -> list[tuple[Mpi, str]]:
    """Each MPI with each kind."""
    return [(mpi, kind) for mpi in debian_mpis() for kind in KINDS if survives(mpi, kind)]


def truncated(mpi: Mpi, folder: Path) -> str:
    """The program."""
    return str(compile_c(mpi, HERE / "truncated.c", folder, [f"-I{ROOT / 'include'}"]))


@pytest.mark.parametrize("items", ITEMS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_the_mpi_library_goes_on_after_an_error(mpi: Mpi, tmp_path: Path, kind: str, items: str) -> None:
    if survives(mpi, kind):
        argv = [truncated(mpi, tmp_path), kind, items]
        assert run_ranks(mpi, RANKS, argv, preloaded(mpi, tmp_path), PATIENCE).check().stdout == RIGHT


@pytest.mark.parametrize("strategy", ["star-basic", "lottery"])
@pytest.mark.parametrize(("mpi", "kind"), cases(), ids=str)
def test_an_error_leaves_nothing_to_the_calls_after_it(mpi: Mpi, tmp_path: Path, kind: str, strategy: str) -> None:
    argv = [truncated(mpi, tmp_path), kind, ITEMS[0]]
    env = {"STARLING_ITER": "1", "STARLING_LONGEST_DRAW": "2"}
    outcome, _ = run_tuned(mpi, RANKS, argv, strategy, tmp_path, env, PATIENCE)
    assert outcome.stdout == RIGHT


@pytest.mark.parametrize("items", ITEMS)
@pytest.mark.parametrize(("mpi", "kind"), cases(), ids=str)
def test_an_error_in_any_way_leaves_nothing_to_the_calls_after_it(
    mpi: Mpi, tmp_path: Path, kind: str, items: str
) -> None:
    ways = [name for name in candidates()[kind] if items == ITEMS[0] or "shared" in name]
    argv = [truncated(mpi, tmp_path), kind, items, *ways]
    outcome, record = run_tuned(mpi, RANKS, argv, "native", tmp_path, {}, PATIENCE * len(ways))
    assert outcome.stdout == "".join(f"{way}: {RIGHT}" for way in ways)
    chosen = [one for context in record.contexts for one in context.candidates if one.public_name in ways]
    ran = {one.public_name for one in chosen if one.samples}
    assert ran, "nothing of Starling's own ran"
    assert {one.public_name for one in chosen if not one.eligible} == set(ways) - ran
