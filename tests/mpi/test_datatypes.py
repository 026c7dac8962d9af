"""Datatypes of every kind, and collectives without data, with Starling's own algorithms."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.mpis import Mpi, compile_c, compile_cxx, installed_mpis, mpi_named, run_ranks
from support.tuned import candidates, preloaded, run_tuned

HERE = Path(__file__).parent
RANKS = 3
HANDLES = 64
"""Most different handles that the program counts."""
LEAK = 500
"""KiB: 4,000 types that left 128 bytes each."""


def forced() -> str:
    """The strategy that forces one candidate of every collective."""
    return "forced:" + ",".join(f"{collective}:{offered[0]}" for collective, offered in candidates().items())


STRATEGIES = ("star-basic", forced())


@pytest.fixture(scope="module", params=[mpi for mpi in installed_mpis() if mpi.flavour != "intel"], ids=str)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    """Not Intel's, whose native reductions of types with leading gaps are wrong."""
    found: Mpi = request.param
    return found


@pytest.fixture(scope="module")
def folder(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp(mpi.name)


def run_all(mpi: Mpi, program: Path, folder: Path) -> None:
    """Without Starling, then under each strategy, whose candidates must run."""
    argv = [str(program)]
    # MPI libraries that poll without yielding their processor would take minutes.
    ranks = RANKS if mpi.prefix is None or mpi.flavour == "openmpi" else 2
    run_ranks(mpi, ranks, argv, preloaded(mpi, folder), 300).check()
    for strategy in STRATEGIES:
        outcome, record = run_tuned(mpi, ranks, argv, strategy, folder, {"STARLING_ITER": "1"}, 600)
        assert outcome.stdout.endswith("0 faults\n")
        ran = [one for context in record.contexts for one in context.candidates if one.samples and one.name != "native"]
        assert ran, f"{strategy} ran nothing of Starling's"


def test_types_of_every_combiner_made_of_every_combiner(mpi: Mpi, folder: Path) -> None:
    run_all(mpi, compile_cxx(mpi, HERE / "combiners.cpp", folder), folder)


def test_operators_apply_to_fortrans_kinds(mpi: Mpi, folder: Path) -> None:
    run_all(mpi, compile_c(mpi, HERE / "f90_kinds.c", folder), folder)


def test_collectives_without_data_succeed(mpi: Mpi, folder: Path) -> None:
    run_all(mpi, compile_c(mpi, HERE / "empty.c", folder), folder)


def test_calls_without_data_that_follow_calls_with_data_are_left_to_native(mpi: Mpi, folder: Path) -> None:
    program = compile_c(mpi, HERE / "emptied.c", folder)
    # The sizes behind the first one share contexts.
    outcome, record = run_tuned(mpi, 2, [str(program)], "auto", folder, {"STARLING_SIZES": "1"}, 300)
    assert outcome.stdout == "0 faults\n"
    assert {one.stage for one in record.contexts if one.bucket and one.bytes == 0} == {"single"}


def test_a_reused_handle_stands_for_its_new_type(mpi: Mpi, folder: Path) -> None:
    program = compile_c(mpi, HERE / "types_come_and_go.c", folder)
    for strategy in STRATEGIES:
        outcome, _ = run_tuned(mpi, 2, [str(program), "5000"], strategy, folder, {"STARLING_ITER": "1"}, 300)
        words = outcome.stdout.split()
        assert words[-2:] == ["0", "faults"]
        assert int(words[3]) < HANDLES, "no handle came back, so that nothing is proven"
        assert int(words[5]) < LEAK, "memory grows with the number of types"


def test_delete_functions_may_use_the_type_that_is_being_freed(tmp_path: Path) -> None:
    # Open MPI and MPICH 5 free such a type at each end of its use, again, and crash.
    mpi = mpi_named("mpich4")
    run_all(mpi, compile_c(mpi, HERE / "dying_types.c", tmp_path), tmp_path)
