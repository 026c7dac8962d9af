"""What the runtime finds in the loaded MPI library: its flavour, its handles, which are predefined; sums without it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bindings.targets import HERE, Target, targets
from support.mpis import ROOT, environment, run_ranks

ENUMERATORS = {"openmpi": "openmpi", "mpich": "mpich", "abi": "standard"}


@pytest.mark.parametrize("linking", ["-pie", "-no-pie"])
@pytest.mark.parametrize("target", targets(), ids=str)
def test_handles_are_found_and_predefined_ones_recognised(target: Target, linking: str, tmp_path: Path) -> None:
    # Linked either way: the linker moves Open MPI's variables into the program, or leaves them in the library.
    program = tmp_path / "handles"
    of_runtime = ("pmpi", "repaired", "flavour", "loaded", "plain_sum")
    sources = [HERE / "handles.cpp", *(ROOT / f"src/runtime/mpi/{name}.cpp" for name in of_runtime)]
    options = ["-std=c++20", "-I", str(ROOT / "src"), f"-DSTARLING_ABI={ENUMERATORS[target.variant]}"]
    options += ["-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", linking, "-fPIE" if linking == "-pie" else "-fno-pie"]
    wrapper = str(target.mpi.mpicc)
    compiler = [wrapper, *options, "-x", "c++", *map(str, sources), "-o", str(program), "-lstdc++", "-ldl"]
    done = subprocess.run(compiler, env=environment(target.mpi), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    outcome = run_ranks(target.mpi, 1, [str(program)]).check()
    name, version, *_, wrong = outcome.stdout.split()
    assert (name, wrong) == (target.mpi.flavour, "0"), outcome.report()
    assert version[0].isdigit()
