"""Runs that follow a tuning table: which entry counts, and what happens where a table is none, or another's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from starling.records.record import Context, RunRecord
from support.mpis import ROOT, Mpi, compile_c, debian_mpis, installed_mpis, run_ranks
from support.processes import Outcome
from support.tables import choice, data
from support.tuned import STARLING, library, preloaded, run_tuned

INTEL = [mpi for mpi in installed_mpis() if mpi.flavour == "intel"]
"""An optional peer: where it is not installed, its test is absent."""
TIMES = Path(__file__).parents[2] / "bench/collective_times.c"
VERSIONS = {"openmpi4": "4.0.0", "mpich4": "4.3.1"}
"""Another version with the same first number serves, too."""
SIZES = ("allreduce:8", "allreduce:2000", "allreduce:8000", "allreduce:30000", "allreduce:100000")


def of(record: RunRecord, collective: str) -> dict[int | None, Context]:
    return {one.bytes: one for one in record.contexts if one.collective == collective}


def written(folder: Path, mpi: Mpi, *choices: dict[str, Any], **changes: Any) -> str:
    file = folder / "table.json"
    whole = data(*choices, flavour=mpi.flavour, version=VERSIONS.get(mpi.name, "1.0"), machine="here")
    file.write_text(json.dumps(whole | changes))
    return str(file)


def followed(
    mpi: Mpi,
    folder: Path,
    table: str,
    calls: tuple[str, ...],
    strategy: str = "table",
    ranks: int = 4,
    number: int = 20,
    **env: str,
) -> tuple[Outcome, RunRecord]:
    program = str(compile_c(mpi, TIMES, folder))
    settings = {"STARLING_TABLE": table, "STARLING_MACHINE": "here", **env}
    return run_tuned(mpi, ranks, [program, "0", str(number), *calls], strategy, folder, settings)


ALLREDUCE = choice(
    "allreduce",
    4,
    (1, 1000, "recursive_doubling"),
    (1000, 5000, "native"),
    (5000, 20000, "ring"),
    (40000, None, "rabenseifner"),
)


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_each_size_uses_the_way_of_its_interval_and_a_gap_is_native(mpi: Mpi, tmp_path: Path) -> None:
    table = written(tmp_path, mpi, ALLREDUCE)
    outcome, record = followed(mpi, tmp_path, table, (*SIZES, "bcast:1000"))
    found = of(record, "allreduce")
    assert {size: (one.winner, one.stage) for size, one in found.items()} == {
        8: ("recursive_doubling", "table"),
        2000: ("native", "table"),
        8000: ("ring", "table"),
        30000: ("native", "native"),
        100000: ("rabenseifner", "table"),
    }
    for context in found.values():
        used = context.candidate(context.winner)
        assert used is not None
        assert used.samples == context.calls, "every call is carried out by the table's way"
    assert found[8].decisions[0].why == f"recursive_doubling: {table} has it for 4 ranks on 1 node, 1 to 999 bytes"
    assert found[30000].decisions[0].why == "native: the table has nothing for this context"
    assert of(record, "bcast")[1000].winner == "native"
    assert record.run.settings["table"] == table
    assert "starling" not in outcome.stderr


LIBRARYS_OWN = {"openmpi4": ("native_ring", "native_chain?segment=8192,fanout=4"), "mpich4": ("native_nb", "native_nb")}


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_the_mpi_librarys_own_algorithms_are_ways_of_a_table(mpi: Mpi, tmp_path: Path) -> None:
    allreduce, bcast = LIBRARYS_OWN[mpi.name]
    table = written(
        tmp_path,
        mpi,
        choice("allreduce", 4, (0, None, allreduce)),
        choice("bcast", 4, (0, 5000, bcast), (9000, None, "binomial")),
    )
    outcome, record = followed(mpi, tmp_path, table, ("allreduce:2000", "bcast:1000", "bcast:8000"))
    (context,) = of(record, "allreduce").values()
    assert (context.winner, context.stage) == (allreduce, "table")
    used = context.candidate(allreduce)
    assert used is not None
    assert used.samples == context.calls
    assert {size: one.winner for size, one in of(record, "bcast").items()} == {1000: bcast, 8000: "native"}
    assert "starling" not in outcome.stderr


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
@pytest.mark.parametrize("has_another", [True, False], ids=["another", "no_other"])
def test_with_several_threads_another_way_is_taken_than_the_librarys_own(
    mpi: Mpi, has_another: bool, tmp_path: Path
) -> None:
    of_library = LIBRARYS_OWN[mpi.name][0]
    entry = choice("allreduce", 4, (0, None, of_library))
    if has_another:
        entry["intervals"][0] |= {
            "at_run_time": {"way": "recursive_doubling", "gain": 1.5},
            "why": "2.00 times as fast",
        }
    options = [f"-I{ROOT / 'include'}", "-rdynamic", "-ldl"]
    program = str(compile_c(mpi, Path(__file__).parent / "library_algorithms.c", tmp_path, options))
    settings = {"STARLING_TABLE": written(tmp_path, mpi, entry), "STARLING_MACHINE": "here"}
    outcome, record = run_tuned(mpi, 4, [program, "threads"], "table", tmp_path, settings)
    (context,) = of(record, "allreduce").values()
    assert context.winner == ("recursive_doubling" if has_another else "native")
    why = "the MPI library's own algorithms cannot be selected: several threads may call MPI at once"
    assert why in (context.decisions[0].why if has_another else outcome.stderr)
    assert ("names a way that is not here" in outcome.stderr) != has_another


@pytest.mark.parametrize("mpi", INTEL, ids=str)
def test_a_running_job_takes_another_way_than_one_that_is_set_before_it_starts(mpi: Mpi, tmp_path: Path) -> None:
    entry = choice("allreduce", 4, (0, 1000, "native_adjust_8"), (1000, None, "native_adjust_2"))
    entry["intervals"][0] |= {"at_run_time": {"way": "recursive_doubling", "gain": 1.5}, "why": "2.00 times as fast"}
    entry["intervals"][1] |= {"at_run_time": {"way": "native", "gain": 1}}
    table = written(tmp_path, mpi, entry, mpi_version="2021.18")
    outcome, record = followed(mpi, tmp_path, table, ("allreduce:8", "allreduce:2000"))
    found = of(record, "allreduce")
    assert {size: (one.winner, one.stage) for size, one in found.items()} == {
        8: ("recursive_doubling", "table"),
        2000: ("native", "table"),
    }
    why = (
        "the MPI library's own algorithms cannot be selected: intel has no algorithms that can be selected while a "
        "program runs"
    )
    assert [found[size].decisions[0].why.partition(" bytes")[2] for size in (8, 2000)] == [
        f": native_adjust_8 would be faster, 2.00 times as fast, but {why}; see starling export",
        f" and more: native_adjust_2 would be faster, but {why}; see starling export",
    ]
    assert "starling" not in outcome.stderr


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_the_nearest_entry_counts_and_the_record_says_so(mpi: Mpi, tmp_path: Path) -> None:
    table = written(
        tmp_path,
        mpi,
        choice("allreduce", 3, (100, 1000, "ring")),
        choice("allreduce", 6, (0, None, "rabenseifner")),
        choice("bcast", 2, (0, None, "chain?segment=512")),
        choice("alltoall", 2, (0, None, "pair")),
        choice("alltoall", 5, (0, None, "simple")),
        choice("allgather", 16, (0, None, "ring")),
    )
    _, record = followed(mpi, tmp_path, table, ("allreduce:2000", "bcast:100", "alltoall:64", "allgather:64"), ranks=3)
    (allreduce,) = of(record, "allreduce").values()
    assert allreduce.winner == "ring"
    assert allreduce.decisions[0].why.endswith("for 3 ranks on 1 node, 100 to 999 bytes (nearest to 2000)")
    (alltoall,) = of(record, "alltoall").values()
    assert alltoall.winner == "simple", "pair, of the nearer entry, needs a power of two"
    assert "(nearest entry to 3 ranks on 1 node)" in alltoall.decisions[0].why
    assert alltoall.decisions[0].why.endswith("pair of a nearer entry cannot serve here: needs a power of two of ranks")
    (bcast,) = of(record, "bcast").values()
    assert (bcast.winner, bcast.stage) == ("native", "native")
    assert "chain?segment=512 of a nearer entry cannot serve here: " in bcast.decisions[0].why
    (allgather,) = of(record, "allgather").values()
    assert allgather.decisions[0].why == "native: the table has nothing for this context", "16 ranks are too far off"


@pytest.mark.parametrize("mpi", debian_mpis()[:1], ids=str)
def test_a_table_comes_before_what_learns_and_after_what_is_forced(mpi: Mpi, tmp_path: Path) -> None:
    table = written(tmp_path, mpi, choice("allreduce", 4, (0, 1000, "ring")))
    calls = ("allreduce:64", "bcast:64")
    for strategy, stages in (
        ("auto", {"allreduce": {"table"}, "bcast": {"learning", "settled", "single"}}),
        ("star", {"allreduce": {"table"}, "bcast": {"measure_select"}}),
        ("native", {"allreduce": {"native"}, "bcast": {"native"}}),
        ("forced:allreduce:rabenseifner", {"allreduce": {"forced"}, "bcast": {"native"}}),
    ):
        _, record = followed(mpi, tmp_path, table, calls, strategy)
        for collective, expected in stages.items():
            (context,) = of(record, collective).values()
            assert context.stage in expected, (strategy, collective)


@pytest.mark.parametrize("mpi", debian_mpis()[:1], ids=str)
def test_a_table_keeps_what_the_user_rules_out(mpi: Mpi, tmp_path: Path) -> None:
    table = written(tmp_path, mpi, choice("allreduce", 4, (0, None, "ring")), choice("bcast", 4, (0, None, "binomial")))
    calls = ("allreduce:64", "bcast:64")
    _, record = followed(mpi, tmp_path, table, calls, STARLING_EXCEPT="bcast:binomial", STARLING_REPRODUCIBLE="1")
    (allreduce,) = of(record, "allreduce").values()
    (bcast,) = of(record, "bcast").values()
    assert (allreduce.winner, bcast.winner) == ("native", "native")
    assert "--reproducible" in allreduce.decisions[0].why
    assert "--only or --except" in bcast.decisions[0].why


@pytest.mark.parametrize("mpi", debian_mpis()[:1], ids=str)
def test_buckets_of_sizes_end_where_the_tables_intervals_end(mpi: Mpi, tmp_path: Path) -> None:
    table = written(tmp_path, mpi, choice("allreduce", 4, (0, 1500, "ring"), (1500, None, "rabenseifner")))
    calls = ("allreduce:4", "allreduce:1400", "allreduce:1600", "allreduce:1024")
    _, record = followed(mpi, tmp_path, table, calls, STARLING_SIZES="1")
    found = {(one.bytes, one.up_to): one.winner for one in record.contexts if one.collective == "allreduce"}
    assert found == {(4, None): "ring", (1024, 1500): "ring", (1500, 2048): "rabenseifner"}


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"machine": "elsewhere"}, "it was made on the machine 'elsewhere', and this is 'here'"),
        ({"mpi_version": "99.1"}, " 99.1, and this is "),
        ({"mpi_flavour": "other"}, "it was made with other "),
    ],
)
def test_the_table_of_another_is_refused_unless_forced(
    mpi: Mpi, changes: dict[str, str], why: str, tmp_path: Path
) -> None:
    table = written(tmp_path, mpi, ALLREDUCE, **changes)
    outcome, record = followed(mpi, tmp_path, table, ("allreduce:8",))
    (line,) = [one for one in outcome.stderr.splitlines() if "starling" in one]
    assert line.startswith(f"starling: {table} is not followed: ")
    assert why in line
    assert line.endswith("STARLING_FOREIGN_TABLE=1 (--foreign-table) follows it all the same")
    assert of(record, "allreduce")[8].winner == "native"
    assert record.run.settings["table"] == "none"
    outcome, record = followed(mpi, tmp_path, table, ("allreduce:8",), STARLING_FOREIGN_TABLE="1")
    assert of(record, "allreduce")[8].winner == "recursive_doubling"
    assert "starling" not in outcome.stderr


@pytest.mark.parametrize("mpi", debian_mpis()[:1], ids=str)
def test_ways_that_are_gone_are_one_line_and_the_rest_stands(mpi: Mpi, tmp_path: Path) -> None:
    table = written(
        tmp_path,
        mpi,
        choice("allreduce", 4, (0, 1000, "native_no_such"), (1000, None, "ring")),
        choice("no_such", 4, (0, None, "ring")),
    )
    outcome, record = followed(mpi, tmp_path, table, ("allreduce:8", "allreduce:2000"))
    (line,) = [one for one in outcome.stderr.splitlines() if "starling" in one]
    assert line == (
        f"starling: {table} names a way that is not here: allreduce:native_no_such with 4 ranks on 1 node, 0 to 999 "
        "bytes (the MPI library has no algorithm native_no_such); this and 1 more interval like it are ignored"
    )
    assert of(record, "allreduce")[2000].winner == "ring"


def whole(mpi: Mpi) -> dict[str, Any]:
    return data(ALLREDUCE, flavour=mpi.flavour, version=VERSIONS[mpi.name])


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
@pytest.mark.parametrize("kind", ["cut", "schema", "overlap", "none", "empty"])
def test_what_is_no_table_is_one_line_and_the_program_runs_natively(mpi: Mpi, kind: str, tmp_path: Path) -> None:
    program = str(compile_c(mpi, TIMES, tmp_path))
    text = json.dumps(whole(mpi))
    overlapping = json.dumps(data(choice("bcast", 4, (0, 100, "ring"), (50, 200, "native"))))
    texts = {"cut": text[: len(text) // 2], "schema": text.replace("-1", "-9"), "overlap": overlapping, "empty": ""}
    whys = {
        "cut": "line 1: it is cut short, or no JSON",
        "schema": "line 1: it is of schema 'starling-table-9', and this version reads 'starling-table-1'",
        "overlap": "line 1: the interval of 50 to 199 bytes overlaps the one before it, of 0 to 99 bytes, or is out "
        "of order",
        "none": "there is no such file",
        "empty": "line 1: it is cut short, or no JSON",
    }
    file = tmp_path / "table.json"
    if kind in texts:
        file.write_text(texts[kind])
    calls = [program, "0", "3", "allreduce:8"]
    settings = {"STARLING_TABLE": str(file), "STARLING_HISTORY": "off"}
    outcome = run_ranks(mpi, 4, calls, {**preloaded(mpi, tmp_path, [library(mpi)]), **settings}).check()
    (line,) = [one for one in outcome.stderr.splitlines() if "starling" in one]
    assert line == f"starling: STARLING_TABLE='{file}': {whys[kind]}; the program runs natively"
    assert json.loads(outcome.stdout), "what the program prints stays right"
    command = [*STARLING, "run", "--table", str(file), "--history", "off", "--"]
    refused = run_ranks(mpi, 4, calls, before=command)
    assert (refused.status, refused.stdout) == (2, ""), "a wrong flag starts nothing"
    assert refused.stderr == f"starling: --table {file}: {whys[kind]}\n"


@pytest.mark.parametrize("mpi", debian_mpis()[:1], ids=str)
def test_the_command_takes_a_table_from_another_folder(mpi: Mpi, tmp_path: Path) -> None:
    program = str(compile_c(mpi, TIMES, tmp_path))
    written(tmp_path, mpi, ALLREDUCE)
    record = tmp_path / "record.json"
    options = ["--table", "table.json", "--machine", "here", "--history", "off", "--record", str(record)]
    run_ranks(
        mpi, 4, [program, "0", "3", "allreduce:8"], before=[*STARLING, "run", *options, "--"], cwd=tmp_path
    ).check()
    contexts = json.loads(record.read_text())["contexts"]
    assert [one["winner"] for one in contexts if one["collective"] == "allreduce"] == ["recursive_doubling"]


def test_the_strategy_needs_a_table(tmp_path: Path) -> None:
    mpi = debian_mpis()[0]
    command = [*STARLING, "run", "--strategy", "table", "--history", "off", "--"]
    refused = run_ranks(mpi, 2, ["true"], before=command, cwd=tmp_path)
    assert refused.status == 2
    assert refused.stderr == "starling: --strategy table: it needs a tuning table: --table F (STARLING_TABLE)\n"
