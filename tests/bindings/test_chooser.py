"""The library that is preloaded into every process: it finds the MPI in it, and opens the variant for that."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from bindings.targets import CHOOSER, DEBIAN, HERE, Target, library, target_named, targets
from bindings.test_mpi4py import CALLS, pythons
from support.mpis import ROOT, compile_c, compile_fortran, environment
from support.tuned import STARLING

NATIVE = {"STARLING_STRATEGY": "native"}
CALLED = {"allreduce": 5}
OTHER = {"openmpi": "mpich4", "mpich": "openmpi4", "abi": "openmpi4"}
"""An MPI of another ABI than the program's."""


@pytest.mark.parametrize("target", targets(), ids=str)
def test_the_program_of_a_script_is_tuned_whatever_path_says(target: Target, tmp_path: Path) -> None:
    program = compile_c(target.mpi, HERE / "five_allreduces.c", tmp_path)
    misleading = tmp_path / "bin"
    misleading.mkdir()
    other = target_named(OTHER[target.variant]).mpi
    for name, tool in (("mpiexec", other.launcher[0]), ("mpirun", other.launcher[0]), ("mpicc", str(other.mpicc))):
        (misleading / name).symlink_to(tool)
    script = tmp_path / "job.sh"
    script.write_text(f'#!/bin/sh\n{" ".join(target.mpi.launcher)} -n 2 env A=1 bash -c "{program}"; exit $?\n')
    script.chmod(0o755)
    env = environment(target.mpi, {**NATIVE, "HOME": str(tmp_path)})
    history = tmp_path / f"history-{target}"
    done = subprocess.run(
        [*STARLING, "run", "--history", str(history), "--", str(script)],
        env={**env, "PATH": f"{misleading}{os.pathsep}{env['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    (record,) = history.glob("*.json")
    assert (done.returncode, "sum 3" in done.stdout) == (0, True), done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"starling: record {record}")


@pytest.mark.parametrize("binding", ["MPIFH", "F08"])
@pytest.mark.parametrize("name", DEBIAN)
def test_a_fortran_program_of_a_script_is_counted_once(name: str, binding: str, tmp_path: Path) -> None:
    target = target_named(name)
    source = ROOT / f"tests/programs/ring_{'f08' if binding == 'F08' else 'mpif'}.f90"
    program = compile_fortran(target.mpi, source, tmp_path, ["-fallow-argument-mismatch"])
    known = target.run([str(program)], tmp_path / "known", ranks=2, env=NATIVE)
    run = target.run(["sh", "-c", str(program)], tmp_path, ranks=2, env=NATIVE, variant=CHOOSER)
    assert run.calls == known.calls
    assert run.calls["alltoall"] == 400


@pytest.mark.parametrize(("target", "python", "env"), [pytest.param(*each, id=str(each[0])) for each in pythons()])
def test_mpi4py_in_a_script_is_intercepted(target: Target, python: Path, env: dict[str, str], tmp_path: Path) -> None:
    line = ["sh", "-c", f"{python} {HERE / 'mpi4py_calls.py'}"]
    run = target.run(line, tmp_path, env=env, variant=CHOOSER)
    assert "all right on 4" in run.outcome.stdout, run.outcome.report()
    assert run.calls == CALLS
    assert run.outcome.stderr == ""


@pytest.mark.parametrize("name", DEBIAN)
def test_a_profiler_behind_it_sees_the_calls_too(name: str, tmp_path: Path) -> None:
    target = target_named(name)
    program = compile_c(target.mpi, HERE / "five_allreduces.c", tmp_path)
    tool = compile_c(target.mpi, HERE / "tool.c", tmp_path, ["-shared", "-fPIC"])
    preload = {"LD_PRELOAD": f"{library(CHOOSER)}:{tool}"}
    run = target.run([str(program)], tmp_path, ranks=1, env=NATIVE | preload)
    assert run.calls == CALLED
    assert "tool: 1 init 5 allreduce" in run.outcome.stderr


@pytest.mark.parametrize("order", ["linked", "in front", "behind", "twice"])
def test_one_library_of_several_serves_the_program(order: str, tmp_path: Path) -> None:
    target = target_named("openmpi4")
    chooser, variant = library(CHOOSER), library(target.variant)
    linked = ["-Wl,--no-as-needed", str(variant), f"-Wl,-rpath,{variant.parent}"] if order == "linked" else []
    copy = tmp_path / "copy" / chooser.name
    copy.parent.mkdir()
    shutil.copy(chooser, copy)
    preloaded = {"linked": [chooser], "in front": [chooser, variant], "behind": [variant, chooser]}
    program = compile_c(target.mpi, HERE / "five_allreduces.c", tmp_path, linked)
    preload = {"LD_PRELOAD": ":".join(map(str, preloaded.get(order, [chooser, copy])))}
    run = target.run([str(program)], tmp_path, ranks=1, env=NATIVE | preload)
    assert run.calls == CALLED
    assert run.outcome.stderr == ""


def test_a_program_that_asks_for_starling_finds_it(tmp_path: Path) -> None:
    target = target_named("mpich4")
    program = compile_c(target.mpi, ROOT / "tests/mpi/choose.c", tmp_path, [f"-I{ROOT / 'include'}"])
    target.run([str(program)], tmp_path, ranks=4, env={"STARLING_PROCESSORS": "shared"}, variant=CHOOSER)


def test_calls_at_the_very_end_of_the_program_are_carried_out(tmp_path: Path) -> None:
    target = target_named("openmpi4")
    program = compile_c(target.mpi, ROOT / "tests/mpi/at_exit.c", tmp_path)
    run = target.run([str(program)], tmp_path, ranks=2, variant=CHOOSER)
    assert "the last sums are right" in run.outcome.stdout
    assert run.calls == {"allreduce": 100}


def test_a_program_without_mpi_opens_no_variant(tmp_path: Path) -> None:
    env = os.environ | {"LD_PRELOAD": str(library(CHOOSER)), "STARLING_HISTORY": str(tmp_path)}
    done = subprocess.run(["cat", "/proc/self/maps"], env=env, capture_output=True, text=True, check=True)
    assert "/libstarling.so" in done.stdout
    assert "/libstarling-" not in done.stdout
    assert done.stderr == ""


UNKNOWN = """
int PMPI_Get_library_version(char *text, int *length) { text[0] = 0; return *length = 0; }
int MPI_Init(int *argc, char ***argv) { return argc == 0 && argv == 0 ? 0 : 1; }
"""


@pytest.mark.parametrize("rank", ["0", "1"])
def test_a_program_of_an_unknown_mpi_runs_and_the_first_rank_says_why(rank: str, tmp_path: Path) -> None:
    stub, source, program = tmp_path / "libmpi.so.7", tmp_path / "stub.c", tmp_path / "program"
    source.write_text(UNKNOWN)
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", stub, "-Wl,-soname,libmpi.so.7"], check=True)
    source.write_text("int MPI_Init(int *, char ***);\nint main(void) { return MPI_Init(0, 0); }\n")
    subprocess.run(["cc", source, "-o", program, stub, f"-Wl,-rpath,{tmp_path}"], check=True)
    env = os.environ | {"LD_PRELOAD": str(library(CHOOSER)), "PMI_RANK": rank}
    done = subprocess.run(["sh", "-c", program], env=env, capture_output=True, text=True, check=True)
    said = f"starling: the program runs on {stub}, an MPI whose binary interface is not known: nothing is tuned"
    assert [line.partition(";")[0] for line in done.stderr.splitlines()] == [said] * (rank == "0")


def test_a_variant_may_be_in_the_users_folder_and_where_it_is_nowhere_that_is_said(tmp_path: Path) -> None:
    target = target_named("mpich4")
    program = compile_c(target.mpi, HERE / "five_allreduces.c", tmp_path)
    alone = tmp_path / "alone" / "libstarling.so"
    alone.parent.mkdir()
    shutil.copy(library(CHOOSER), alone)
    preload = NATIVE | {"LD_PRELOAD": str(alone)}
    run = target.run([str(program)], tmp_path, ranks=2, env=preload)
    assert run.records == []
    (line,) = run.outcome.stderr.splitlines()
    assert "libstarling-mpich.so cannot be used: nothing is tuned" in line
    assert line.endswith("build it with: starling doctor --build MPICC")
    preload["STARLING_VARIANTS"] = str(library(target.variant).parent)
    assert target.run([str(program)], tmp_path, ranks=2, env=preload).calls == CALLED
