"""Profiles of Fortran and mpi4py programs: each call counts once on every rank, and follows the one before it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bindings.targets import DEBIAN, HERE, Run, Target, target_named
from bindings.test_mpi4py import CALLS, pythons
from support.mpis import ROOT, compile_fortran

PROFILED = {"STARLING_PROFILE": "1", "STARLING_STRATEGY": "native"}
ROUNDS = 400
"""Of the Fortran programs."""


def profiled(run: Run) -> tuple[dict[str, Any], dict[tuple[str, str], int]]:
    """The contexts of a profile by collective, of which each has one, and how often one followed another."""
    record = json.loads(run.records[0].read_text())
    contexts = {one["collective"]: one for one in record["contexts"] if "profile" in one}
    order: dict[tuple[str, str], int] = {}
    for one in record["profile"]["order"]:
        pair = (one["from"]["collective"], one["to"]["collective"])
        order[pair] = order.get(pair, 0) + one["calls"]
    return contexts, order


@pytest.mark.parametrize("source", ["ring_mpif", "ring_f08"])
@pytest.mark.parametrize("name", DEBIAN)
def test_a_fortran_program_is_profiled(name: str, source: str, tmp_path: Path) -> None:
    target = target_named(name)
    path = ROOT / f"tests/programs/{source}.f90"
    program = compile_fortran(target.mpi, path, tmp_path, ["-fallow-argument-mismatch"])
    contexts, order = profiled(target.run([str(program)], tmp_path, ranks=2, env=PROFILED))
    alltoall = contexts["alltoall"]
    assert (alltoall["calls"], alltoall["bytes"], alltoall["profile"]["ranks"]) == (ROUNDS, 256, 2)
    assert order["alltoall", "allreduce"] == order["allreduce", "bcast"] == ROUNDS
    assert order["allgather", "alltoall"] == ROUNDS - 1
    assert order["reduce", "barrier"] == 1


@pytest.mark.parametrize(("target", "python", "env"), [pytest.param(*each, id=str(each[0])) for each in pythons()])
def test_an_mpi4py_program_is_profiled(target: Target, python: Path, env: dict[str, str], tmp_path: Path) -> None:
    run = target.run([str(python), str(HERE / "mpi4py_calls.py")], tmp_path, env={**env, **PROFILED})
    assert run.calls == CALLS
    contexts, _ = profiled(run)
    assert contexts["allreduce"]["calls"] == CALLS["allreduce"]
    assert contexts["allreduce"]["profile"]["ranks"] == 4
