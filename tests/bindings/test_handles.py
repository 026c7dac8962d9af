"""What the runtime finds in the loaded MPI library: its flavour, its handles, which are predefined; sums without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bindings.targets import HERE, Target, targets
from support.mpis import compile_cxx, run_ranks

ENUMERATORS = {"openmpi": "openmpi", "mpich": "mpich", "abi": "standard"}


@pytest.mark.parametrize("linking", ["-pie", "-no-pie"])
@pytest.mark.parametrize("target", targets(), ids=str)
def test_handles_are_found_and_predefined_ones_recognised(target: Target, linking: str, tmp_path: Path) -> None:
    # Linked either way: the linker moves Open MPI's variables into the program, or leaves them in the library.
    options = [f"-DSTARLING_ABI={ENUMERATORS[target.variant]}", linking, "-fPIE" if linking == "-pie" else "-fno-pie"]
    program = compile_cxx(target.mpi, HERE / "handles.cpp", tmp_path, [*options, "-ldl"])
    outcome = run_ranks(target.mpi, 1, [str(program)]).check()
    name, version, *_, wrong = outcome.stdout.split()
    assert (name, wrong) == (target.mpi.flavour, "0"), outcome.report()
    assert version[0].isdigit()
