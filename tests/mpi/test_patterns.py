"""Patterns of the application's own, in C, Fortran and Python, and programs written for ADCL."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from starling.records import record as records
from support.linked import linked
from support.mpis import ROOT, Mpi, debian_mpis, installed_mpis, run_ranks
from support.processes import Outcome
from support.tuned import STARLING, chooser, preloaded

HERE = Path(__file__).parent
RINGS = ROOT / "examples/patterns"


def run(mpi: Mpi, ranks: int, argv: Sequence[str], folder: Path, env: Mapping[str, str] | None = None) -> Outcome:
    """Runs a linked program by a launcher alone, in `folder`, with the run's record there."""
    settings = {"STARLING_HISTORY": "off", "STARLING_RECORD": str(folder / "record.json"), "HOME": str(folder)}
    return run_ranks(mpi, ranks, argv, {**preloaded(mpi, folder), **settings, **(env or {})}, 100, cwd=folder)


def fortran_mpis() -> list[Mpi]:
    return [mpi for mpi in debian_mpis() if mpi.mpifort is not None]


def contexts(folder: Path) -> dict[str, records.Context]:
    return {one.collective: one for one in records.read(folder / "record.json")[0].contexts}


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_a_users_set_in_c_is_tuned_and_recorded(mpi: Mpi, tmp_path: Path) -> None:
    program = linked(mpi, HERE / "patterns.c", tmp_path)
    outcome = run(mpi, 3, [program, "brute-force"], tmp_path).check()
    assert outcome.stdout.startswith("right, ")
    assert outcome.stderr == ""
    context = contexts(tmp_path)["ring_of_mine"]
    assert [one.public_name for one in context.candidates] == ["slow", "fast", "medium"]
    assert context.winner == "fast"
    assert context.native_s is None
    shown = [*STARLING, "report", str(tmp_path / "record.json")]
    report = subprocess.run(shown, capture_output=True, text=True, check=True)
    assert "ring_of_mine" in report.stdout


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_what_requests_of_collectives_set_up_is_in_no_calls_time(mpi: Mpi, tmp_path: Path) -> None:
    program = linked(mpi, HERE / "adcl_collectives.c", tmp_path)
    run(mpi, 3, [program], tmp_path, {"STARLING_STRATEGY": "brute-force"}).check()
    made = [one for context in contexts(tmp_path).values() for one in context.candidates if one.setup_s is not None]
    assert any("shared" in one.public_name for one in made), "the first that shares memory makes it"
    for one in made:
        assert one.setup_s is not None
        assert one.setup_s > 0


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_what_making_windows_takes_is_told_of_each_implementation(mpi: Mpi, tmp_path: Path) -> None:
    program = linked(mpi, ROOT / "examples/solver/solver.c", tmp_path, "-lm")
    each_once = {"STARLING_GIVE_UP": "0", "STARLING_ITER": "1"}
    run(mpi, 2, [program, "4", "4", "4", "60", "brute-force"], tmp_path, each_once).check()
    made = [one for one in contexts(tmp_path)["neighborhood"].candidates if one.setup_s is not None]
    windows = [one for one in made if one.name.startswith(("Win", "Post"))]
    assert len(windows) == 8, "all implementations with windows are tried"
    assert all(one.setup_s is not None and one.setup_s > 0 for one in windows)


@pytest.mark.parametrize("calls_each", [1, 3, 10])
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_requests_come_and_go_in_any_order_with_trials_of_any_length(mpi: Mpi, calls_each: int, tmp_path: Path) -> None:
    program = linked(mpi, HERE / "lifetimes.c", tmp_path)
    outcome = run(mpi, 3, [program, str(calls_each), "300"], tmp_path, {"STARLING_ITER": str(calls_each)}).check()
    assert outcome.stdout.startswith("right, ")
    assert outcome.stderr == ""


@pytest.mark.parametrize("mpi", debian_mpis()[:1], ids=str)
def test_the_run_may_choose_the_strategy_and_history_is_where_the_next_run_starts(mpi: Mpi, tmp_path: Path) -> None:
    program = linked(mpi, HERE / "patterns.c", tmp_path)
    history = {"STARLING_HISTORY": str(tmp_path / "history"), "STARLING_STRATEGY": "attribute"}
    run(mpi, 2, [program], tmp_path, history).check()
    assert all(one.earlier_s is None for one in contexts(tmp_path)["ring_of_mine"].candidates)
    run(mpi, 2, [program], tmp_path, history).check()
    assert any(one.earlier_s is not None for one in contexts(tmp_path)["ring_of_mine"].candidates)
    listed = subprocess.run(
        [*STARLING, "history", "show"],
        capture_output=True,
        text=True,
        env={**os.environ, "STARLING_HISTORY": history["STARLING_HISTORY"]},
        check=True,
    )
    assert "ring_of_mine" in listed.stdout


@pytest.mark.parametrize("mpi", debian_mpis()[:1], ids=str)
def test_settings_name_a_set_of_the_programs_own(mpi: Mpi, tmp_path: Path) -> None:
    program = linked(mpi, HERE / "own_set.c", tmp_path)

    def outcome_of(*words: str, **settings: str) -> Outcome:
        return run(mpi, 2, [program, *words], tmp_path, settings)

    assert outcome_of(STARLING_STRATEGY="forced:ring_of_mine.pattern:medium").check().stderr == ""
    context = contexts(tmp_path)["ring_of_mine"]
    assert context.winner == "medium"
    assert {one.public_name: one.samples for one in context.candidates if one.samples} == {"medium": context.calls}

    outcome = outcome_of(STARLING_STRATEGY="forced:ring_of_mine.pattern:quick,nowhere.pattern:fast").check()
    assert outcome.stderr == (
        "starling: STARLING_STRATEGY: 'ring_of_mine.pattern:quick': "
        "the function set ring_of_mine has no such function; it has slow, fast, medium\n"
        "starling: STARLING_STRATEGY: the program used no function set 'nowhere'\n"
    )
    assert contexts(tmp_path)["ring_of_mine"].winner == "slow", "the first one is used"

    outcome = outcome_of(STARLING_STRATEGY="brute-force", STARLING_EXCEPT="ring_of_mine.pattern:fast").check()
    assert outcome.stderr == ""
    assert contexts(tmp_path)["ring_of_mine"].winner == "medium"
    outcome = outcome_of(STARLING_STRATEGY="brute-force", STARLING_ONLY="ring_of_mine.pattern:fsat").check()
    assert "STARLING_ONLY: 'ring_of_mine.pattern:fsat': the function set ring_of_mine has no such" in outcome.stderr
    assert contexts(tmp_path)["ring_of_mine"].winner == "slow", "all others are left out"

    outcome = outcome_of(STARLING_STRATEGY="forced:ring_of_mine:medium").check()
    assert "a function set of the program's own is ring_of_mine.pattern:medium" in outcome.stderr

    outcome_of("forced:medium").check()
    assert contexts(tmp_path)["ring_of_mine"].winner == "medium"
    outcome = outcome_of("forced:nosuch").check()
    wrong = "forced:nosuch: the function set ring_of_mine has no such function; it has slow, fast, medium"
    assert outcome.stdout.partition(" ")[2] == f"{wrong}\n"


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_a_linked_program_runs_under_starling_run_and_natively(mpi: Mpi, tmp_path: Path) -> None:
    program = linked(mpi, RINGS / "ring.c", tmp_path)
    record = tmp_path / "record.json"
    before = [*STARLING, "run", "--record", str(record), "--history", "off", "--"]
    outcome = run_ranks(mpi, 2, [program], preloaded(mpi, tmp_path), 60, before=before).check()
    assert ", 0 wrong" in outcome.stdout
    assert contexts(tmp_path)["ring"].calls == 500, "the library is loaded once"
    run(mpi, 2, [program], tmp_path, {"STARLING_STRATEGY": "native"}).check()
    assert contexts(tmp_path)["ring"].calls == 500


@pytest.mark.parametrize("mpi", [one for one in installed_mpis() if one.name in {"openmpi5", "mpich5"}], ids=str)
def test_programs_of_both_interfaces_run_on_newer_libraries(mpi: Mpi, tmp_path: Path) -> None:
    assert ", 0 wrong" in run(mpi, 2, [linked(mpi, RINGS / "ring.c", tmp_path)], tmp_path).check().stdout
    program = linked(mpi, HERE / "adcl_collectives.c", tmp_path)
    assert run(mpi, 2, [program, "5"], tmp_path).check().stdout == "0 faults\n"


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
@pytest.mark.parametrize(
    "source",
    ["adcl_halos.c", "adcl_collectives.c", "adcl_figure.c", "adcl_sets.c", "adcl_years.c", "adcl_constants.cpp"],
)
def test_a_program_written_for_adcl_is_right(mpi: Mpi, source: str, tmp_path: Path) -> None:
    program = linked(mpi, HERE / source, tmp_path)
    outcome = run(mpi, 4 if source in {"adcl_halos.c", "adcl_years.c"} else 3, [program], tmp_path).check()
    assert outcome.stdout == "0 faults\n", outcome.report()


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_each_rank_may_wait_for_nonblocking_collectives_in_its_own_order(mpi: Mpi, tmp_path: Path) -> None:
    outcome = run(mpi, 4, [linked(mpi, HERE / "adcl_any_order.c", tmp_path)], tmp_path).check()
    assert outcome.stdout == "0 faults\n"


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
@pytest.mark.parametrize("source", ["adcl_fortran.f90", "adcl_interface.f90"])
def test_a_fortran_program_written_for_adcl_is_right(mpi: Mpi, source: str, tmp_path: Path) -> None:
    # It hands over buffers of several types.
    program = linked(mpi, HERE / source, tmp_path, "-fallow-argument-mismatch", "-w")
    outcome = run(mpi, 3, [program], tmp_path).check()
    assert outcome.stdout == "0 faults\n", outcome.report()


@pytest.mark.parametrize(("ranks", "search"), [(1, 0), (4, 1), (8, 2)])
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_a_model_with_many_requests_written_for_adcl_is_right(
    mpi: Mpi, ranks: int, search: int, tmp_path: Path
) -> None:
    program = linked(mpi, HERE / "adcl_climate.c", tmp_path)
    outcome = run(mpi, ranks, [program, str(search)], tmp_path).check()
    assert outcome.stdout == "0 faults\n", outcome.report()
    assert outcome.stderr == ""
    tuned = contexts(tmp_path)
    assert {"neighborhood", "transpose", "sums", "allreduce", "allgatherv", "alltoallv"} <= set(tuned)
    assert len(tuned["transpose"].candidates) == 3, "a combination is left out"


@pytest.mark.parametrize("ranks", [1, 4, 8])
@pytest.mark.parametrize("mpi", fortran_mpis(), ids=str)
def test_a_fortran_program_with_two_halos_at_a_time_is_right(mpi: Mpi, ranks: int, tmp_path: Path) -> None:
    program = linked(mpi, HERE / "adcl_heat.f90", tmp_path, "-fallow-argument-mismatch", "-w")
    outcome = run(mpi, ranks, [program], tmp_path).check()
    assert outcome.stdout == "0 faults\n", outcome.report()
    assert outcome.stderr == ""
    assert {"neighborhood", "ring", "allreduce"} <= set(contexts(tmp_path))


CONFIGURATION = """ADCL_EMETHOD_SELECTION: Sendrecv_pair_pack  # without trying any
ADCL_EMETHOD_ALLREDUCE_SELECTION: Allreduce_ring
ADCL_EMETHOD_NUMTESTS: 3   calls of each function
ADCL_EMETHOD_SEARCH_ALGO: 7
ADCL_MERGE_REQUESTS: 1
ADCL_MOOD: good
"""


@pytest.mark.parametrize("mpi", debian_mpis()[:1], ids=str)
@pytest.mark.parametrize("folder", [".", ".adcl"])
def test_a_file_config_adcl_selects_functions_and_what_is_wrong_with_it_is_told_once(
    mpi: Mpi, folder: str, tmp_path: Path
) -> None:
    (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / folder / "config.adcl").write_text(CONFIGURATION)
    outcome = run(mpi, 3, [linked(mpi, HERE / "adcl_sets.c", tmp_path)], tmp_path, {"ADCL_SETS": "configured"}).check()
    assert outcome.stdout == "0 faults\n"
    assert contexts(tmp_path)["neighborhood"].winner == "Sendrecv_pair_pack"
    assert contexts(tmp_path)["allreduce"].winner.startswith("ring")
    lines = [line for line in outcome.stderr.splitlines() if "config.adcl" in line]
    assert len(lines) == 2, outcome.stderr
    assert "line 4" in lines[0]
    assert "'7' is not 0 (brute force)" in lines[0]
    assert "line 6: 'ADCL_MOOD' is unknown, and ignored" in lines[1]


@pytest.mark.parametrize("mpi", fortran_mpis(), ids=str)
def test_the_example_in_fortran_finds_the_fastest(mpi: Mpi, tmp_path: Path) -> None:
    outcome = run(mpi, 3, [linked(mpi, RINGS / "ring.f90", tmp_path)], tmp_path).check()
    assert outcome.stdout.startswith("the fastest is ")
    assert ", 0 wrong" in outcome.stdout
    assert contexts(tmp_path)["ring"].calls == 500


@pytest.mark.parametrize("mpi", fortran_mpis(), ids=str)
def test_a_program_in_fortran_uses_all_of_the_interface(mpi: Mpi, tmp_path: Path) -> None:
    outcome = run(mpi, 3, [linked(mpi, HERE / "patterns_fortran.f90", tmp_path)], tmp_path).check()
    assert outcome.stdout.strip() == "right"
    assert contexts(tmp_path)["in_Fortran"].winner in {"fast", "medium"}


def pythons() -> Iterator[tuple[Mpi, Path]]:
    for mpi in installed_mpis():
        if mpi.prefix and any(mpi.prefix.glob("lib/python*/site-packages/mpi4py")):
            yield mpi, mpi.prefix / "bin" / "python"


def package() -> dict[str, str]:
    """Where an interpreter of another environment finds the package that is installed for the tests."""
    from starling.installation.variants import package_folders  # noqa: PLC0415

    return {"PYTHONPATH": str(package_folders("lib")[0].parents[1])}


@pytest.mark.parametrize(("mpi", "python"), [pytest.param(*each, id=str(each[0])) for each in pythons()])
def test_the_example_in_python_finds_the_fastest_and_others_are_right(mpi: Mpi, python: Path, tmp_path: Path) -> None:
    preload = preloaded(mpi, tmp_path, [chooser()]) | package()
    outcome = run(mpi, 3, [str(python), str(RINGS / "ring.py")], tmp_path, preload).check()
    assert ", 0 wrong" in outcome.stdout
    context = contexts(tmp_path)["ring"]
    assert context.calls == 500
    assert context.native_s is not None, "what was saved is known"
    outcome = run(mpi, 3, [str(python), str(HERE / "patterns_python.py")], tmp_path, preload).check()
    assert outcome.stdout == "all right on 3\n", outcome.report()


@pytest.mark.parametrize(("mpi", "python"), [pytest.param(*each, id=str(each[0])) for each in pythons()])
def test_the_example_in_python_goes_by_its_first_function_without_the_library(
    mpi: Mpi, python: Path, tmp_path: Path
) -> None:
    outcome = run(mpi, 3, [str(python), str(RINGS / "ring.py")], tmp_path, package()).check()
    assert outcome.stdout == "the fastest is native, 0 wrong\n"
    assert outcome.stderr.count("RuntimeWarning: the library is not loaded: requests of 'ring' call only 'native'") == 1
    assert not (tmp_path / "record.json").exists()
