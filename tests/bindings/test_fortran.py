"""Fortran entry points: a call from any of the three bindings counts once, and Fortran's constants are understood."""

from __future__ import annotations

from pathlib import Path

import pytest

from bindings.targets import CHOOSER, DEBIAN, HERE, target_named
from support.mpis import compile_c, compile_fortran

OFTEN = {"bcast": 2, "gatherv": 1, "scatterv": 1, "barrier": 2, "allreduce": 3}
"""How often the program calls a blocking collective, where that is not twice: as it comes and in place."""

TWICE = (
    *("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "exscan", "gather"),
    *("reduce", "reduce_scatter", "reduce_scatter_block", "scan", "scatter"),
)

PASSED = ("ibarrier", "iallreduce", "ialltoallw", "neighbor_allgather", "neighbor_alltoallw", "ineighbor_alltoall")


@pytest.mark.parametrize("binding", ["MPIFH", "MPI", "F08"])
@pytest.mark.parametrize("name", DEBIAN)
def test_a_fortran_call_is_counted_once_and_right(name: str, binding: str, tmp_path: Path) -> None:
    target = target_named(name)
    persistent = target.mpi.flavour == "mpich"
    options = [f"-DBINDING_{binding}", *(["-DHAS_PERSISTENT"] if persistent else []), "-fallow-argument-mismatch"]
    program = compile_fortran(target.mpi, HERE / "every_collective.F90", tmp_path, options)
    run = target.run([str(program)], tmp_path)
    assert "wrong 0" in run.outcome.stdout, run.outcome.report()
    expected = OFTEN | dict.fromkeys(TWICE, 2) | dict.fromkeys(PASSED, 1) | ({"barrier_init": 1} if persistent else {})
    assert run.calls == expected


@pytest.mark.parametrize("variant", ["", CHOOSER])
@pytest.mark.parametrize("name", DEBIAN)
def test_a_library_may_have_functions_of_its_own_by_fortrans_names(name: str, variant: str, tmp_path: Path) -> None:
    target = target_named(name)
    (tmp_path / "own").mkdir()
    own = compile_c(target.mpi, HERE / "own_names.c", tmp_path / "own", ["-DOWN", "-shared", "-fPIC"])
    program = compile_c(target.mpi, HERE / "own_names.c", tmp_path)
    run = target.run([str(program), str(own)], tmp_path, ranks=2, variant=variant)
    assert run.outcome.stdout == "answer 42\n" * 2
    assert run.calls == {"bcast": 1}


@pytest.mark.parametrize("name", DEBIAN)
def test_constants_are_understood_in_a_library_that_is_opened_without_making_its_symbols_public(
    name: str, tmp_path: Path
) -> None:
    target = target_named(name)
    opened = compile_fortran(
        target.mpi, HERE / "opened.f90", tmp_path, ["-shared", "-fPIC", "-fallow-argument-mismatch"]
    )
    program = compile_c(target.mpi, HERE / "opens.c", tmp_path, ["-Wl,--as-needed"])
    run = target.run([str(program), str(opened)], tmp_path, variant=CHOOSER)
    assert run.outcome.stdout == "right\n" * 4
    assert run.calls == {"allreduce": 1, "bcast": 1}
