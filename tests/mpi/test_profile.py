"""`starling profile` of a program whose collectives are known, on each MPI."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from starling.records.profile import Profile, Profiled, read
from starling.runs.profile import SIZES
from support.mpis import Mpi, compile_c, debian_mpis, run_ranks
from support.processes import Outcome
from support.tuned import preloaded

HERE = Path(__file__).parent
COMMAND = str(Path(sys.executable).with_name("starling"))
RANKS = 4
LATE = 2


def profiled(mpi: Mpi, folder: Path, *options: str) -> tuple[Outcome, Profile]:
    """A profile of profiled.c with a late rank."""
    program = compile_c(mpi, HERE / "profiled.c", folder)
    file = folder / "profile.json"
    before = [COMMAND, "profile", "-o", str(file), *options, "--"]
    outcome = run_ranks(mpi, RANKS, [str(program), str(LATE)], preloaded(mpi, folder), 120, before=before)
    return outcome, read(file)[0]


def only(profile: Profile, *wanted: str | int | None) -> Profiled:
    """The only context of that collective, size and number of ranks."""
    (found,) = (
        one for one in profile.contexts if (one.context.collective, one.context.bytes, one.context.ranks) == wanted
    )
    return found


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_counts_sizes_shapes_order_and_the_late_rank_are_found(mpi: Mpi, tmp_path: Path) -> None:
    outcome, profile = profiled(mpi, tmp_path)
    outcome.check()
    assert outcome.stdout == ""
    assert profile.record.run.strategy == "native"
    assert all(context.winner == "native" for context in profile.record.contexts)

    contexts = [context.context for context in profile.contexts]
    calls = {(context.collective, context.bytes, context.ranks): context.calls for context in contexts}
    expected: dict[tuple[str, int | None, int], int] = {
        ("allreduce", 8, 4): 100,
        ("bcast", 4096, 4): 100,
        ("allreduce", 16, 2): 20,
        ("alltoallv", None, 4): 5,
        ("barrier", 0, 4): 20,
    }
    expected |= {("gatherv", None, 4): 1, ("scatterv", None, 4): 1}
    assert calls == expected | {("allgather", size, 4): 1 for size in range(1, 31)}
    counted = {(context.collective, context.ranks): context.calls for context in profile.counted}
    assert counted == {("ibarrier", 4): 7, ("allreduce", 1): 12}

    rows = only(profile, "allreduce", 16, 2).all_ranks
    assert (rows.communicators, rows.ranks) == (2, 4)
    assert only(profile, "alltoallv", None, 4).all_ranks.mean_bytes == 2  # 2.5
    for collective in ("gatherv", "scatterv"):
        assert only(profile, collective, None, 4).all_ranks.mean_bytes == 12

    order = {
        (pair.from_.collective, pair.from_.bytes, pair.to.collective, pair.to.bytes): pair.calls
        for pair in profile.whole.order
    }
    assert order["allreduce", 8, "bcast", 4096] == 100
    assert order["bcast", 4096, "allreduce", 8] == 99
    assert order["barrier", 0, "barrier", 0] == 19
    assert order["ibarrier", None, "ibarrier", None] == 6
    followed = sum(pair.calls for pair in profile.whole.order)
    assert followed + profile.whole.order_left_out == 100 + 100 + 30 + 10 + 5 + 2 + 7 + 3 + 20 - 1  # all but the first

    waited = only(profile, "barrier", 0, 4)
    assert waited.all_ranks.quickest_rank == LATE
    assert waited.all_ranks.sampled_calls == 20
    assert waited.all_ranks.last[0].rank == LATE
    assert waited.waiting is not None
    assert waited.waiting > 0.2
    assert waited.unequal_work is not None
    assert waited.unequal_work > waited.waiting / 2  # it computes before the barrier
    assert only(profile, "bcast", 4096, 4).waiting is None


@pytest.mark.parametrize("mpi", debian_mpis()[:1], ids=str)
def test_json_is_all_of_stdout_and_the_page_is_whole(mpi: Mpi, tmp_path: Path) -> None:
    page = tmp_path / "profile.html"
    outcome, _ = profiled(mpi, tmp_path, "--json", "--html", str(page))
    record = json.loads(outcome.check().stdout)
    assert record["run"]["settings"]["sizes"] == str(SIZES)
    needed = {"collective", "bytes", "ranks", "nodes", "ranks_per_node", "calls", "seconds"}
    assert all(needed <= context.keys() for context in record["contexts"])
    text = page.read_text()
    assert text.count("<figure>") == 7
    assert "http" not in text
    shown = subprocess.run(
        [COMMAND, "profile", "--show", str(tmp_path / "profile.json")], capture_output=True, text=True, check=True
    )
    assert "on rank 0, calls follow each other" in shown.stdout
    assert shown.stderr == ""


@pytest.mark.parametrize("mpi", debian_mpis()[:1], ids=str)
def test_a_run_that_is_not_profiled_records_none(mpi: Mpi, tmp_path: Path) -> None:
    program = compile_c(mpi, HERE / "profiled.c", tmp_path)
    file = tmp_path / "record.json"
    before = [COMMAND, "run", "--strategy", "native", "--history", "off", "--record", str(file), "--"]
    run_ranks(mpi, RANKS, [str(program)], preloaded(mpi, tmp_path), 120, before=before).check()
    record = json.loads(file.read_text())
    assert "profile" not in record
    assert not any("profile" in context for context in record["contexts"])


@pytest.mark.parametrize("mpi", debian_mpis()[:1], ids=str)
def test_a_profile_is_never_overwritten(mpi: Mpi, tmp_path: Path) -> None:
    file = tmp_path / "profile.json"
    file.write_text("mine")
    before = [COMMAND, "profile", "-o", str(file), "--"]
    outcome = run_ranks(mpi, 1, ["touch", str(tmp_path / "started")], before=before)
    assert outcome.status == 2
    assert "exists" in outcome.stderr
    assert file.read_text() == "mine"
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("mpi", debian_mpis()[:1], ids=str)
def test_a_profile_that_cannot_be_written_is_told_once_with_the_reason(mpi: Mpi, tmp_path: Path) -> None:
    program = compile_c(mpi, HERE / "profiled.c", tmp_path)
    folder = tmp_path / "goes"
    folder.mkdir()
    before = [COMMAND, "profile", "-o", str(folder / "profile.json"), "--"]
    removes_it = ["sh", "-c", f'rmdir {folder}; exec "$@"', "sh"]
    outcome = run_ranks(mpi, RANKS, [str(program)], preloaded(mpi, tmp_path), 120, before=[*before, *removes_it])
    assert outcome.status == 1
    (told,) = [one for one in outcome.stderr.splitlines() if one.startswith("starling: ")]
    assert f"cannot write '{folder}/profile.json': " in told
