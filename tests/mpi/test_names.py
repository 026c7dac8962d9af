"""What the program called its communicators and datatypes, it is told, also while they are being freed."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.mpis import Mpi, compile_c, compile_fortran, debian_mpis, installed_mpis, run_ranks
from support.tuned import preloaded, run_tuned

HERE = Path(__file__).parent


@pytest.mark.parametrize("strategy", ["native", "star-basic"])
@pytest.mark.parametrize("mpi", installed_mpis(), ids=str)
def test_delete_functions_are_told_the_program_s_names(mpi: Mpi, tmp_path: Path, strategy: str) -> None:
    program = str(compile_c(mpi, HERE / "names.c", tmp_path))
    outcome, _ = run_tuned(mpi, 2, [program], strategy, tmp_path)
    assert outcome.stdout == "0 wrong\n"


@pytest.mark.parametrize("binding", ["MPI", "F08"])
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_those_in_fortran_too(mpi: Mpi, tmp_path: Path, binding: str) -> None:
    library = compile_c(mpi, HERE / "names.c", tmp_path, ["-DFOR_FORTRAN", "-shared", "-fPIC"])
    in_c = library.rename(tmp_path / "libnames.so")
    options = [f"-DBINDING_{binding}", "-Wl,--no-as-needed", str(in_c)]
    program = str(compile_fortran(mpi, HERE / "names.F90", tmp_path, options))
    assert run_ranks(mpi, 2, [program], preloaded(mpi, tmp_path)).check().stdout.split() == ["0", "wrong"]
    outcome, _ = run_tuned(mpi, 2, [program], "star-basic", tmp_path)
    assert outcome.stdout.split() == ["0", "wrong"]
