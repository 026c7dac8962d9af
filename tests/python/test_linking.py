"""`starling config`: the flags to compile and link a program with the library."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.command import called
from support.mpis import Mpi, debian_mpis


def config(*words: str) -> subprocess.CompletedProcess[str]:
    return called("config", *words)


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_the_library_is_the_one_for_the_compilers_mpi(mpi: Mpi) -> None:
    words = config("--libs", "--mpicc", str(mpi.mpicc)).stdout.split()
    assert f"-lstarling-{mpi.abi}" in words
    folder = next(word.removeprefix("-L") for word in words if word.startswith("-L"))
    assert (Path(folder) / f"libstarling-{mpi.abi}.so").is_file()
    assert f"-Wl,-rpath,{folder}" in words


def test_an_mpi_can_be_named() -> None:
    assert "-lstarling-mpich" in config("--libs", "--mpi", "intel").stdout.split()


def test_headers_and_the_module_are_where_the_flags_say() -> None:
    folders = [Path(word.removeprefix("-I")) for word in config("--cflags").stdout.split()]
    assert (folders[0] / "starling/patterns.h").is_file()
    assert {one.name for one in folders[1].iterdir()} >= {"ADCL.h", "ADCL.inc"}
    assert Path(config("--module").stdout.strip()).read_text().startswith("! Starling's interface")


def test_what_is_wrong_is_one_line() -> None:
    nothing = config()
    assert nothing.returncode == 2
    assert nothing.stderr == "starling: say what to print: --flags, --cflags, --libs or --module\n"
    unknown = config("--flags", "--mpicc", "no-such-mpicc")
    assert unknown.returncode == 1
    assert unknown.stderr.startswith("starling: no compiler 'no-such-mpicc' on PATH")
    other = config("--flags", "--mpicc", "cc")
    assert other.returncode == 1
    assert "finds no mpi.h of a known MPI" in other.stderr
    assert other.stderr.count("\n") == 1
