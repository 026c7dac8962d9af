"""The benchmarks' programs find what they know to be right, without and with Starling, on any number of ranks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from programs.runs import RANKS, starling_run
from starling.records.record import read
from support.mpis import ROOT, Mpi, compile_c, debian_mpis, run_ranks
from support.processes import Outcome
from support.tuned import preloaded

PROGRAMS = (
    ("fft", "alltoall", "64", "20"),
    ("nbody", "allgather", "120", "40"),
    ("molecular_dynamics", "allreduce", "8", "20"),
    ("nanotube", "allgatherv", "40", "40"),
    ("adams", "allgather", "480", "40"),
    ("jacobi", "allgather", "480", "40", "rows"),
    ("jacobi", "allreduce", "480", "40", "columns"),
    ("jacobi", "bcast", "480", "40", "root"),
)
"""Name, the collective of each step, and arguments, first size and steps."""
ON_SIX_RANKS = [program for program in PROGRAMS if program[0] in {"adams", "jacobi"}]
"""Solvers of equations with a known solution; six ranks divide their sizes."""


def line(outcome: Outcome) -> dict[str, Any]:
    """What a program prints."""
    found: dict[str, Any] = json.loads(outcome.check().stdout)
    return found


@pytest.mark.parametrize("program", PROGRAMS, ids="-".join)
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_the_result_is_right_with_one_rank_with_many_and_with_starling(
    mpi: Mpi, program: tuple[str, ...], tmp_path: Path
) -> None:
    name, collective, *arguments = program
    steps = arguments[1]
    argv = [str(compile_c(mpi, ROOT / f"bench/programs/{name}.c", tmp_path)), *arguments]
    env, record = {**preloaded(mpi, tmp_path), "STARLING_ITER": "2"}, tmp_path / "record.json"
    runs = [(1, ()), (RANKS, ()), (RANKS, starling_run(record))]
    alone, plain, tuned = (line(run_ranks(mpi, ranks, argv, env, before=before)) for ranks, before in runs)
    for found in (plain, tuned):
        assert (found["program"], found["ranks"], found["steps"]) == (name, RANKS, int(steps))
        assert len(found["step_seconds"]) == int(steps)
        assert sum(found["step_seconds"]) == pytest.approx(found["seconds"], rel=1e-3)
        assert found["check"] == pytest.approx(alone["check"], rel=0.01, abs=1e-10)
    contexts = [context for context in read(record)[0].contexts if context.collective == collective]
    assert max(sum(one.samples > 0 for one in context.candidates) for context in contexts) > 3


@pytest.mark.parametrize("program", ON_SIX_RANKS, ids="-".join)
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_the_solvers_find_the_exact_solution_on_six_ranks(mpi: Mpi, program: tuple[str, ...], tmp_path: Path) -> None:
    name, _, *arguments = program
    solver = str(compile_c(mpi, ROOT / f"bench/programs/{name}.c", tmp_path))
    alone, six = (line(run_ranks(mpi, ranks, [solver, *arguments], preloaded(mpi, tmp_path))) for ranks in (1, 6))
    assert six["ranks"] == 6
    assert six["check"] == pytest.approx(alone["check"], rel=0.01, abs=1e-10)


def test_the_error_of_the_adams_method_falls_with_the_fourth_power_of_its_step(tmp_path: Path) -> None:
    mpi = debian_mpis()[0]
    adams = str(compile_c(mpi, ROOT / "bench/programs/adams.c", tmp_path))
    errors = [line(run_ranks(mpi, 2, [adams, "480", str(steps)]))["check"] for steps in (40, 80)]
    assert errors[0] / errors[1] == pytest.approx(2**4, rel=0.15)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(("480", "24"), "with fewer than 25 steps the method is not stable"), (("481", "40"), "ranks must divide")],
)
def test_adams_refuses_what_it_cannot_solve(arguments: tuple[str, ...], told: str, tmp_path: Path) -> None:
    mpi = debian_mpis()[0]
    adams = str(compile_c(mpi, ROOT / "bench/programs/adams.c", tmp_path))
    outcome = run_ranks(mpi, 2, [adams, *arguments])
    assert outcome.status == 2
    assert told in outcome.stderr


def test_a_size_that_does_not_fit_is_told(tmp_path: Path) -> None:
    mpi = debian_mpis()[0]
    fft = compile_c(mpi, ROOT / "bench/programs/fft.c", tmp_path)
    outcome = run_ranks(mpi, 2, [str(fft), "48"])
    assert outcome.status == 2
    assert "fft: the side must be a power of two" in outcome.stderr
