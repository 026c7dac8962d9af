"""What pages show of one node, as printed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from documents.console import run_page
from support.mpis import ROOT, compile_c, mpi_named

PROGRAM = ROOT / "examples/power_iteration/power_iteration.c"


def test_the_history_is_as_printed(tmp_path: Path) -> None:
    compile_c(mpi_named("openmpi4"), PROGRAM, tmp_path).rename(tmp_path / "app")
    run_page(ROOT / "docs/history.md", tmp_path)


def test_a_profile_is_as_printed(tmp_path: Path) -> None:
    # Wide, for the table leaves out columns where ranks wait for several others.
    run_page(ROOT / "docs/profile.md", tmp_path, env={"COLUMNS": "160"})


def test_predictions_are_as_printed(tmp_path: Path) -> None:
    run_page(ROOT / "docs/cost-model.md", tmp_path)


def test_the_tutorial_for_own_code_is_as_printed(tmp_path: Path) -> None:
    for source in [*ROOT.glob("examples/patterns/ring.*"), ROOT / "examples/solver/solver.c"]:
        shutil.copy(source, tmp_path)
    packages = mpi_named("openmpi5").prefix
    assert packages is not None
    (mpi4py,) = packages.glob("lib/python*/site-packages/mpi4py")
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages/mpi4py").symlink_to(mpi4py)
    asked = [str(mpi_named("openmpi4").mpicc), "--showme:libdirs"]
    libmpi = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()[0]
    env = {"PYTHONPATH": str(tmp_path / "packages"), "MPI4PY_MPIABI": "openmpi", "MPI4PY_LIBMPI": f"{libmpi}/libmpi.so"}
    run_page(ROOT / "docs/tutorials/own-code.md", tmp_path, env=env)
