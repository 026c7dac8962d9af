"""Unmodified programs under `starling run --strategy star-basic`: the same results, and the tuning can be seen."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from programs.runs import HERE, RANKS, Pair, run_pair
from support.mpis import ROOT, Mpi, compile_c, compile_fortran, debian_mpis, installed_mpis, mpi_named

HEAT = ROOT / "examples/heat_spectrum/heat_spectrum.c"
HEAT_STEPS = {"openmpi4": 1000, "openmpi5": 600, "mpich4": 600}
"""Of the others 250: with more ranks than processors their calls take longest."""


def program(name: str) -> str:
    """Where Debian has put a program; AssertionError where it is not installed."""
    found = shutil.which(name)
    assert found, f"{name} is not installed; `make test` installs it"
    return found


def numbers(line: str) -> list[float]:
    """The numbers of a line of output."""
    return [float(word) for word in line.split()]


def thermo(outcome: str, columns: int) -> list[list[float]]:
    """LAMMPS's table: the lines of so many numbers."""
    number = r"[-+0-9.e]+"
    lines = re.findall(rf"^ *{number}(?: +{number}){{{columns - 1}}} *$", outcome, re.MULTILINE)
    return [numbers(line) for line in lines]


def check_thermo(pair: Pair, columns: int, tolerance: float) -> None:
    """Asserts that both runs print the same table, to a tolerance relative to each value."""
    plain, tuned = thermo(pair.plain.stdout, columns), thermo(pair.tuned.stdout, columns)
    assert len(plain) > 10
    assert len(tuned) == len(plain)
    for expected, found in zip(plain, tuned, strict=True):
        assert found == pytest.approx(expected, rel=tolerance)


def pythons() -> Iterator[tuple[Mpi, Path, dict[str, str]]]:
    """Each MPI that mpi4py is installed for, and what makes it load that one; Open MPI's wheel serves Debian's too."""
    for mpi in installed_mpis():
        if mpi.prefix is None or not any(mpi.prefix.glob("lib/python*/site-packages/mpi4py")):
            continue
        python = mpi.prefix / "bin/python"
        yield mpi, python, {}
        if mpi.flavour == "openmpi":
            debian = mpi_named("openmpi4")
            shown = subprocess.run(
                [str(debian.mpicc), "--showme:libdirs"], capture_output=True, text=True, check=True
            ).stdout.split()
            yield debian, python, {"MPI4PY_MPIABI": "openmpi", "MPI4PY_LIBMPI": f"{shown[0]}/libmpi.so"}


@pytest.mark.parametrize("mpi", installed_mpis(), ids=str)
def test_the_bundled_program_prints_the_same_on_every_mpi(mpi: Mpi, tmp_path: Path) -> None:
    heat = compile_c(mpi, HEAT, tmp_path)
    pair = run_pair(mpi, [str(heat), "128", str(HEAT_STEPS.get(mpi.name, 250))], tmp_path)
    assert "checksum" in pair.plain.stdout
    assert pair.tuned.stdout == pair.plain.stdout
    pair.check_tuned("alltoall", "allreduce", "allgather", "bcast")


def test_quantum_espresso_finds_the_same_energy(tmp_path: Path) -> None:
    pair = run_pair(mpi_named("openmpi4"), [program("pw.x"), "-in", "silicon.in"], tmp_path)
    energies = [
        float(re.findall(r"^!\s+total energy\s+=\s+(\S+) Ry", outcome.stdout, re.MULTILINE)[-1])
        for outcome in (pair.plain, pair.tuned)
    ]
    assert all("convergence has been achieved" in outcome.stdout for outcome in (pair.plain, pair.tuned))
    assert energies[1] == pytest.approx(energies[0], abs=1.5e-8)
    pair.check_tuned("alltoall", "allreduce", "bcast")


def test_lammps_melts_alike(tmp_path: Path) -> None:
    pair = run_pair(mpi_named("openmpi4"), [program("lmp"), "-in", "melt.lmp", "-log", "none"], tmp_path)
    check_thermo(pair, 5, 2e-7)
    pair.check_tuned("allreduce")


def test_lammps_keeps_the_salt_together_with_collective_pppm(tmp_path: Path) -> None:
    pair = run_pair(mpi_named("openmpi4"), [program("lmp"), "-in", "salt.lmp", "-log", "none"], tmp_path)
    check_thermo(pair, 6, 1e-5)
    pair.check_tuned("allreduce")
    transposes = [context for context in pair.record.contexts if context.collective == "alltoallv"]
    assert sum(context.calls for context in transposes) > 100


def test_hpcc_passes_its_own_tests(tmp_path: Path) -> None:
    pair = run_pair(mpi_named("openmpi4"), [program("hpcc")], tmp_path, sleeping=False)
    passed = []
    for place in ("plain", "tuned"):
        output = (tmp_path / place / "hpccoutf.txt").read_text()
        assert "Success=1" in output
        assert "FAILED" not in output
        assert re.search(r"^\s*0 tests completed and failed residual checks", output, re.MULTILINE)
        # The rows of the table are no measure: hpcc leaves out those whose processor time reads 0.
        passed.append(re.findall(r"^\s*(\d+) tests completed and passed residual checks", output, re.MULTILINE))
    assert passed[0] == ["5", "1"]
    assert passed[1] == passed[0]
    pair.check_tuned("allreduce")


@pytest.mark.parametrize(("mpi", "python", "env"), [pytest.param(*one, id=str(one[0])) for one in pythons()])
def test_mpi4py_computes_the_same(mpi: Mpi, python: Path, env: dict[str, str], tmp_path: Path) -> None:
    pair = run_pair(mpi, [str(python), str(HERE / "spectrum.py")], tmp_path, env)
    assert f"mpi4py {RANKS} ranks" in pair.plain.stdout
    assert pair.tuned.stdout == pair.plain.stdout
    pair.check_tuned("alltoall", "allreduce", "allgather", "bcast")


@pytest.mark.parametrize("source", ["ring_f08.f90", "ring_mpif.f90"])
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_fortran_computes_the_same(mpi: Mpi, source: str, tmp_path: Path) -> None:
    built = compile_fortran(mpi, HERE / source, tmp_path, ["-fallow-argument-mismatch", "-w"])
    pair = run_pair(mpi, [str(built)], tmp_path)
    assert "checksum" in pair.plain.stdout
    assert pair.tuned.stdout == pair.plain.stdout
    pair.check_tuned("alltoall", "allreduce", "allgather", "bcast")
