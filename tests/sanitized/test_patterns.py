"""Patterns and programs written for ADCL on MPICH, under address and undefined-behaviour sanitizers."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from support.mpis import ROOT, Mpi, compile_c, mpi_named, run_ranks
from support.processes import Outcome
from support.tuned import preloaded

PROGRAMS = ROOT / "tests/mpi"
BUILD = ROOT / "build-test/sanitized"
OPTIONS = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
CALLS = {"adcl_collectives": ("3",), "lifetimes": ("7", "200"), "patterns": ("brute-force",)}


def runtime_of_sanitizer(mpi: Mpi) -> Path:
    """Address sanitizer's library, which a process loads before any other."""
    done = subprocess.run([mpi.mpicc, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


def run(source: Path, ranks: int, folder: Path, *words: str) -> Outcome:
    """Compiles a program, links it with the library of BUILD, and runs it."""
    mpi = mpi_named("mpich4")
    assert (BUILD / "libstarling-mpich.so").is_file(), "not built: make test-sanitized"
    headers = (f"-I{ROOT / 'include'}", f"-I{ROOT / 'include/starling'}")
    linking = ("-Wl,--no-as-needed", f"-L{BUILD}", "-lstarling-mpich", f"-Wl,-rpath,{BUILD}")
    program = compile_c(mpi, source, folder, (*OPTIONS, *headers, *linking))
    env = {
        **preloaded(mpi, folder, [runtime_of_sanitizer(mpi)]),
        # What MPI itself never frees is told too, and is no failure (`leaks`); what else is found aborts.
        "ASAN_OPTIONS": "detect_leaks=1:fast_unwind_on_malloc=0:abort_on_error=1",
        "LSAN_OPTIONS": "exitcode=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "STARLING_HISTORY": "off",
        "HOME": str(folder),
    }
    return run_ranks(mpi, ranks, [str(program), *words], env, 170, cwd=folder)


def leaks(outcome: Outcome) -> list[str]:
    """Reports of memory that the library allocated, not MPI below it, and that nobody frees or refers to."""
    reports = re.split(r"\n(?=(?:Direct|Indirect) leak of )", outcome.stderr)
    found = [one for one in reports if " leak of " in one.splitlines()[0]]
    return [one for one in found if "libstarling" in one and "libmpich" not in one]


@pytest.mark.parametrize(
    "name", ["patterns", "lifetimes", "adcl_halos", "adcl_sets", "adcl_collectives", "adcl_figure"]
)
def test_programs_are_right_and_sanitizers_find_nothing(name: str, tmp_path: Path) -> None:
    ranks = 4 if name == "adcl_halos" else 3
    outcome = run(PROGRAMS / f"{name}.c", ranks, tmp_path, *CALLS.get(name, ())).check()
    assert outcome.stdout.startswith(("right, ", "0 faults")), outcome.report()
    assert "ERROR: AddressSanitizer" not in outcome.stderr, outcome.report()
    assert "runtime error" not in outcome.stderr, outcome.report()
    assert leaks(outcome) == []


def test_they_see_what_the_library_does(tmp_path: Path) -> None:
    outcome = run(Path(__file__).parent / "overrun.c", 2, tmp_path)
    assert outcome.status != 0
    assert "ERROR: AddressSanitizer: heap-" in outcome.stderr
    assert "libstarling-mpich.so" in outcome.stderr
