"""Calls whose sizes differ by a factor of 100: ways are compared for the same work, on a link whose truth is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.mpis import Mpi, compile_c, debian_mpis
from support.tuned import library, preloaded, run_tuned

HERE = Path(__file__).parent
TRIES = 8
"""Calls of each way, one after the other, before brute-force chooses: native first."""
SMALL, LARGE = "500", "50000"


@pytest.mark.parametrize("strategy", ["brute-force", "star"])
@pytest.mark.parametrize(
    ("slower", "first", "other", "faster"),
    [("NATIVE_SLOWER", SMALL, LARGE, "simple"), ("MESSAGES_SLOWER", LARGE, SMALL, "native")],
)
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_the_faster_way_wins_although_it_had_the_larger_calls(
    mpi: Mpi, tmp_path: Path, slower: str, first: str, other: str, faster: str, strategy: str
) -> None:
    program = str(compile_c(mpi, HERE / "sizes_differ.c", tmp_path))
    link = compile_c(mpi, HERE / "slow_link.c", tmp_path, ["-shared", "-fPIC"])
    env = {
        **preloaded(mpi, tmp_path, [library(mpi), link]),
        "STARLING_ONLY": "alltoallv:simple",
        "STARLING_ITER": str(TRIES),
        "STARLING_GIVE_UP": "0",
        "STARLING_SAMPLES": "min",
        slower: "3",
    }
    _, record = run_tuned(mpi, 2, [program, str(TRIES), first, other], strategy, tmp_path, env)
    (context,) = record.contexts
    assert all(one.samples > 0 for one in context.candidates if one.eligible)
    assert context.winner == faster
