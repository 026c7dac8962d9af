"""A build that does not match the program's MPI library reports it once and stays inactive."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bindings.targets import HERE, Target, library, targets
from bindings.test_mpi4py import pythons
from support.mpis import compile_c, environment

OTHERS = {"openmpi": ("mpich", "abi"), "mpich": ("openmpi", "abi"), "abi": ("openmpi", "mpich")}


@pytest.mark.parametrize("target", targets(), ids=str)
def test_a_program_under_the_wrong_build_is_right_and_told_so_once(target: Target, tmp_path: Path) -> None:
    program = compile_c(target.mpi, HERE / "every_collective.c", tmp_path)
    for variant in OTHERS[target.variant]:
        run = target.run([str(program)], tmp_path, variant=variant)
        assert "wrong 0" in run.outcome.stdout, run.outcome.report()
        assert run.records == []
        (line,) = run.outcome.stderr.splitlines()
        assert line.startswith(f"starling: the program runs on {target.mpi.flavour} ")
        assert f"libstarling-{variant}.so is not for it" in line
        assert f"leave out --mpi, or use libstarling-{target.variant}.so (starling run --mpi {target.variant})" in line


@pytest.mark.parametrize(("target", "python", "env"), [pytest.param(*each, id=str(each[0])) for each in pythons()])
def test_large_counts_that_mpi_lacks_work_under_the_wrong_build_too(
    target: Target, python: Path, env: dict[str, str], tmp_path: Path
) -> None:
    for variant in OTHERS[target.variant]:
        run = target.run([str(python), str(HERE / "mpi4py_calls.py")], tmp_path, env=env, variant=variant)
        assert "all right on 4" in run.outcome.stdout, run.outcome.report()
        assert run.records == []
        (line,) = run.outcome.stderr.splitlines()
        assert f"libstarling-{variant}.so is not for it: nothing is tuned" in line


@pytest.mark.parametrize("target", targets(), ids=str)
def test_a_program_without_an_mpi_library_is_told_so(target: Target, tmp_path: Path) -> None:
    stub = tmp_path / "libstub.so"
    source = tmp_path / "stub.c"
    source.write_text("int MPI_Init(int *argc, char ***argv) { return argc == 0 && argv == 0; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(stub)], check=True)
    source.write_text("int MPI_Init(int *, char ***);\nint main(void) { return MPI_Init(0, 0); }\n")
    program = tmp_path / "lost"
    subprocess.run(["cc", str(source), "-o", str(program), str(stub)], check=True)
    stub.unlink()
    subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-o", str(stub)], check=True)
    env = environment(target.mpi, {"LD_PRELOAD": str(library(target.variant))})
    done = subprocess.run([str(program)], env=env, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode != 0
    reported, why = done.stderr.splitlines()
    assert reported.startswith("starling: no MPI library is loaded in this program")
    assert why.startswith("starling: MPI_Init was called")
