"""The pages of docs/results agree with the measurements beside them."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
WRITTEN = re.compile(r"<!-- bench/pages\.py .*?<!-- end -->\n", re.DOTALL)
PAGES = sorted(RESULTS.glob("*.md"))


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, str(ROOT / "bench" / "pages.py"), "--check", "--folder", str(folder)]
    return subprocess.run(line, capture_output=True, text=True, check=False)


def test_every_table_is_as_its_data_has_it() -> None:
    done = check(RESULTS)
    assert done.returncode == 0, done.stderr


def test_a_page_that_differs_from_its_data_is_found(tmp_path: Path) -> None:
    shutil.copytree(RESULTS, tmp_path / "results")
    page = tmp_path / "results" / "trees.md"
    page.write_text(page.read_text().replace("| 247.0 ms |", "| 147.0 ms |"))
    done = check(tmp_path / "results")
    assert done.returncode == 1
    assert "trees.md: not as the data beside it" in done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_table_is_written_by_hand(page: Path) -> None:
    by_hand = [line for line in WRITTEN.sub("", page.read_text()).splitlines() if line.startswith("|")]
    assert by_hand == []


def test_all_data_and_pictures_are_shown() -> None:
    text = "".join(page.read_text() for page in PAGES)
    unseen = [path.name for path in sorted(RESULTS.glob("*.[js][sv]*")) if path.name not in text]
    assert unseen == []


def test_every_picture_is_drawn_with_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "bench")
    drawn = importlib.import_module("pages").PICTURES
    assert sorted(path.name for path in RESULTS.glob("*.svg")) == sorted(drawn)


def test_slow_first_calls_of_native_are_no_loss_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "bench")
    first_calls = importlib.import_module("first_calls")
    native, other = SimpleNamespace(seconds=[4.0, 1.0, 1.0]), SimpleNamespace(seconds=[4.0, 1.0, 4.0])
    assert list(first_calls.so_far([other], [native])) == [[1.0, 1.0, 1.5]]
