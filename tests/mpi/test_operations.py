"""Operations in flight together, advanced without blocking: every candidate of six collectives, on real MPI."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.mpis import Mpi, compile_cxx, debian_mpis, run_ranks, runtime
from support.tuned import preloaded

HERE = Path(__file__).parent


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
@pytest.mark.parametrize("ranks", [2, 5, 8])
def test_operations_in_flight_are_right_whatever_the_order(mpi: Mpi, ranks: int, tmp_path: Path) -> None:
    options = (f"-DSTARLING_ABI={mpi.abi}", *runtime(mpi), "-ldl")
    program = compile_cxx(mpi, HERE / "operations.cpp", tmp_path, options)
    outcome = run_ranks(mpi, ranks, [str(program)], preloaded(mpi, tmp_path), 120).check()
    found = re.fullmatch(r"(\d+) right, 0 wrong, 6 at once\n", outcome.stdout)
    assert found, outcome.report()
    assert int(found[1]) > 200 * ranks
