"""Programs with patterns that use the interface in ways that examples do not."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from support.linked import linked
from support.mpis import Mpi, debian_mpis, mpi_named, run_ranks
from support.tuned import preloaded

SOURCE = Path(__file__).parent / "unusual_patterns.c"
CASES = re.findall(r'^ +\{"(\w+)", \w+\},$', SOURCE.read_text(), re.MULTILINE)
SETTINGS = {
    "blocks_of_unknown_sizes_in_flight": {"STARLING_ITER": "3"},
    "trials_longer_than_the_run": {"STARLING_ITER": "1000"},
    "a_timer_looks_at_one_request_at_a_time": {"STARLING_DRIFT": "1000"},
}


@pytest.mark.parametrize(
    ("mpi", "case"),
    # MPICH 5 makes no communicator of a grid of some ranks but by MPI_Comm_split.
    [*itertools.product(debian_mpis(), CASES), (mpi_named("mpich5"), "a_grid_of_some_ranks")],
    ids=str,
)
def test_an_unusual_program_is_right(mpi: Mpi, case: str, tmp_path: Path) -> None:
    settings = {"STARLING_HISTORY": "off", "STARLING_RECORD": "off", "HOME": str(tmp_path), **SETTINGS.get(case, {})}
    program = linked(mpi, SOURCE, tmp_path)
    outcome = run_ranks(mpi, 3, [program, case], {**preloaded(mpi, tmp_path), **settings}, 100, cwd=tmp_path).check()
    assert outcome.stdout == "right\n"
    assert outcome.stderr == ""


@pytest.mark.parametrize("mpi", [mpi for mpi in debian_mpis() if mpi.mpifort is not None], ids=str)
def test_an_unusual_program_in_fortran_is_right(mpi: Mpi, tmp_path: Path) -> None:
    settings = {"STARLING_HISTORY": "off", "STARLING_RECORD": "off", "HOME": str(tmp_path)}
    program = linked(mpi, SOURCE.with_suffix(".f90"), tmp_path)
    outcome = run_ranks(mpi, 3, [program], {**preloaded(mpi, tmp_path), **settings}, 100, cwd=tmp_path).check()
    assert outcome.stdout.strip() == "right"
    assert outcome.stderr == ""
