"""mpi4py loads the MPI library itself, invisible to other libraries: its calls are intercepted nevertheless."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bindings.targets import HERE, Target, target_named
from support.mpis import environment, installed_mpis
from support.tuned import STARLING

CALLS = {"allreduce": 10, "bcast": 3, "ialltoallv": 2}
CALLS |= dict.fromkeys(("allgatherv", "alltoallv", "alltoallw", "gatherv", "scatterv", "reduce_scatter"), 1)
CALLS |= dict.fromkeys(("neighbor_alltoallv", "ibarrier"), 1)
CALLS["gatherv"] += 2  # between two groups, each of which has a context


def pythons() -> Iterator[tuple[Target, Path, dict[str, str]]]:
    """Each MPI library that mpi4py can load, a Python that has mpi4py, and what tells mpi4py which library to load.

    An mpi4py wheel serves every MPI library of its ABI: the Open MPI environment's runs on Debian's Open MPI as well.
    """
    for mpi in installed_mpis():
        if mpi.prefix and any(mpi.prefix.glob("lib/python*/site-packages/mpi4py")):
            python = mpi.prefix / "bin" / "python"
            yield target_named(mpi.name), python, {}
            if mpi.flavour == "openmpi":
                debian = target_named("openmpi4")
                asked = [str(debian.mpi.mpicc), "--showme:libdirs"]
                folder = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()[0]
                yield debian, python, {"MPI4PY_MPIABI": "openmpi", "MPI4PY_LIBMPI": f"{folder}/libmpi.so"}


@pytest.mark.parametrize(("target", "python", "env"), [pytest.param(*each, id=str(each[0])) for each in pythons()])
def test_mpi4py_is_intercepted(target: Target, python: Path, env: dict[str, str], tmp_path: Path) -> None:
    run = target.run([str(python), str(HERE / "mpi4py_calls.py")], tmp_path, env=env)
    assert "all right on 4" in run.outcome.stdout, run.outcome.report()
    assert run.calls == CALLS
    assert run.outcome.stderr == ""


@pytest.mark.parametrize(("target", "python", "env"), [pytest.param(*each, id=str(each[0])) for each in pythons()])
def test_persistent_collectives_work_under_their_names_of_the_standard(
    target: Target, python: Path, env: dict[str, str], tmp_path: Path
) -> None:
    run = target.run([str(python), str(HERE / "mpi4py_persistent.py")], tmp_path, env=env)
    assert "all right on 4" in run.outcome.stdout, run.outcome.report()
    assert run.calls == dict.fromkeys(("allreduce_init", "allgather_init", "barrier_init"), 1)


@pytest.mark.parametrize(
    ("target", "python", "env"),
    [pytest.param(*each, id=str(each[0])) for each in pythons() if each[0].variant == "openmpi"],
)
def test_ranks_that_the_launcher_of_another_mpi_left_alone_are_told_so(
    target: Target, python: Path, env: dict[str, str], tmp_path: Path
) -> None:
    other = target_named("mpich4").mpi  # an MPICH may not start at all under Open MPI's
    program = [str(python), "-c", "from mpi4py import MPI; MPI.COMM_WORLD.Barrier()"]
    done = subprocess.run(
        [*STARLING, "run", "--history", str(tmp_path), "--", *other.launcher, "-n", "2", *program],
        env=environment(other, env),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert len(list(tmp_path.glob("*.json"))) == 2
    *_, last = done.stderr.splitlines()
    assert last.startswith("starling: each rank ran alone, as a program of one rank: "), done.stderr
    assert f"and the program ran on {target.mpi.flavour} " in last
