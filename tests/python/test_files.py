"""Files are read and written whole."""

from __future__ import annotations

import fcntl
import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from starling import files


def test_what_a_file_replaces_stays_where_there_is_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "rules.conf"
    file.write_text("old")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            files.write(file, "new")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]
    files.write(file, "new")
    assert files.read(file) == b"new"


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    file, link = tmp_path / "real", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o600)
    link.symlink_to("real")
    files.write(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_names_may_be_as_long_as_the_system_lets_them(tmp_path: Path) -> None:
    file = tmp_path / ("x" * 255)
    files.write(file, "text")
    assert file.read_text() == "text"


def test_a_device_is_written_to_and_stays_one() -> None:
    files.write(Path("/dev/null"), "text")
    assert Path("/dev/null").is_char_device()


def test_a_loop_of_links_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="symbolic links"):
        files.read(tmp_path / "loop")


def test_a_pipe_is_read_until_its_writers_have_closed_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen(["sh", "-c", 'exec >"$1"; echo one; read wait; echo two', "sh", str(pipe)], stdin=-1)
    assert writer.stdin is not None
    writer.stdin.write(b"\n")
    writer.stdin.close()
    assert files.read(pipe) == b"one\ntwo\n"
    assert writer.wait(60) == 0
    monkeypatch.setattr(files, "MOST_BYTES", 1 << 20)
    endless = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
    assert endless.stdout is not None
    with pytest.raises(OSError, match="it is longer than 1 MiB"):
        files.read(Path(f"/proc/self/fd/{endless.stdout.fileno()}"))
    endless.kill()
    endless.communicate()


def test_a_folder_is_refused_and_nothing_stays_open(tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(OSError, match="Is a directory"):
        files.read(tmp_path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


HOLDER = """
import sys
from starling import files
with files.temporary_folder("test") as folder:
    (folder / "half").write_text("done")
    print(folder, flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_process_left_goes_with_the_next_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    words = [sys.executable, "-c", HOLDER]
    with (
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as killed,
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as alive,
    ):
        assert killed.stdout is not None
        assert alive.stdout is not None
        left, used = (Path(one.stdout.readline().strip()) for one in (killed, alive) if one.stdout)
        others = tmp_path / "starling-of-others"
        others.mkdir()
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert (left / "half").exists()
        with files.temporary_folder("check") as folder:
            assert sorted(tmp_path.iterdir()) == sorted([folder, used, others])
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        alive.communicate("")
    assert list(tmp_path.iterdir()) == [others]


def test_without_locks_nothing_of_others_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(fcntl, "flock", refused)
    with files.temporary_folder("one") as one:
        with files.temporary_folder("other"):
            assert one.exists()
        assert list(tmp_path.iterdir()) == [one]
    assert list(tmp_path.iterdir()) == []
