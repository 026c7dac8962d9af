"""The reduction of ranks' records to rank 0, and the length of the record."""

from __future__ import annotations

from pathlib import Path

import pytest

from starling.records import history_folder
from starling.records import record as records
from support.mpis import Mpi, compile_c, debian_mpis, installed_mpis, run_ranks
from support.tuned import library, on_hosts_of, on_hosts_of_two, preloaded, run_tuned

HERE = Path(__file__).parent
BOUND = 4 << 20
"""Bytes of a record (docs/run-record.md)."""


@pytest.mark.parametrize("ranks", [1, 2, 5, 8])
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_the_records_of_all_communicators_are_summed_on_rank_0(mpi: Mpi, tmp_path: Path, ranks: int) -> None:
    program = str(compile_c(mpi, HERE / "pairs.c", tmp_path))
    _, record = run_tuned(mpi, ranks, [program, "7", "2"], "native", tmp_path)
    calls = {(one.collective, one.bytes, one.ranks): one.calls for one in record.contexts}
    if ranks == 1:
        assert calls == {("allreduce", None, 1): 8, ("bcast", None, 1): 2}
    else:
        assert calls == {("allreduce", 8, 2): 7 * (ranks // 2), ("bcast", 8, ranks): 1, ("bcast", 16, ranks): 1}


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_communicators_of_each_shape_have_reasons_of_their_own(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "shapes.c", tmp_path))
    _, record = run_tuned(mpi, 8, on_hosts_of(4, [program]), "star-basic", tmp_path)
    reasons = {
        (one.nodes, one.bytes, candidate.name): candidate.reason
        for one in record.contexts
        for candidate in one.candidates
        if candidate.name in ("shared", "two_level")
        and set(candidate.parameters.values()) <= {"whole", "twice", "native"}
    }
    for size in (8, 80):
        assert (reasons[1, size, "shared"], reasons[2, size, "shared"]) == ("", "needs all ranks on one node")
        assert (reasons[1, size, "two_level"], reasons[2, size, "two_level"]) == ("all ranks are on one node", "")


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_what_new_communicators_cost_is_told(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "churn.c", tmp_path))
    few, many = (run_tuned(mpi, 2, [program, count], "native", tmp_path)[1] for count in ("10", "20000"))
    assert 0 < (few.run.own_s or 0) < (many.run.own_s or 0) < (many.run.seconds or 0)


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_ranks_with_equal_host_names_share_a_node(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "pairs.c", tmp_path))
    named = on_hosts_of_two([program, "1", "1"])
    _, record = run_tuned(mpi, 5, named, "native", tmp_path)
    assert (record.run.nodes, record.run.ranks_per_node) == (3, 2)
    spread = {one.ranks: (one.nodes, one.ranks_per_node) for one in record.contexts}
    assert spread == {5: (3, 2), 2: (1, 2)}
    _, record = run_tuned(mpi, 5, [program, "1", "1"], "native", tmp_path)
    assert (record.run.nodes, record.run.ranks_per_node) == (1, 5)


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_the_record_of_a_program_with_thousands_of_call_keys_is_bounded_and_adds_up(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "pairs.c", tmp_path))
    keys = 3000
    _, record = run_tuned(mpi, 2, [program, "100", str(keys)], "star", tmp_path, {"STARLING_SIZES": str(keys)})
    assert (tmp_path / "record.json").stat().st_size <= BOUND
    broadcasts = [one for one in record.contexts if one.collective == "bcast"]
    left_out = record.left_out
    assert len(broadcasts) + (left_out.contexts if left_out else 0) >= keys
    assert sum(one.calls for one in record.contexts) + (left_out.calls if left_out else 0) == 100 + keys
    assert sum(one.candidates_left_out for one in broadcasts) > 0


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_memory_is_bounded_however_many_sizes_short_lived_communicators_have(mpi: Mpi, tmp_path: Path) -> None:
    communicators = 3000
    program = str(compile_c(mpi, HERE / "sizes_come_and_go.c", tmp_path))
    outcome, record = run_tuned(mpi, 2, [program, str(communicators)], "auto", tmp_path)
    assert int(outcome.stdout) < 12 * 1024, "KiB in the second half; 10 for each new size where all is kept"
    kept = sum(one.calls for one in record.contexts if one.collective == "bcast")
    assert kept + (record.left_out.calls if record.left_out else 0) == communicators


@pytest.mark.parametrize("ends", ["killed", "finalized"])
@pytest.mark.parametrize("strategy", ["star-basic", "auto"])
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_a_killed_job_leaves_what_was_learnt(mpi: Mpi, tmp_path: Path, strategy: str, ends: str) -> None:
    program = str(compile_c(mpi, HERE / "killed.c", tmp_path))
    folder = tmp_path / "history"
    settings = {
        "STARLING_STRATEGY": strategy,
        "STARLING_HISTORY": str(folder),
        "STARLING_CHECKPOINT": "0.01",
        "STARLING_PLATFORM": "nodes",
    }
    argv = [program, str(folder), *(["finalize"] if ends == "finalized" else [])]
    outcome = run_ranks(mpi, 2, argv, {**preloaded(mpi, tmp_path, [library(mpi)]), **settings}, 60)
    assert "written" in outcome.stdout, outcome.report()
    (file,) = history_folder.newest_first(folder)
    found = records.read(file)[0]
    assert found.run.unfinished is (ends == "killed")
    (reduced,) = [one for one in found.contexts if one.collective == "allreduce"]
    assert reduced.calls > 0
    assert any(one.agreed_s for one in reduced.candidates)
    if ends == "killed":  # a later run starts from it
        again = run_ranks(mpi, 2, [*argv, "finalize"], {**preloaded(mpi, tmp_path, [library(mpi)]), **settings}, 60)
        again.check()
        latest = history_folder.newest_first(folder)[0]
        context = next(one for one in records.read(latest)[0].contexts if one.collective == "allreduce")
        assert any(one.earlier_s for one in context.candidates)


# Debian's MPICH and Intel's starter on one machine without more cannot start ranks at run time.
@pytest.mark.parametrize("mpi", [mpi for mpi in installed_mpis() if mpi.name in ("openmpi4", "mpich5")], ids=str)
def test_spawned_ranks_leave_the_record_of_their_parents_alone(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, HERE / "spawned.c", tmp_path))
    outcome, record = run_tuned(mpi, 2, [program], "star-basic", tmp_path, {"STARLING_ITER": "1"})
    assert outcome.stdout == "0 faults\n"
    assert record.run.ranks == 2
    (of_child,) = tmp_path.glob("record.json.*")
    assert records.read(of_child)[0].run.ranks == 1
