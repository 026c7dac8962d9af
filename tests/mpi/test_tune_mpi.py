"""`starling tune-mpi` on real MPI libraries: parameters reach the ranks, and the file is what the library reads."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.mpis import Mpi, compile_c, debian_mpis, environment, run_ranks
from support.tuned import STARLING, preloaded

HERE = Path(__file__).parent
PARAMETERS = {"openmpi": "btl_vader_eager_limit", "mpich": "MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE"}
"""The name of what the program reads, which is a control variable of MPI_T in both."""


def tuned(mpi: Mpi, folder: Path, options: list[str], program: list[str]) -> tuple[str, dict[str, Any]]:
    """What the command said, and its JSON."""
    line = [*STARLING, "tune-mpi", "--json", "-o", str(folder / "found.conf"), *options]
    done = subprocess.run(
        [*line, "--", *mpi.launcher, "-n", "2", *program],
        env=environment(mpi, {**preloaded(mpi, folder), "XDG_CACHE_HOME": str(folder / "cache")}),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return done.stderr, found


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_the_library_takes_the_values_that_are_tried_and_those_of_the_file(mpi: Mpi, tmp_path: Path) -> None:
    # The program prints a figure that depends on what every rank's library says that the parameter is.
    program = str(compile_c(mpi, HERE / "control_variable.c", tmp_path))
    name = PARAMETERS[mpi.flavour]
    options = ["-p", f"{name}=8K,20000,64K", "-r", "1", "--pairs", "2", "--figure", r"distance (\S+)"]
    said, found = tuned(mpi, tmp_path, options, [program, name])
    assert found["chosen"] == {name: "20000"}
    assert [one["figures"] for one in found["candidates"]] == [[20000 - 8192 + 1], [1], [65536 - 20000 + 1]]
    assert found["better"]
    assert f"written to {tmp_path / 'found.conf'}; use it: " in said
    known = found["default"]["settings"][name]
    assert found["default"]["figures"] == [abs(int(known) - 20000) + 1], "the library's own list is right"

    if mpi.flavour == "openmpi":
        used = run_ranks(
            mpi, 2, [program, name], {"OMPI_MCA_mca_base_param_files": str(tmp_path / "found.conf")}
        ).check()
    else:
        script = f'. {tmp_path / "found.conf"}; exec "$@"'
        used = run_ranks(mpi, 2, [program, name], preloaded(mpi, tmp_path), before=["sh", "-c", script, "sh"]).check()
    assert used.stdout == "distance 1\n"


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_a_benchmark_of_ours_needs_no_program(mpi: Mpi, tmp_path: Path) -> None:
    name = PARAMETERS[mpi.flavour]
    options = ["-p", f"{name}=1K,64K", "-r", "1", "--pairs", "2", "--benchmark", "alltoall:16K"]
    _, found = tuned(mpi, tmp_path, [*options, "--mpicc", str(mpi.mpicc)], [])
    assert found["chosen"] in ({name: "1024"}, {name: "65536"})
    # Where both take about as long, the search runs them again.
    assert all(one["figures"] and one["failed"] is None for one in found["candidates"])
    assert all(0 < figure < 10 for pair in found["pairs"] for figure in pair)
    assert found["margin"] is not None
    lines = (tmp_path / "found.conf.measurements").read_text().splitlines()
    assert json.loads(lines[0])["benchmark"] == "alltoall:16K"
    assert len(lines) >= 1 + 1 + 2 + 2
