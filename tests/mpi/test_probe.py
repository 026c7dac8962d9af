"""The probe of the network, in MPI_Init where it is asked for there, and what is kept of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from starling.algorithms import repository
from starling.records import history, record
from support.mpis import Mpi, compile_c, debian_mpis
from support.processes import Outcome
from support.tuned import run_tuned

HERE = Path(__file__).parent
RANKS = 2  # ranks that share processors measure nothing


@pytest.fixture(params=debian_mpis(), ids=str)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    found: Mpi = request.param
    return found


@pytest.fixture(scope="module")
def strategy() -> str:
    """A strategy that predicts."""
    found: list[str] = [one["name"] for one in repository.listing()["strategies"] if one["predicts"]]
    assert found, "no strategy asks for predicted times"
    return found[0]


class Runs:
    """Runs of a program of some reductions, with one history."""

    def __init__(self, mpi: Mpi, strategy: str, folder: Path) -> None:
        self.mpi = mpi
        self.strategy = strategy
        self.folder = folder
        self.history = folder / "history"
        self.program = compile_c(mpi, HERE / "at_once.c", folder)

    def run(self, env: Mapping[str, str] | None = None) -> tuple[float | None, list[str]]:
        """The seconds of the probe in the run's record, and what Starling said."""
        outcome, found = self._run({"STARLING_HISTORY": str(self.history), "STARLING_PROBE": "start", **(env or {})})
        assert outcome.stdout == "sum 3\n", outcome.report()
        return found.run.probe_s, [line for line in outcome.stderr.splitlines() if "starling: " in line]

    def _run(self, env: Mapping[str, str]) -> tuple[Outcome, record.RunRecord]:
        argv = [str(self.program), "/dev/null", "0"]
        return run_tuned(self.mpi, RANKS, argv, self.strategy, self.folder, env)

    @property
    def kept(self) -> list[Path]:
        """The files of networks in the history."""
        return sorted(self.history.glob("*.network"))


@pytest.fixture
def runs(mpi: Mpi, strategy: str, tmp_path: Path) -> Runs:
    return Runs(mpi, strategy, tmp_path)


@pytest.mark.alone
def test_the_first_run_probes_and_later_ones_know(runs: Runs) -> None:
    seconds, said = runs.run()
    assert seconds is not None
    assert seconds > 0
    assert said == []
    (kept,) = runs.kept
    found = json.loads(kept.read_text())
    assert (found["pairs"], found["memory"]) == (0, True), "all ranks are on one host"
    assert 0 < found["parameters"]["memory_s_per_byte"] < 1e-6
    assert 0 < found["parameters"]["combine_s_per_byte"] < 1e-6
    before = kept.read_bytes()
    assert runs.run() == (None, [])
    assert kept.read_bytes() == before


def test_a_fresh_run_probes_again(runs: Runs) -> None:
    runs.run()
    seconds, said = runs.run({"STARLING_FRESH": "1"})
    assert seconds is not None
    assert said == []
    assert len(runs.kept) == 1


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda text: text[: len(text) // 2], "it is no kept network: "),
        (
            lambda text: text.replace('"schema": 1', '"schema": 7', 1),
            "it is of schema 7, and this version reads schema 1",
        ),
    ],
    ids=["truncated", "of-another-version"],
)
def test_a_damaged_file_costs_one_line_and_another_probe(runs: Runs, damage: object, why: str) -> None:
    assert callable(damage)
    runs.run()
    (kept,) = runs.kept
    kept.write_text(damage(kept.read_text()))
    seconds, said = runs.run()
    (line,) = said
    assert line.startswith(f"starling: skipped {kept}: {why}")
    assert seconds is not None
    assert runs.run() == (None, []), "it was replaced"


def test_without_a_history_each_run_probes_and_nothing_is_kept(runs: Runs) -> None:
    for _ in range(2):
        seconds, said = runs.run({"STARLING_HISTORY": "off"})
        assert seconds is not None
        assert said == []
    assert not runs.history.exists()


def test_nothing_is_measured_where_it_is_not_wanted_or_not_needed(runs: Runs) -> None:
    assert runs.run({"STARLING_PROBE": "off"}) == (None, [])
    assert runs.run({"STARLING_PROBE": "on"}) == (None, []), "five calls of four bytes have nothing to gain"
    assert runs.run({"STARLING_NETWORK": '{"schema": 1}'}) == (None, []), "on one host nothing is left to measure"
    assert runs.kept == []


def test_a_history_that_cannot_be_written_costs_no_more_than_the_line_about_the_record(runs: Runs) -> None:
    runs.history.write_text("a file where a folder should be")
    seconds, said = runs.run()
    assert seconds is not None
    (line,) = said
    assert "no run record in the history" in line


def test_readers_of_the_history_pass_over_it(runs: Runs) -> None:
    runs.run()
    found = history.read(runs.history)
    assert found.skipped == []
    assert len(found.entries) == 1
    assert history.to_clear(found, None, None) == [found.entries[0].path]
