"""Halo exchange on real MPI libraries: every implementation on random grids, and arrays that do not fit together."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.mpis import Mpi, compile_cxx, debian_mpis, run_ranks, runtime
from support.tuned import preloaded

HERE = Path(__file__).parent


@pytest.fixture(scope="module", params=debian_mpis(), ids=str)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    found: Mpi = request.param
    return found


@pytest.fixture(scope="module")
def program(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> str:
    options = (f"-DSTARLING_ABI={mpi.abi}", *runtime(mpi), "-ldl")
    return str(compile_cxx(mpi, HERE / "halo.cpp", tmp_path_factory.mktemp("halo"), options))


@pytest.mark.parametrize(("ranks", "cases"), [(2, 10), (4, 5), (6, 2)])
def test_every_implementation_fills_the_halos_of_random_grids(
    mpi: Mpi, program: str, ranks: int, cases: int, tmp_path: Path
) -> None:
    argv = [program, str(ranks), str(cases)]
    outcome = run_ranks(mpi, ranks, argv, preloaded(mpi, tmp_path), timeout=120).check()
    found = re.fullmatch(r"(\d+) right, 0 wrong, 0 refused, 0 misfits accepted\n", outcome.stdout)
    assert found, outcome.report()
    assert int(found[1]) == ranks * cases * 20 * 2


def test_a_library_without_windows_for_one_rank_leaves_one_sided_out(mpi: Mpi, program: str) -> None:
    outcome = run_ranks(mpi, 1, [program, "5", "5"]).check()
    found = re.fullmatch(r"(\d+) right, 0 wrong, (\d+) refused, 0 misfits accepted\n", outcome.stdout)
    assert found, outcome.report()
    assert int(found[1]) + 2 * int(found[2]) == 5 * 20 * 2
