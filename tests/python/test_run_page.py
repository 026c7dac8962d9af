"""The page of a run: what stands there, and that it needs nothing else."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from starling.commands.cli import app
from starling.records import record as records
from starling.records import run_page
from starling.records.run_page import page

SAMPLE = Path(__file__).parents[1] / "knowledge/run-record.json"
RUNNER = CliRunner()


def sample(**changes: Any) -> dict[str, Any]:
    """A record that is no profile, with other contexts or facts of the run."""
    found: dict[str, Any] = json.loads(SAMPLE.read_text())
    del found["profile"]
    for context in found["contexts"]:
        context.pop("profile", None)
    found["run"] |= {"unfinished": False} | changes.pop("run", {})
    return found | changes


def written(folder: Path, record: dict[str, Any]) -> Path:
    file = folder / "record.json"
    file.write_text(json.dumps(record))
    return file


def page_of(folder: Path, record: dict[str, Any]) -> str:
    return page(records.read(written(folder, record))[0])


def test_it_shows_every_decision_with_its_reason(tmp_path: Path) -> None:
    record = sample()
    shown = page_of(tmp_path, record)
    decisions = [one for context in record["contexts"] for one in context["decisions"]]
    assert decisions
    for one in decisions:
        assert escape(one["why"]) in shown


def test_a_change_of_choice_is_two_parts_of_a_line(tmp_path: Path) -> None:
    record = sample()
    context = next(one for one in record["contexts"] if len(one["candidates"]) > 1)
    names = ["native", "other?k=2"]
    context |= {
        "calls": 100,
        "decisions": [
            {"call": 0, "from": None, "to": names[0], "why": "first"},
            {"call": 40, "from": names[0], "to": names[1], "why": "then"},
        ],
    }
    shown = page_of(tmp_path, record | {"contexts": [context]})
    assert "calls 1 to 40: native" in shown
    assert "calls 41 to 100: other?k=2" in shown


def test_every_measured_candidate_has_a_row_and_the_winner_is_marked(tmp_path: Path) -> None:
    record = sample()
    shown = page_of(tmp_path, record)
    context = max(records.read(written(tmp_path, record))[0].contexts, key=lambda one: one.spent or 0)
    timed = [one for one in context.candidates if one.all_ranks_s or one.median_s]
    assert timed
    for one in timed:
        assert re.search(rf">{re.escape(one.public_name)}</text>", shown)
    assert shown.count('class="chosen"') >= 1


def test_the_time_of_a_context_is_told_together_with_natives(tmp_path: Path) -> None:
    record = sample()
    shown = page_of(tmp_path, record)
    known = [one for one in records.read(written(tmp_path, record))[0].contexts if one.saved is not None]
    assert known
    assert len(re.findall(r">[\d.]+ m?u?s; native [\d.]+ m?u?s<", shown)) == len(known)


@pytest.mark.parametrize("segment", ["8192", "1" * 60])
def test_long_names_are_not_cut_by_the_edge_of_a_picture(tmp_path: Path, segment: str) -> None:
    record = sample()
    context = next(one for one in record["contexts"] if len(one["candidates"]) > 1)
    context["candidates"][1] |= {"name": "pipelined_levels", "parameters": {"inner": "binomial", "segment": segment}}
    shown = page_of(tmp_path, record | {"contexts": [context]})
    assert "pipelined_levels?inner=" in shown
    for x, words in re.findall(r'<text x="(\d+)" y="\d+" text-anchor="end" class="\w*">([^<]*)<', shown):
        assert 6.5 * len(words) <= int(x), words


def test_white_names_can_be_read_on_every_colour_of_a_choice() -> None:
    for colour in (*run_page._COLOURS, "#66717c"):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        light = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
        luminance = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]
        assert 1.05 / (luminance + 0.05) >= 4.5, f"{colour}: the contrast that WCAG 2 asks for"


def test_it_loads_nothing_and_escapes_what_programs_are_called(tmp_path: Path) -> None:
    shown = page_of(tmp_path, sample(run={"program": "./<script>alert(1)</script> \x1b[31m" + "x" * 300}))
    assert "<script" not in shown
    assert "\x1b" not in shown
    assert not re.search(r"(src|href|url)\s*[=(]", shown)
    assert "://" not in shown


def test_a_setting_without_a_value_is_none(tmp_path: Path) -> None:
    shown = page_of(tmp_path, sample(run={"settings": {"except": "", "seed": "0"}}))
    assert "<tr><td class=left>except</td><td class=left>none</td></tr>" in shown
    assert "<tr><td class=left>seed</td><td class=left>0</td></tr>" in shown


def test_thousands_of_contexts_stay_below_two_megabytes(tmp_path: Path) -> None:
    record = sample()
    contexts = [{**record["contexts"][0], "bytes": size} for size in range(8, 5008)]
    shown = page_of(tmp_path, record | {"contexts": contexts})
    assert len(shown) < 2 << 20
    assert "and 4700 lighter ones" in shown


def test_an_unfinished_run_and_one_without_collectives_say_so(tmp_path: Path) -> None:
    assert "did not get to MPI_Finalize" in page_of(tmp_path, sample(run={"unfinished": True}))
    assert "No collective was called" in page_of(tmp_path, sample(contexts=[]))


@pytest.mark.parametrize("profiled", [False, True])
def test_the_command_writes_the_page_of_a_run_or_of_a_profile(tmp_path: Path, profiled: bool) -> None:
    record = json.loads(SAMPLE.read_text()) if profiled else sample()
    file = tmp_path / "page.html"
    done = RUNNER.invoke(app, ["report", str(written(tmp_path, record)), "--html", str(file)])
    assert (done.exit_code, done.stdout) == (0, "")
    assert ("moving data" in file.read_text()) is profiled
    there = RUNNER.invoke(app, ["report", str(tmp_path / "record.json"), "--html", str(tmp_path / "no/page.html")])
    assert (there.exit_code, "there is no folder" in there.stderr) == (1, True)
