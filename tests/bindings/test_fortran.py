"""Fortran entry points: a call from any of the three bindings counts once, and Fortran's constants are understood."""

from __future__ import annotations

from pathlib import Path

import pytest

from bindings.targets import DEBIAN, HERE, target_named
from support.mpis import compile_fortran

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
