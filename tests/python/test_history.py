"""`starling history` on folders of records: what is listed, shown, merged and removed, and what is left alone."""

import copy
import errno
import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from starling.commands.cli import app
from starling.records import history, history_tables
from starling.records.history import age

ROOT = Path(__file__).resolve().parents[2]
SAMPLE: dict[str, Any] = json.loads((ROOT / "tests/knowledge/run-record.json").read_text())
COMMANDS = ("list", "show", "merge", "clear")


def timed(name: str, seconds: float, samples: int = 10, **more: Any) -> dict[str, Any]:
    """A candidate with a median time."""
    times = {"median_s": seconds, "min_s": seconds}
    return {"name": name, "parameters": {}, "samples": samples, **times, "eligible": True, "reason": "", **more}


def context(*candidates: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A context of 8 ranks on 2 nodes; by default native takes 2 us and ring 1 us."""
    chosen = list(candidates) or [timed("native", 2e-6), timed("ring", 1e-6)]
    base = {**copy.deepcopy(SAMPLE["contexts"][0]), "collective": "allreduce", "bytes": 8, "bucket": False, "ranks": 8}
    return {
        **base,
        "nodes": 2,
        "ranks_per_node": 4,
        "winner": "native",
        "decisions": [],
        "candidates": chosen,
    } | changes


def record(*contexts: dict[str, Any], merged: Iterable[str] = (), **run: Any) -> dict[str, Any]:
    """A record on the machine `node#`, with one context where none is given."""
    about = {**SAMPLE["run"], "machine": "node#", "program": "/opt/my/app input.txt", "ranks": 8, **run}
    whole = {"schema": 1, "run": about, "contexts": list(contexts) or [context()]}
    return whole | ({"merged": list(merged)} if merged else {})


def write(folder: Path, name: str, content: dict[str, Any] | str | bytes) -> Path:
    path = folder / name
    if isinstance(content, dict):
        content = json.dumps(content)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def started(days_ago: float) -> str:
    return f"{datetime.now(UTC) - timedelta(days=days_ago):%Y-%m-%dT%H:%M:%SZ}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "history"
    path.mkdir()
    return path


@pytest.fixture
def damaged(folder: Path) -> Path:
    """A folder with one complete record among invalid files."""
    whole = json.dumps(record())
    write(folder, "20260101T000001-node1-1.json", whole)
    write(folder, "20260101T000002-node1-2.json", whole[: len(whole) // 2])
    write(folder, "20260101T000003-node1-3.json", record() | {"schema": 2})
    write(folder, "20260101T000004-node1-4.json", "")
    write(folder, "20260101T000005-node1-5.json", "hello")
    write(folder, "20260101T000006-node1-6.json", b"\xff\xfe{}")
    write(folder, "notes.json", "[1, 2]")
    write(folder, "notes.txt", "mine")
    write(folder, ".20260101T000007-node1-7.json.7.tmp", whole[:100])
    (folder / "20260101T000008-node1-8.json").mkdir()
    return folder


def starling(*arguments: str | Path, env: dict[str, str | None] | None = None) -> Result:
    """`starling history ...` without any setting of this environment."""
    none: dict[str, str | None] = {name: None for name in os.environ if name.startswith("STARLING_")}
    return CliRunner().invoke(app, ["history", *map(str, arguments)], env={**none, **(env or {})}, prog_name="starling")


def said(result: Result, status: int = 0) -> list[str]:
    """The lines on stderr of a command that ended with that status."""
    assert result.exit_code == status, result.output
    lines = result.stderr.splitlines()
    assert all(line.startswith("starling: ") for line in lines)
    return [line.removeprefix("starling: ") for line in lines]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_has_an_example(command: str) -> None:
    assert f"Example: starling history {command}" in starling(command, "--help").stdout
    assert f"  {command} " in starling("--help").stdout


def test_each_run_is_a_line_the_latest_last(folder: Path) -> None:
    write(folder, "20260102T000000-node1-1.json", record(started="2026-01-02T00:00:00Z", seconds=2.5, nodes=2))
    write(folder, "20260101T000000-node2-1.json", record(context(), context(bytes=16), started="2026-01-01T10:20:30Z"))
    result = starling("list", "--history", folder, env={"COLUMNS": "200"})
    assert said(result) == []
    header, *rows = result.stdout.splitlines()
    assert header.split() == "started (UTC) machine program ranks nodes MPI strategy contexts time file".split()
    assert rows[0].startswith("2026-01-01 10:20  node#    app input.txt      8")
    words = "2026-01-02 00:00 node# app input.txt 8 2 Open MPI 4.1.4 star-basic 1 2.50 s 20260102T000000-node1-1.json"
    assert rows[1].split() == words.split()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_narrow_terminal_keeps_when_what_and_file(folder: Path, width: int) -> None:
    write(folder, "20260101T000000-node1-1.json", record(program="x" * 300))
    text = starling("--history", folder, env={"COLUMNS": str(width)}).stdout
    assert max(map(len, text.splitlines())) <= width
    assert all(title in text for title in ("started", "program", "file"))


def test_history_alone_lists(folder: Path) -> None:
    write(folder, "20260101T000000-node1-1.json", record())
    for arguments in ((), ("--history", folder), ("--json",), ("--machine", "node#")):
        alone, named = (
            starling(*words, *arguments, env={"STARLING_HISTORY": str(folder)}).stdout for words in ((), ("list",))
        )
        assert alone == named
        assert "20260101T000000-node1-1.json" in alone


def test_the_command_may_follow_the_folder(folder: Path) -> None:
    write(folder, "20260101T000000-node1-1.json", record())
    for words in (("list",), ("show", "allreduce"), ("merge",)):
        first = starling(*words, "--history", str(folder))
        assert first.exit_code == 0, first.output
        behind = starling("--history", str(folder), *words)
        assert (behind.exit_code, behind.stdout) == (0, first.stdout)
    said(starling("--history", "list"), 2)


def test_the_list_as_json(damaged: Path) -> None:
    found = json.loads(starling("--json", "--history", damaged).stdout)
    (one,) = found["records"]
    assert (one["file"], one["runs"], one["merged"]) == (str(damaged / "20260101T000001-node1-1.json"), 1, [])
    assert (one["machine"], one["program"], one["contexts"]) == ("node#", "/opt/my/app input.txt", 1)
    assert [skipped["file"] for skipped in found["skipped"]][-1] == "notes.json"


def test_what_is_no_whole_record_is_skipped_with_a_note_each(damaged: Path) -> None:
    result = starling("--history", damaged)
    lines = said(result)
    reasons = ["cut short", "record of schema 2, this starling reads 1", "cut short", "not JSON", "not UTF-8", "schema"]
    assert len(lines) == len(reasons)
    for number, (line, reason) in enumerate(zip(lines, reasons, strict=True), 2):
        assert line.startswith("skipped notes.json: " if number == 7 else f"skipped 20260101T00000{number}-node1-")
        assert reason in line
        assert str(damaged) not in line
    assert len(result.stdout.splitlines()) == 2


def test_a_truncated_record_is_skipped_wherever_it_ends(folder: Path) -> None:
    whole = json.dumps(record(), indent=2)
    for length in range(0, len(whole), 101):
        write(folder, f"20260101T000000-node1-{length}.json", whole[:length])
    found = history.read(folder)
    assert found.entries == []
    assert len(found.skipped) == len(range(0, len(whole), 101))


def test_what_may_not_be_read_is_skipped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forbidden = write(folder, "20260101T000000-node1-1.json", record())
    opened = os.open

    def refused(path: Path, *arguments: Any, **more: Any) -> Any:  # root may read everything
        if path == forbidden:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return opened(path, *arguments, **more)

    monkeypatch.setattr(os, "open", refused)
    assert "Permission denied" in said(starling("--history", folder))[0]


def test_a_record_of_an_old_version_is_listed_without_its_machine(folder: Path) -> None:
    old = record()
    del old["run"]["machine"]
    for key in ("nodes", "ranks_per_node"):
        del old["contexts"][0][key]
    write(folder, "20240501T120000-node1-1.json", old)
    assert starling("--history", folder).stdout.splitlines()[1].split()[2] == "-"
    (one,) = known(folder)
    assert (one["machine"], one["nodes"], one["best"]) == ("", 0, "ring")
    assert starling("show", "--history", folder).stdout.startswith("machine not recorded, Open MPI 4.1.4\n")


def test_an_empty_history_is_no_error_and_says_how_to_begin(folder: Path) -> None:
    missing = folder / "none"
    unset: list[str] = []
    for place, words, known in ((folder, ["--history", str(folder)], None), (missing, unset, str(missing))):
        env = {"STARLING_HISTORY": known}
        for command in ("list", "show"):
            result = starling(command, *words, env=env)
            assert said(result) == [f"{place}: no record yet; make one with: starling run -- mpirun -n 4 ./app"]
            assert result.stdout == ""
        assert starling("merge", *words, env=env).stdout == f"nothing to merge in {place}\n"
        assert starling("clear", *words, env=env).stdout == f"nothing to remove from {place}\n"
    assert not missing.exists()


def test_for_a_machine_without_records_those_with_records_are_listed(folder: Path) -> None:
    write(folder, "20260101T000000-node1-1.json", record())
    for command in ("list", "show"):
        assert said(starling(command, "--history", folder, "--machine", "x")) == [
            f"{folder}: no record of machine x; there are: node#"
        ]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_is_no_history(tmp_path: Path, command: str) -> None:
    file = write(tmp_path, "file", "")
    (line,) = said(starling(command, "--history", file), 1)
    assert str(file) in line
    assert "Not a directory" in line


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("list", "--history", "off"), "the history is off (--history); name a folder: --history DIR"),
        (("show", "--history", ""), "--history needs a value; leave it out for the default"),
        (("clear", "--older-than", "3y"), "--older-than: '3y' is no age; give 1 to 9999 with m, h, d or w behind it"),
    ],
)
def test_a_wrong_option_is_reported_with_exit_status_2(arguments: tuple[str, ...], why: str) -> None:
    (line,) = said(starling(*arguments), 2)
    assert line.startswith(why)


def test_the_history_can_be_off_by_a_setting() -> None:
    (line,) = said(starling(env={"STARLING_HISTORY": "off"}), 2)
    assert line == "the history is off (STARLING_HISTORY); name a folder: --history DIR"


def known(folder: Path, *options: str) -> list[dict[str, Any]]:
    found: dict[str, Any] = json.loads(starling("show", "--json", "--history", folder, *options).stdout)
    assert list(found) == ["known", "skipped"]
    rows: list[dict[str, Any]] = found["known"]
    return rows


def test_what_runs_know_is_added_up_by_the_library(folder: Path) -> None:
    write(folder, "20260101T000000-node1-1.json", record())
    write(folder, "20260102T000000-node1-1.json", record(context(timed("native", 4e-6, 30), timed("ring", 3e-6, 10))))
    (one,) = known(folder)
    assert (one["machine"], one["mpi_flavour"], one["mpi_version"]) == ("node#", "Open MPI", "4.1.4")
    assert (one["collective"], one["bytes"], one["ranks"], one["nodes"]) == ("allreduce", 8, 8, 2)
    assert (one["best"], one["samples"], one["runs"]) == ("ring", 20, 2)
    assert one["median_s"] == pytest.approx(2e-6)
    assert one["native_s"] == pytest.approx(3.5e-6)
    assert one["ratio"] == pytest.approx(1.75)


def test_showing_changes_nothing(folder: Path) -> None:
    for name in ("20260101T000000-node1-1.json", "20260102T000000-node1-1.json"):
        write(folder, name, record())
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    starling("show", "--history", folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_runs_with_other_keys_are_kept_apart(folder: Path) -> None:
    keys = [context(), context(nodes=8, ranks_per_node=1), context(bytes=16), context(bytes=None), context(ranks=4)]
    keys += [context(layout=7)]
    write(folder, "20260101T000000-node1-1.json", record(*keys))
    write(folder, "20260101T000000-other1-1.json", record(machine="other#"))
    write(folder, "20260102T000000-node1-1.json", record(mpi_version="5.0.1"))
    rows = known(folder)
    places = [(one["machine"], one["mpi_version"]) for one in rows]
    assert places == [("node#", "4.1.4")] * 6 + [("node#", "5.0.1"), ("other#", "4.1.4")]
    assert [(one["bytes"], one["ranks"], one["nodes"]) for one in rows[:6]] == [
        (None, 8, 2),
        (8, 4, 2),
        (8, 8, 2),
        (8, 8, 2),
        (8, 8, 8),
        (16, 8, 2),
    ]
    text = starling("show", "--history", folder).stdout
    assert [line for line in text.splitlines() if "#" in line] == [
        "node#, Open MPI 4.1.4",
        "node#, Open MPI 5.0.1",
        "other#, Open MPI 4.1.4",
    ]


def test_best_is_by_agreed_times_else_by_those_of_rank_0(folder: Path) -> None:
    # The root of a bcast measures a short time though it is slow for the others.
    agreed = [timed("native", 1e-6, agreed_s=9e-6), timed("ring", 2e-6, agreed_s=3e-6), timed("chain", 5e-7)]
    write(folder, "20260101T000000-node1-1.json", record(context(*agreed), context(*agreed[2:], bytes=16)))
    first, second = known(folder)
    assert (first["best"], first["agreed_s"], first["native_agreed_s"]) == ("ring", 3e-6, 9e-6)
    assert (first["ratio"], first["by_all_ranks"]) == (pytest.approx(3), True)
    assert (second["best"], second["native_s"], second["ratio"]) == ("chain", None, None)
    assert not second["by_all_ranks"]
    text = starling("show", "--history", folder, env={"COLUMNS": "200"}).stdout
    assert "3.00 us  9.00 us  3.00x" in text
    assert "500 ns*" in text
    assert "*: rank 0's time" in text


def test_a_gain_below_1_is_explained(folder: Path) -> None:
    write(folder, "20260101T000000-node1-1.json", record())
    assert "A gain below 1" not in starling("show", "--history", folder).stdout
    slower = [timed("native", 1e-6, eligible=False, reason="no", agreed_s=1e-6), timed("ring", 2e-6, agreed_s=2e-6)]
    write(folder, "20260101T000000-node1-1.json", record(context(*slower)))
    assert "A gain below 1 is no mistake" in starling("show", "--history", folder).stdout


def test_what_was_not_measured_or_not_eligible_is_never_best(folder: Path) -> None:
    refused = timed("pair", 1e-9, eligible=False, reason="no")
    untried = {**timed("ring", 0, 0), "median_s": None, "min_s": None}
    write(folder, "20260101T000000-node1-1.json", record(context(untried, refused)))
    (one,) = known(folder)
    assert (one["best"], one["samples"]) == (None, 0)


def test_show_takes_a_collective_ranks_and_a_machine(folder: Path) -> None:
    contexts = [context(), context(ranks=4), context(collective="bcast")]
    write(folder, "20260101T000000-node1-1.json", record(*contexts))
    write(folder, "20260101T000000-other1-1.json", record(machine="other#"))
    assert len(known(folder, "allreduce")) == 3
    assert len(known(folder, "--ranks", "4")) == 1
    assert len(known(folder, "--machine", "other#")) == 1
    (line,) = said(starling("show", "alltoall", "--ranks", "3", "--history", folder))
    assert "nothing is known of alltoall on 3 ranks; see all that is known with: starling history show" in line
    (line,) = said(starling("show", "allreduse", "--history", folder), 2)
    assert line.startswith("no collective allreduse; there are: ")


def test_what_is_known_as_a_table(folder: Path) -> None:
    write(folder, "20260101T000000-node1-1.json", record(context(bucket=True, operator_class="commutative")))
    place, header, row, _, note = starling("show", "--history", folder, env={"COLUMNS": "200"}).stdout.splitlines()
    assert place == "node#, Open MPI 4.1.4"
    assert header.split() == "collective bytes ranks nodes best median native gain samples runs".split()
    assert row.split() == "allreduce (commutative) 8 B+ 8 2 ring 1.00 us* 2.00 us* 2.00x* 10 1".split()
    assert note.startswith("*: rank 0's time")


def test_files_that_are_no_records_are_counted_beyond_the_third(damaged: Path) -> None:
    lines = said(starling("show", "--history", damaged))
    assert len(lines) == 4
    assert lines[-1].startswith("skipped 3 more files that are no whole records; see them with: starling history list")


def test_merging_makes_one_record_for_each_machine_and_mpi(folder: Path) -> None:
    for number in range(5):
        write(folder, f"20260101T00000{number}-node1-1.json", record())
    write(folder, "20260101T000009-node1-1.json", record(mpi_version="5.0.1"))
    before = known(folder)
    done = json.loads(starling("merge", "--json", "--history", folder).stdout)
    (name,) = done["written"]
    assert done == {"runs": 5, "written": [name], "skipped": []}
    assert {path.name for path in folder.iterdir()} == {name, "20260101T000009-node1-1.json"}
    assert name.startswith("merged-")
    assert known(folder) == before
    merged = next(one for one in history.read(folder).entries if one.merged)
    assert (merged.runs, merged.title) == (5, "5 runs, merged")
    assert "5 runs, merged" in starling("--history", folder).stdout


def test_merged_records_are_merged_again(folder: Path) -> None:
    for round_ in range(3):
        for number in range(2):
            write(folder, f"2026010{round_}T00000{number}-node1-1.json", record())
        result = starling("merge", "--history", folder)
        assert result.stdout.startswith(f"merged {2 * round_ + 2} runs into 1 record in {folder}: merged-")
    (entry,) = history.read(folder).entries
    assert entry.runs == 6
    (one,) = known(folder)
    assert (one["samples"], one["runs"]) == (60, 6)
    assert starling("merge", "--history", folder).stdout == f"nothing to merge in {folder}\n"


def test_a_run_is_not_counted_twice_where_merging_was_cut_off(folder: Path) -> None:
    names = [f"20260101T00000{number}-node1-1.json" for number in range(2)]
    for name in names:
        write(folder, name, record())
    starling("merge", "--history", folder)
    before = known(folder)
    write(folder, names[0], record())
    assert known(folder) == before
    assert len(history.read(folder).entries) == 1


def test_merging_leaves_what_is_no_record(damaged: Path) -> None:
    before = {path.name for path in damaged.iterdir()}
    write(damaged, "20260101T000009-node1-9.json", record())
    result = starling("merge", "--history", damaged)
    assert len(said(result)) == 4
    after = {path.name for path in damaged.iterdir()}
    assert before - after == {"20260101T000001-node1-1.json"}
    assert [name for name in after - before if not name.startswith("merged-")] == []


def test_clear_removes_records_and_nothing_else(damaged: Path) -> None:
    result = starling("clear", "--yes", "--history", damaged)
    assert said(result) == []
    assert result.stdout == f"removed 6 records from {damaged}\n"
    kept = {".20260101T000007-node1-7.json.7.tmp", "20260101T000008-node1-8.json", "notes.json", "notes.txt"}
    assert {path.name for path in damaged.iterdir()} == kept


def test_clear_takes_an_age_and_a_machine(folder: Path) -> None:
    write(folder, "a.json", record(started=started(40)))
    write(folder, "b.json", record(started=started(20)))
    write(folder, "c.json", record(started=started(40), machine="other#"))
    done = json.loads(
        starling("clear", "--yes", "--json", "--older-than", "30d", "--machine", "node#", "--history", folder).stdout
    )
    assert done == {"removed": [str(folder / "a.json")]}
    assert starling("clear", "--yes", "--older-than", "2w", "--history", folder).stdout.startswith("removed 2 records")
    assert list(folder.iterdir()) == []


def test_damaged_records_go_by_the_time_in_their_names_and_stay_where_a_machine_is_named(folder: Path) -> None:
    for name in ("20260101T000000-a-1.json", "29990101T000000-a-1.json", "20269999T000000-a-1.json"):
        write(folder, name, "")
    assert starling("clear", "--yes", "--machine", "node#", "--history", folder).stdout.startswith("nothing")
    assert json.loads(starling("clear", "--yes", "--json", "--older-than", "1m", "--history", folder).stdout) == {
        "removed": [str(folder / "20260101T000000-a-1.json")]
    }


def test_clearing_a_merged_record_brings_no_run_back(folder: Path) -> None:
    held = write(folder, "20260101T000000-node1-1.json", record(started=started(1)))
    older = write(folder, "merged-20260101T000000-node1-1.json", record(merged=[held.name], started=started(1)))
    merged = write(
        folder, "merged-20260102T000000-node1-1.json", record(merged=[older.name, "gone.json"], started=started(40))
    )
    found = history.read(folder)
    assert [entry.path for entry in found.entries] == [merged]
    order = history.to_clear(found, None, datetime.now(UTC) - timedelta(days=30))
    assert order == [held, older, merged], "an interruption must not leave a held run without its merged record"


def test_a_record_that_is_gone_already_is_not_counted(folder: Path) -> None:
    path = write(folder, "a.json", record())
    removed: list[Path] = []
    history.remove([folder / "b.json", path], removed.append)
    assert removed == [path]


def test_clear_does_not_remove_unasked(folder: Path) -> None:
    write(folder, "a.json", record())
    (line,) = said(starling("clear", "--history", folder), 2)
    assert line == f"remove 1 record from {folder}? There is nobody to ask; add --yes"
    assert (folder / "a.json").exists()


@pytest.mark.parametrize(("answer", "status", "left"), [("n", 1, True), ("", 1, True), ("y", 0, False)])
def test_clear_asks_first(folder: Path, answer: str, status: int, left: bool) -> None:
    path = write(folder, "a.json", record())
    ours, theirs = pty.openpty()
    line = [sys.executable, "-m", "starling", "history", "clear", "--history", str(folder)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with os.fdopen(ours, "wb", buffering=0) as terminal, os.fdopen(theirs, "rb") as stdin:
        terminal.write(f"{answer}\n".encode())
        done = subprocess.run(line, env=env, stdin=stdin, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == status
    assert f"remove 1 record from {folder}? [y/N]" in done.stderr
    assert path.exists() == left
    assert done.stdout == ("" if left else f"removed 1 record from {folder}\n")
    assert ("nothing was removed" in done.stderr) == left


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("30d", timedelta(days=30)),
        ("12h", timedelta(hours=12)),
        ("2w", timedelta(weeks=2)),
        ("90m", timedelta(minutes=90)),
    ],
)
def test_ages(text: str, time: timedelta) -> None:
    assert age(text) == time


@pytest.mark.parametrize("text", ["", "30", "d", "-3d", "1.5d", "3 d", "3D", "30dd", "10000w"])
def test_invalid_ages(text: str) -> None:
    with pytest.raises(ValueError, match="is no age"):
        age(text)


def test_brackets_in_names_are_no_markup(folder: Path) -> None:
    write(folder, "a.json", record(program="./app[bold]"))
    console = Console(file=io.StringIO(), width=200)
    history_tables.render_list(history.read(folder).entries, console)
    file = console.file
    assert isinstance(file, io.StringIO)
    assert "app[bold]" in file.getvalue()
