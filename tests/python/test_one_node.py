"""bench/one_node.py: jobs that found the processors of a virtual machine placed differently are not compared."""

from __future__ import annotations

import importlib
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


class Machine:
    """Stands for jobs and for what measures a line: `lines` are nanoseconds, in turns."""

    def __init__(self, one_node: Any, folder: Path, lines: Sequence[float]) -> None:
        self.lines = list(lines)
        self.suite = one_node.Suite(Namespace(ranks=2, output=folder / "mine.json"), folder)
        self.suite._measure_line = self.measure_line
        self.suite._jobs = self.jobs

    def measure_line(self, *_: object) -> None:
        """A line's time, of those given."""
        self.suite._lines.append(self.lines.pop(0))

    def jobs(self, *_: object) -> Iterator[tuple[dict[str, str], dict[str, float]]]:
        """Two jobs, each behind a measurement of a line."""
        for way in ("native", "shared"):
            self.measure_line()
            yield {"bcast": way}, {"bcast": 1e-6}

    def noted(self) -> list[float]:
        """What is noted of the processors once a round is measured."""
        self.suite.measure(SimpleNamespace(name="openmpi4"), None, 8, 0)
        return [one.notes["line_ns"] for one in self.suite.file.measurements]


@pytest.fixture
def one_node(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "bench")
    return importlib.import_module("one_node")


def test_a_round_in_which_processors_moved_is_measured_again(one_node: Any, tmp_path: Path) -> None:
    assert Machine(one_node, tmp_path, [95, 490, 490, 490, 480, 500]).noted() == [490, 480]


def test_processors_that_moved_in_the_last_job_are_seen(one_node: Any, tmp_path: Path) -> None:
    assert Machine(one_node, tmp_path, [95, 95, 490, 100, 96, 97]).noted() == [100, 96]


def test_a_round_in_which_they_always_move_is_left_out(one_node: Any, tmp_path: Path) -> None:
    machine = Machine(one_node, tmp_path, [95, 490, 95] * 4)
    assert machine.noted() == []
    assert not machine.lines, "tried four times"
