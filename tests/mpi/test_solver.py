"""The solver of examples/solver: one result, whichever implementation exchanges its halos, in C and in Fortran."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from starling.records import record as records
from support.linked import linked
from support.mpis import ROOT, Mpi, debian_mpis, run_ranks
from support.processes import Outcome
from support.tuned import STARLING, preloaded

SOURCES = (ROOT / "examples/solver/solver.c", ROOT / "examples/solver/solver.f90")
POINTS = (5, 4, 3)
"""Of a rank, along X, Y and Z."""
IMPLEMENTATIONS = 20
ITERATIONS = 3 * IMPLEMENTATIONS
EACH_IN_TURN = {"STARLING_ITER": "2", "STARLING_GIVE_UP": "0"}
"""A search makes all calls of all implementations: a wrong halo of any would change the result."""


def run(
    mpi: Mpi,
    ranks: int,
    argv: Sequence[str],
    folder: Path,
    env: Mapping[str, str] | None = None,
    before: Sequence[str] = (),
) -> Outcome:
    settings = {"STARLING_HISTORY": "off", "STARLING_RECORD": str(folder / "record.json")}
    return run_ranks(mpi, ranks, argv, {**preloaded(mpi, folder), **settings, **(env or {})}, 100, before=before)


def solved(outcome: Outcome, ranks: int, points: Sequence[int]) -> Any:
    """What the program prints."""
    found = json.loads(outcome.check().stdout)
    assert (found["program"], found["ranks"], found["points"]) == ("solver", ranks, list(points))
    assert len(found["iteration_seconds"]) == ITERATIONS
    assert found["seconds"] == pytest.approx(sum(found["iteration_seconds"]), rel=1e-4)
    return found


def exchanges(record: Path) -> list[records.Context]:
    return [one for one in records.read(record)[0].contexts if one.collective == "neighborhood"]


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_all_implementations_on_any_ranks_in_both_languages_come_to_one_residual(mpi: Mpi, tmp_path: Path) -> None:
    residuals = []
    for source in SOURCES:
        program = linked(mpi, source, tmp_path)
        argv = [program, *map(str, (*POINTS, ITERATIONS))]
        tried = solved(run(mpi, 8, [*argv, "brute-force"], tmp_path, EACH_IN_TURN), 8, POINTS)
        (context,) = exchanges(tmp_path / "record.json")
        assert [one.samples > 0 for one in context.candidates] == [True] * IMPLEMENTATIONS
        fixed = solved(run(mpi, 8, [*argv, "forced:Sendrecv_pair_pack"], tmp_path), 8, POINTS)
        assert fixed["implementation"] == "Sendrecv_pair_pack"
        assert fixed["residual"] == tried["residual"]
        whole = [2 * one for one in POINTS]
        alone = solved(run(mpi, 1, [program, *map(str, (*whole, ITERATIONS))], tmp_path), 1, whole)
        residuals += [fixed["residual"], alone["residual"]]
    assert residuals == [pytest.approx(residuals[0], rel=1e-12)] * 4
    assert 0 < residuals[0] < 0.5  # of 1 at first: it converges


@pytest.mark.parametrize("mpi", debian_mpis()[:1], ids=str)
def test_the_solver_runs_under_starling_run_and_tells_what_is_wrong_with_its_arguments(
    mpi: Mpi, tmp_path: Path
) -> None:
    program = linked(mpi, SOURCES[0], tmp_path)
    argv = [program, *map(str, (*POINTS, ITERATIONS))]
    record = tmp_path / "tuned.json"
    forced = ["--strategy", "forced:neighborhood:PostStartPut_aao"]
    tuned = [*STARLING, "run", "--record", str(record), "--history", "off", *forced, "--"]
    outcome = run(mpi, 2, argv, tmp_path, before=tuned)
    assert solved(outcome, 2, POINTS)["implementation"] == "PostStartPut_aao"
    assert [one.calls for one in exchanges(record)] == [ITERATIONS]
    assert "there is no strategy 'fastest'" in run(mpi, 2, [*argv, "fastest"], tmp_path).stderr
    outcome = run(mpi, 2, [program, "8", "8", "many", "3"], tmp_path)
    assert outcome.status == 2
    assert outcome.stderr.count("usage: solver X Y Z ITERATIONS [STRATEGY]") == 1


def test_the_protocol_measures_what_its_file_lacks_and_its_tables_tell_which_is_best_and_what_searching_cost(
    tmp_path: Path,
) -> None:
    mpi = debian_mpis()[0]
    chosen, output = ["IsendIrecv_aao", "SendRecv_pair_pack"], tmp_path / "measured.json"
    protocol = [sys.executable, str(ROOT / "bench/solver.py"), "measure", "--mpicc", str(mpi.mpicc), "-o", str(output)]
    protocol += ["--points", "4x4x4", "--iterations", "40", "--searches", "attribute", "--implementations", *chosen]
    env = {key: value for key, value in os.environ.items() if not key.startswith("STARLING_")}
    env |= {**mpi.env, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"}
    refuses = tmp_path / "launcher.sh"
    refuses.write_text(f'case "$*" in *{chosen[1]}*) exit 3 ;; esac; exec "$@"')

    def measured(*options: str, before: Sequence[str] = (), status: int = 0) -> list[str]:
        line = [*protocol, *options, "--", *before, *mpi.launcher, "-n", "2"]
        done = subprocess.run(line, env=env, capture_output=True, text=True, check=False, timeout=100)
        assert done.returncode == status, done.stderr
        return [one for one in done.stdout.splitlines() if "4x4x4" in one or "minutes" in one]

    assert measured("--minutes", "0") == ["0 minutes are over; the same command goes on from here"]
    assert not output.exists()
    tried = measured("--rounds", "1", before=["sh", str(refuses)], status=1)
    assert [f"{chosen[1]}, round 0: " in one for one in tried if "exit status 3" in one] == [True]
    assert len(tried) == 3
    assert len(measured("--rounds", "1")) == 1
    assert len(measured("--rounds", "2")) == 3

    def table(kind: str) -> str:
        line = [sys.executable, str(ROOT / "bench/pages.py"), kind, str(output)]
        return subprocess.run(line, capture_output=True, text=True, check=True).stdout

    best, overheads = table("solver-best"), table("solver-overheads")
    assert "| this machine | 2 | 4x4x4 | `" in best
    assert any(f"`{name}`" in best for name in chosen)
    assert "| this machine | 2 | 4x4x4 | attribute | " in overheads
    assert " of 2 |" in overheads


def test_a_simulated_time_is_that_of_the_middle_where_all_ranks_are_busy(tmp_path: Path) -> None:
    """As those ahead end, the network is left to the others: their last iterations are short."""
    measured, file = [], tmp_path / "simulated.json"
    for how, seconds in (("PostStartGet_aao", [9.0, 5, 5, 5, 5, 5, 2, 1]), ("WinfecePut_aao", [5.0, *[4.0] * 7])):
        one = {"what": "64x32x32", "platform": "a network", "mpi": "SMPI", "ranks": 64, "how": how, "seconds": seconds}
        measured.append({**one, "notes": {"chosen": how, "not_made": 692}})
    file.write_text(json.dumps({"schema": 1, "command": ["solver.py"], "measurements": measured}))
    line = [sys.executable, str(ROOT / "bench/pages.py"), "solver-best", str(file)]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    told = "| `WinfecePut_aao` | 4e+03 | 0 |  | 0.0 % | `PostStartGet_aao` | 1.25 |"
    assert f"| a network | 64 | 64x32x32 {told}" in done.stdout
