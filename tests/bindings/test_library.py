"""The library as a file: its exports and its needs, and that it prints nothing in programs without MPI."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from bindings.targets import CHOOSER, library, targets

VARIANTS = [*sorted({target.variant for target in targets()}), CHOOSER]


def dynamic_symbols(file: Path, which: str) -> list[str]:
    """Names in the dynamic symbol table, without their versions."""
    listed = subprocess.run(["nm", "-D", which, str(file)], capture_output=True, text=True, check=True).stdout
    return [line.split()[-1].split("@")[0] for line in listed.splitlines()]


@pytest.mark.parametrize("variant", VARIANTS)
def test_only_mpi_and_starling_symbols_are_exported(variant: str) -> None:
    exported = dynamic_symbols(library(variant), "--defined-only")
    allowed = re.compile(r"MPI_[A-Z]\w*|mpi_\w+|ompi_\w+_f|starling_\w+|ADCL_\w+|adcl_\w+")
    assert [name for name in exported if not allowed.fullmatch(name)] == []
    assert {"MPI_Allreduce", "MPI_Allreduce_c", "MPI_Iallreduce", "MPI_Allreduce_init_c", "MPI_Init"} <= set(exported)


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_mpi_symbol_is_needed(variant: str) -> None:
    needed = dynamic_symbols(library(variant), "--undefined-only")
    assert [name for name in needed if "mpi" in name.lower()] == []


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_cxx_runtime_is_needed(variant: str) -> None:
    listed = subprocess.run(["readelf", "-d", str(library(variant))], capture_output=True, text=True, check=True).stdout
    needed = {name.split(".so")[0] for name in re.findall(r"NEEDED.*\[(.*)\]", listed)}
    assert needed <= {"libc", "libm", "ld-linux-x86-64", "ld-linux-aarch64"}


MOST_OF_THREAD = 512
"""What glibc keeps, in every thread, for libraries that are opened at run time and want static storage, by default."""


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_can_be_opened_at_run_time(variant: str) -> None:
    listed = subprocess.run(["readelf", "-lW", library(variant)], capture_output=True, text=True, check=True).stdout
    of_thread = [line.split() for line in listed.splitlines() if line.split()[:1] == ["TLS"]]
    assert sum(int(segment[5], 16) for segment in of_thread) <= MOST_OF_THREAD


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_program_without_mpi_does_not_notice(variant: str, tmp_path: Path) -> None:
    env = os.environ | {"LD_PRELOAD": str(library(variant)), "STARLING_HISTORY": str(tmp_path)}
    done = subprocess.run(["sh", "-c", "echo hello"], env=env, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("hello\n", "")
    assert list(tmp_path.iterdir()) == []
