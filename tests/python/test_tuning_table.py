"""The tuning table: its schema, reading and writing, and what is said of files that are none."""

import copy
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from starling.commands.cli import app
from starling.messages import in_one_line
from starling.tables.table import Table, TableError, parse, read, to_text, write
from starling.tuning import page
from support.tables import choice, data, points

ROOT = Path(__file__).resolve().parents[2]
SCHEMA: dict[str, Any] = json.loads((ROOT / "python/starling/schemas/tuning-table-1.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
IN_MANUAL = re.findall(r"```json\n(.*?)```", (ROOT / "docs/tuning-table.md").read_text(), re.DOTALL)[0]
SAMPLE = data(
    choice("allreduce", 16, (0, 337, "native"), (337, 8192, "ring"), (16384, None, "chain?segment=8192"), nodes=4),
    choice("barrier", 16, (0, None, "native_bruck")),
    machine="node#",
    measured=points("allreduce", 16, {"native": {8: 1e-5}, "ring": {8: 2e-5}}),
)


def test_the_manuals_example_and_what_is_written_fit_the_schema() -> None:
    VALIDATOR.validate(json.loads(IN_MANUAL))
    VALIDATOR.validate(SAMPLE)
    for text in (IN_MANUAL, json.dumps(SAMPLE)):
        VALIDATOR.validate(json.loads(to_text(parse(text))))


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    for text in (IN_MANUAL, json.dumps(SAMPLE)):
        table = parse(text)
        assert parse(to_text(table)) == table
        write(table, tmp_path / "table.json")
        assert read(tmp_path / "table.json") == table
    assert [path.name for path in tmp_path.iterdir()] == ["table.json"], "no temporary file is left"


@pytest.mark.parametrize(
    "way",
    [
        "two_level?inner=native+chain:segment=8192,outer=knomial:k=8:segment=none",
        "multilane?inner=pairwise+simple,outer=ring",
    ],
)
def test_ways_with_parts_are_written_and_read_again(way: str) -> None:
    whole = parse(changed(lambda one: intervals(one)[1].update(way=way)))
    VALIDATOR.validate(json.loads(to_text(whole)))
    assert parse(to_text(whole)).choices[0].intervals[1].way == way
    with pytest.raises(TableError, match="is no name of a way"):
        parse(changed(lambda one: intervals(one)[1].update(way=way.replace("outer=", "outer=a=b:", 1))))


def test_what_a_running_job_takes_instead_is_written_and_read_again() -> None:
    def put(found: dict[str, Any]) -> None:
        intervals(found)[1] |= {"way": "native_adjust_8", "at_run_time": {"way": "ring", "gain": 1.5}}

    whole = parse(changed(put))
    VALIDATOR.validate(json.loads(to_text(whole)))
    assert parse(to_text(whole)) == whole
    of = [one.at_run_time.way if one.at_run_time else None for one in whole.choices[0].intervals]
    assert of == [None, "ring", None]
    assert to_text(whole).count("at_run_time") == 1


def test_calls_in_a_row_are_written_where_there_are_any_and_read_again() -> None:
    def put(one: dict[str, Any], found: dict[str, Any]) -> None:
        found["points"][1]["in_row"] = one

    in_row = {"mean_s": 1.6e-5, "samples": 224, "of_native": 0.8, "counts": True}
    whole = parse(changed(partial(put, in_row)))
    VALIDATOR.validate(json.loads(to_text(whole)))
    assert parse(to_text(whole)) == whole
    assert to_text(whole).count("in_row") == 1
    native, ring = whole.points
    assert native.in_row is None
    assert (ring.ratio, ring.seconds, ring.of_native) == (0.8, 1.6e-5, SAMPLE["points"][1].get("of_native"))
    for name, wrong in (("mean_s", -1), ("samples", 0), ("of_native", None), ("counts", "no")):
        with pytest.raises(TableError, match=rf"points\[1\]\.in_row\.{name} is not what it should be"):
            parse(changed(partial(put, {**in_row, name: wrong})))


def test_each_interval_and_point_has_a_line_of_its_own() -> None:
    lines = to_text(Table.model_validate(SAMPLE)).splitlines()
    assert sum('"from"' in line for line in lines) == 4
    assert sum('"median_s"' in line for line in lines) == 2


def test_a_table_that_cannot_be_written_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "missing"
    with pytest.raises(TableError, match=r"missing/table.json: there is no folder .*missing;"):
        write(parse(IN_MANUAL), folder / "table.json")
    (tmp_path / "taken").mkdir()
    with pytest.raises(TableError, match="Is a directory"):
        write(parse(IN_MANUAL), tmp_path / "taken")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def changed(change: Callable[[dict[str, Any]], object]) -> str:
    found = copy.deepcopy(SAMPLE)
    change(found)
    return json.dumps(found)


def made_at(when: str, found: dict[str, Any]) -> None:
    found["made"]["when"] = when


# As the C++ reader does: tests/knowledge/tuning_table.cpp.
TIMES = ("2026-11-23", "2026-01-31T00:00:00Z", "2026-12-01T23:59:59Z")
OTHER_THAN_TIMES = (
    *("", "noon", "20261123", "2026-13-23", "2026-00-23", "2026-11-32", "2026-11-23T06:00:00", "2026-11-23 06:00:00Z"),
    *("2026-11-23T24:00:00Z", "2026-11-23T06:60:00Z", "2026-11-23T06:00:60Z", "2026-11-23T06:00:00+01:00"),
)


@pytest.mark.parametrize("when", TIMES)
def test_a_table_is_of_a_date_or_a_time_in_utc(when: str) -> None:
    assert parse(changed(lambda one: one["made"].update(when=when))).made.when == when


def intervals(found: dict[str, Any]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = found["choices"][0]["intervals"]
    return made


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "line 1: it is cut short; make it again with: starling tune"),
        (IN_MANUAL[:400], "line 7: it is cut short; make it again with: starling tune"),
        ("[1, 2", "line 1: it is cut short; make it again with: starling tune"),
        (IN_MANUAL.strip() + " x", "line 15: not JSON: Extra data"),
        ('{"schema": x}', "line 1: not JSON: Expecting value"),
        ("[" * 100000, "it is no tuning table: it is nested too deeply"),
        ("[]", 'it is no tuning table: it has no "schema"; make one with: starling tune'),
        ('{"schema": 1}', "its schema is 1, and this version reads 'starling-table-1'; make it again"),
        (changed(lambda one: one.pop("machine")), "it has no machine"),
        (changed(lambda one: one.pop("made")), "it has no made"),
        (changed(lambda one: one["choices"][0].pop("ranks")), "it has no choices[0].ranks"),
        (changed(lambda one: one.update(mpi_flavour=4)), "mpi_flavour is not what it should be: 4"),
        *(
            (changed(partial(made_at, other)), "made.when: no time like 2024-05-01T12:00:00Z")
            for other in OTHER_THAN_TIMES
        ),
        (
            changed(lambda one: one["choices"][0].update(nodes=3)),
            "choices[0]: 16 ranks are not on 3 nodes with at most 4 each",
        ),
        (
            changed(lambda one: one["choices"].append(one["choices"][0])),
            "it has two choices for allreduce on 16 ranks, 4 nodes of 4",
        ),
        (
            changed(lambda one: intervals(one)[1].update({"from": 336})),
            "choices[0]: the intervals from 0 below 337 and from 336 bytes overlap or are out of order",
        ),
        (
            changed(lambda one: intervals(one)[1].update(below=None)),
            "choices[0]: the intervals from 337 without end and from 16384 bytes overlap or are out of order",
        ),
        (
            changed(lambda one: intervals(one)[1].update(below=337)),
            "choices[0].intervals[1]: the interval from 337 below 337 bytes is empty",
        ),
        (
            changed(lambda one: intervals(one)[0].update({"from": -1})),
            "choices[0].intervals[0].from is not what it should be: -1",
        ),
        (
            changed(lambda one: intervals(one)[0].update({"from": 0.5})),
            "choices[0].intervals[0].from is not what it should be: 0.5",
        ),
        (
            changed(lambda one: intervals(one)[0].update(way="a\nb")),
            "choices[0].intervals[0].way: 'a\\nb' is no name of a way, like ring or chain?segment=8192",
        ),
        (
            changed(lambda one: intervals(one)[0].update(gain=-1.5)),
            "choices[0].intervals[0].gain is not what it should be: -1.5",
        ),
        (
            changed(lambda one: intervals(one)[0].update(seconds=[None, -1])),
            "choices[0].intervals[0].seconds[1] is not what it should be: -1",
        ),
        (
            changed(lambda one: intervals(one)[0].update(at_run_time={"way": "ring", "gain": -1})),
            "choices[0].intervals[0].at_run_time.gain is not what it should be: -1",
        ),
        (
            changed(lambda one: one["points"][0].update(median_s=-1.0)),
            "points[0].median_s is not what it should be: -1.0",
        ),
        (
            changed(lambda one: one["points"][0].update(of_native=-1)),
            "points[0].of_native is not what it should be: -1",
        ),
        (IN_MANUAL.replace('"machine"', '"machine": "", "machine"', 1), "it has 'machine' twice in one place"),
        (IN_MANUAL.replace('"way"', '"way": "ring", "way"', 1), "it has 'way' twice in one place"),
        (changed(lambda one: one["points"][0].update(samples=0)), "points[0].samples is not what it should be: 0"),
    ],
)
def test_what_is_no_table_is_one_line_with_the_place(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(TableError) as error:
        parse(text)
    assert str(error.value) == why
    assert in_one_line(why) == why
    file = tmp_path / "table.json"
    file.write_text(text)
    with pytest.raises(TableError) as error:
        read(file)
    assert str(error.value) == f"{file}: {why}"


def test_files_that_cannot_be_read_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"none.json: No such file or directory; make a table with: starling tune"):
        read(tmp_path / "none.json")
    binary = tmp_path / "binary"
    binary.write_bytes(b"{\xff}")
    with pytest.raises(TableError, match="byte 1 is not UTF-8"):
        read(binary)
    device = Path("/dev/zero")
    with pytest.raises(TableError, match="it is neither a file nor a pipe; make a table with: starling tune"):
        read(device)
    for command in (["report"], ["report", "--json"], ["export", "--to", "ucc"], ["profile", "--show"]):
        told = CliRunner().invoke(app, [*command, str(device)])
        assert (told.exit_code, told.stderr.count("\n")) == (1, 1)
        assert f"{device}: it is neither a file nor a pipe" in told.stderr


def test_a_pipe_is_read_like_the_file(tmp_path: Path) -> None:
    table, record = tmp_path / "table.json", ROOT / "tests/knowledge/run-record.json"
    write(Table.model_validate(SAMPLE), table)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for command, file in (
        (["report"], record),
        (["report", "--json"], record),
        (["report"], table),
        (["export", "--to", "ucc"], table),
    ):
        writer = subprocess.Popen(["sh", "-c", 'exec cat "$1" >"$2"', "sh", str(file), str(pipe)])
        through, directly = (CliRunner().invoke(app, [*command, str(name)]) for name in (pipe, file))
        assert writer.wait(60) == 0
        assert (through.exit_code, through.stdout) == (0, directly.stdout)


def test_bytes_of_names_that_are_not_utf_8_are_kept(tmp_path: Path) -> None:
    made = {**SAMPLE["made"], "command": "starling tune -o odd\udcff.json -- mpirun"}
    table = Table.model_validate({**SAMPLE, "made": made})
    write(table, tmp_path / "table.json")
    assert read(tmp_path / "table.json") == table
    page.write(table, tmp_path / "table.html")
    assert r"odd\udcff.json" in (tmp_path / "table.html").read_text()


def test_fields_that_later_versions_may_add_are_ignored() -> None:
    table = parse(changed(lambda one: one.update(more=1, choices=[{**one["choices"][0], "more": [1]}])))
    assert table.choices[0].intervals[1].holds(8191)
    assert not table.choices[0].intervals[1].holds(8192)


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_locale_that_lacks_a_character_shows_an_escape(options: list[str], tmp_path: Path) -> None:
    (tmp_path / "table.json").write_text(json.dumps({**SAMPLE, "machine": "M→N"}))
    done = subprocess.run(
        [sys.executable, "-m", "starling", "report", "table.json", *options],
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        cwd=tmp_path,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"M\u2192N" in done.stdout
