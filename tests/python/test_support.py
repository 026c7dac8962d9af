"""The command as tests start it quickly is the command as it is started."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from support.command import called
from support.tuned import STARLING


@pytest.mark.parametrize(
    "words", [("algorithms", "bcast"), ("report", "no-file"), ("lab", "up"), ("config", "-h")], ids=" ".join
)
def test_it_prints_and_ends_as_one_that_loads_all_itself(words: tuple[str, ...], tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "COLUMNS": "90"}
    plain = subprocess.run([*STARLING, *words], env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    quick = called(*words, env=env, cwd=tmp_path)
    assert (quick.returncode, quick.stdout, quick.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_each_has_variables_and_a_folder_of_its_own(tmp_path: Path) -> None:
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "file").touch()
        told = called("report", env={"STARLING_HISTORY": "file"}, cwd=folder).stderr
        assert str(folder / "file") in told


def test_one_that_does_not_end_is_told_and_the_next_one_runs(tmp_path: Path) -> None:
    waiting = tmp_path / "pipe.json"
    os.mkfifo(waiting)
    writer = os.open(waiting, os.O_RDWR)
    with pytest.raises(AssertionError, match=r"no end after 0\.2 s"):
        called("report", str(waiting), timeout=0.2)
    os.close(writer)
    assert called("--version").stdout.startswith("starling ")
