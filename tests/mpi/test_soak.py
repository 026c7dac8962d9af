"""A hundred thousand random collectives with known results while strategies try and switch; memory stays as it is."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from support.mpis import Mpi, compile_cxx, debian_mpis, run_ranks
from support.tuned import preloaded, run_tuned

SOURCE = Path(__file__).parent / "soak.cpp"
CALLS = int(os.environ.get("SOAK_CALLS", "100000"))
"""For each MPI; `make soak` makes ten times as many."""
SHARES = {"star": 0.4, "lottery": 0.3, "auto": 0.15, "threads": 0.15}
"""The share of the calls, for each way to run them."""
RANKS = 3
PATIENCE = 600 * max(1.0, CALLS / 100000)
"""Seconds after which a run counts as hung; its own watchdog ends one without progress."""
GROWTH = 8192
"""KiB that memory may grow by in the second half, in which each context still gets new sizes and roots."""
QUICK = {
    "STARLING_ITER": "1",
    "STARLING_LONGEST_DRAW": "3",
    "STARLING_BUDGET": "1",
    "STARLING_STAKE": "0",
    "STARLING_PROBE": "off",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("soak")


@pytest.fixture(scope="module", params=debian_mpis(), ids=str)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    found: Mpi = request.param
    return found


@pytest.fixture(scope="module")
def program(mpi: Mpi, folder: Path) -> str:
    return str(compile_cxx(mpi, SOURCE, folder, ["-O2"]))


def check(stdout: str) -> None:
    """Asserts that every result was right and memory stayed as it was."""
    found = re.fullmatch(r"\d+ calls, 0 wrong, (-?\d+) KiB more\n", stdout)
    assert found, stdout
    assert int(found[1]) < GROWTH, "memory grows with the number of calls"


def test_the_program_knows_what_collectives_give(mpi: Mpi, program: str, folder: Path) -> None:
    argv = [program, "--seed", "1", "--calls", str(CALLS // 50)]
    check(run_ranks(mpi, RANKS, argv, preloaded(mpi, folder), PATIENCE).check().stdout)


@pytest.mark.parametrize("strategy", ["star", "lottery", "auto"])
def test_every_result_is_right(mpi: Mpi, program: str, folder: Path, strategy: str) -> None:
    argv = [program, "--seed", "2", "--calls", str(int(CALLS * SHARES[strategy]))]
    outcome, record = run_tuned(mpi, RANKS, argv, strategy, folder, QUICK, PATIENCE)
    check(outcome.stdout)
    tried = [sum(one.samples > 0 for one in context.candidates) for context in record.contexts]
    assert sum(number > 1 for number in tried) > 10, "hardly anything was tried"
    if strategy != "auto":  # which stays with native where nothing is clearly faster
        assert sum(len(context.decisions) > 1 for context in record.contexts) > 10, "hardly anything switched"


def test_every_result_is_right_in_threads(mpi: Mpi, program: str, folder: Path) -> None:
    argv = [program, "--seed", "3", "--threads", "2", "--calls", str(int(CALLS * SHARES["threads"]) // 2)]
    outcome, _ = run_tuned(mpi, RANKS, argv, "star", folder, QUICK, PATIENCE)
    check(outcome.stdout)
