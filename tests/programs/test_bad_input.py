"""What Starling cannot use is said in one line, and the program runs as if Starling were not there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from programs.runs import COMMAND, RANKS
from support.mpis import ROOT, Mpi, compile_c, debian_mpis, run_ranks
from support.processes import Outcome
from support.tuned import preloaded

HEAT = ROOT / "examples/heat_spectrum/heat_spectrum.c"
ARGUMENTS = ("32", "40")
FAILING = ("48", "40")
"""48 is no power of two: the program says so and ends with status 2."""


@pytest.fixture(scope="module", params=debian_mpis(), ids=str)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    found: Mpi = request.param
    return found


@pytest.fixture(scope="module")
def heat(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(compile_c(mpi, HEAT, tmp_path_factory.mktemp("heat")))


def run(
    mpi: Mpi,
    folder: Path,
    argv: tuple[str, ...],
    before: tuple[str, ...] = (),
    env: Mapping[str, str] | None = None,
) -> Outcome:
    """Runs the program in `folder`, which may hold a settings file."""
    surroundings = {**preloaded(mpi, folder), "XDG_DATA_HOME": str(folder / "data"), **(env or {})}
    return run_ranks(mpi, RANKS, argv, surroundings, 60, before=before, cwd=folder)


def said(outcome: Outcome) -> list[str]:
    """What Starling said, but for where the record is."""
    lines = [line for line in outcome.stderr.splitlines() if line.startswith("starling:")]
    return [line for line in lines if not line.startswith("starling: record ")]


def check_native(mpi: Mpi, heat: str, folder: Path, tuned: Outcome) -> str:
    """Asserts that a run did what it does without Starling, but for one line; that line."""
    plain = run(mpi, folder, (heat, *ARGUMENTS)).check()
    assert tuned.status == plain.status, tuned.report()
    assert tuned.stdout == plain.stdout
    assert len(said(tuned)) == 1, tuned.report()
    return said(tuned)[0]


@pytest.mark.parametrize(
    "strategy", ["fastest-of-all", "forced:allreduce:telepathy", "forced:nonsense:ring", "forced:"]
)
def test_a_strategy_that_does_not_exist(mpi: Mpi, heat: str, tmp_path: Path, strategy: str) -> None:
    tuned = run(mpi, tmp_path, (heat, *ARGUMENTS), (COMMAND, "run", "--"), {"STARLING_STRATEGY": strategy})
    line = check_native(mpi, heat, tmp_path, tuned)
    assert f"STARLING_STRATEGY='{strategy}': " in line


def test_a_variable_that_does_not_exist(mpi: Mpi, heat: str, tmp_path: Path) -> None:
    tuned = run(mpi, tmp_path, (heat, *ARGUMENTS), (COMMAND, "run", "--"), {"STARLING_ITERATIONS": "5"})
    line = check_native(mpi, heat, tmp_path, tuned)
    assert line == "starling: STARLING_ITERATIONS is unknown and ignored; did you mean STARLING_ITER?"


def test_an_exception_for_native(mpi: Mpi, heat: str, tmp_path: Path) -> None:
    tuned = run(mpi, tmp_path, (heat, *ARGUMENTS), (COMMAND, "run", "--except", "native", "--"))
    assert "native, which stays a candidate all the same" in check_native(mpi, heat, tmp_path, tuned)


def test_a_malformed_settings_file(mpi: Mpi, heat: str, tmp_path: Path) -> None:
    (tmp_path / "starling.toml").write_text('strategy = "star-basic"\niter = = 3\n')
    tuned = run(mpi, tmp_path, (heat, *ARGUMENTS), (COMMAND, "run", "--"))
    line = check_native(mpi, heat, tmp_path, tuned)
    assert "starling.toml" in line
    assert "line 2" in line


def test_a_history_that_cannot_be_written_is_told_once(mpi: Mpi, heat: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    tuned = run(mpi, tmp_path, (heat, *ARGUMENTS), (COMMAND, "run", "--"), {"STARLING_HISTORY": "file/history"})
    assert "no run record in the history" in check_native(mpi, heat, tmp_path, tuned)


def test_a_record_that_cannot_be_written(mpi: Mpi, heat: str, tmp_path: Path) -> None:
    record = tmp_path / "no" / "such" / "folder" / "record.json"
    tuned = run(mpi, tmp_path, (heat, *ARGUMENTS), ("env", f"STARLING_RECORD={record}", COMMAND, "run", "--"))
    assert str(record) in check_native(mpi, heat, tmp_path, tuned)
    flagged = run(mpi, tmp_path, (heat, *ARGUMENTS), (COMMAND, "run", "--record", str(record), "--"))
    assert (flagged.status, flagged.stdout) == (2, ""), "nothing is started that leaves no record"
    why = f"there is no folder {record.parent}; make it, or name another file"
    assert said(flagged) == [f"starling: --record {record}: {why}"]


def test_the_status_of_a_failing_program_passes_through(mpi: Mpi, heat: str, tmp_path: Path) -> None:
    plain = run(mpi, tmp_path, (heat, *FAILING))
    tuned = run(mpi, tmp_path, (heat, *FAILING), (COMMAND, "run", "--"))
    assert plain.status != 0
    assert tuned.status == plain.status
    assert tuned.stdout == plain.stdout
    assert "power of two" in tuned.stderr
