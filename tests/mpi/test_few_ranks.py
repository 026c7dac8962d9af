"""On two ranks many algorithms are one: strategies that learn try it once, by whatever name is admitted."""

from __future__ import annotations

from pathlib import Path

from starling.records import record
from support.mpis import compile_c, mpi_named, run_ranks
from support.tuned import library, preloaded

HERE = Path(__file__).parent
TREES = ["binary", "binomial", "chain", "sequential"]


def candidates(tmp_path: Path, ranks: int, program: list[str], **settings: str) -> list[record.Candidate]:
    """Those of the only collective of a program, whose name comes first."""
    mpi = mpi_named("mpich4")
    path = tmp_path / "record.json"
    env = preloaded(mpi, tmp_path, [library(mpi)]) | {
        "STARLING_HISTORY": "off",
        "STARLING_RECORD": str(path),
    }
    compiled = compile_c(mpi, HERE / program[0], tmp_path)
    run_ranks(mpi, ranks, [str(compiled), *program[1:]], env | settings, 60).check()
    (context,) = record.read(path)[0].contexts
    return context.candidates


def tried(tmp_path: Path, ranks: int, **settings: str) -> dict[str, str]:
    """Of the trees of bcast without segments why each was left out; an empty text for those that were tried."""
    all_once = {"STARLING_STRATEGY": "star-basic", "STARLING_ITER": "1"}
    return {
        one.name: one.reason or ""
        for one in candidates(tmp_path, ranks, ["many_bcasts.c"], **all_once, **settings)
        if one.name in TREES and one.parameters.get("segment") == "none"
    }


def test_one_of_the_trees_of_two_ranks_is_tried(tmp_path: Path) -> None:
    same = "does the same as binary?segment=none on 2 ranks"
    assert tried(tmp_path, 2) == {"binary": "", "binomial": same, "chain": same, "sequential": same}
    assert tried(tmp_path, 4) == dict.fromkeys(TREES, "")


def test_default_settings_compare_them_once_something_is_tried(tmp_path: Path) -> None:
    def left_out(calls: int, numbers: int) -> int:
        program = ["many_reductions.c", str(calls), str(numbers)]
        found = candidates(tmp_path, 2, program, STARLING_STAKE="0")
        same = [one for one in found if (one.reason or "").startswith("does the same as ")]
        assert not any(one.eligible or one.samples for one in same)
        return len(same)

    assert left_out(1000, 131072) > 0
    assert left_out(100, 1) == 0


def test_another_name_is_tried_where_the_first_is_left_out(tmp_path: Path) -> None:
    found = tried(tmp_path, 2, STARLING_EXCEPT="bcast:binary")
    assert found["binary"] == "left out by --only or --except"
    assert (found["binomial"], found["chain"]) == ("", "does the same as binomial?segment=none on 2 ranks")
    assert tried(tmp_path, 2, STARLING_ONLY="bcast:chain")["chain"] == ""


def test_the_name_that_earlier_runs_know_is_tried(tmp_path: Path) -> None:
    known = str(tmp_path / "history")
    tried(tmp_path, 2, STARLING_ONLY="bcast:chain", STARLING_HISTORY=known)
    found = tried(tmp_path, 2, STARLING_HISTORY=known)
    assert (found["chain"], found["binary"]) == ("", "does the same as chain?segment=none on 2 ranks")
