"""Operations in flight together, advanced without blocking: every candidate of six collectives, on real MPI."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.mpis import ROOT, Mpi, compile_cxx, debian_mpis, run_ranks

HERE = Path(__file__).parent
BUILD = ROOT / "build-test/wheel"
"""Where `make test-install` compiles the runtime and what lies below it."""


def runtime(mpi: Mpi) -> list[str]:
    """Object files of the runtime for this MPI, and the library of everything below it."""
    objects = sorted((BUILD / f"CMakeFiles/starling-{mpi.abi}.dir/src/runtime").rglob("*.o"))
    below = BUILD / "libstarling_core.a"
    assert objects and below.is_file(), f"{BUILD}: not built; make test-install"
    return [*map(str, objects), "-Wl,--whole-archive", str(below), "-Wl,--no-whole-archive"]


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
@pytest.mark.parametrize("ranks", [2, 5, 8])
def test_operations_in_flight_are_right_whatever_the_order(mpi: Mpi, ranks: int, tmp_path: Path) -> None:
    options = (f"-DSTARLING_ABI={mpi.abi}", *runtime(mpi), "-ldl")
    program = compile_cxx(mpi, HERE / "operations.cpp", tmp_path, options)
    outcome = run_ranks(mpi, ranks, [str(program)], timeout=120).check()
    found = re.fullmatch(r"(\d+) right, 0 wrong, 6 at once\n", outcome.stdout)
    assert found, outcome.report()
    assert int(found[1]) > 200 * ranks
