"""What the tests of this folder share: how ranks wait, and programs that are compiled once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support import mpis
from support.mpis import compile_c, debian_mpis, mpi_named, run_ranks
from support.tuned import preloaded

HERE = Path(__file__).parent


def status(program: Path) -> int:
    return subprocess.run([program], check=False).returncode


@pytest.mark.parametrize("name", ["mpich4", "mpich5"])
def test_ranks_of_mpich_sleep_while_they_wait(name: str, tmp_path: Path) -> None:
    mpi = mpi_named(name)
    program = str(compile_c(mpi, HERE / "waiting.c", tmp_path))
    outcome = run_ranks(mpi, 4, [program], preloaded(mpi, tmp_path)).check()
    slept, lost = map(int, outcome.stdout.split())
    assert slept > max(lost, 50)


def test_a_program_is_compiled_once_for_all_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (mpi, *_) = debian_mpis()
    folders = [tmp_path / name for name in ("first", "second", "third")]
    for folder in folders:
        folder.mkdir()
    source = tmp_path / "small.c"
    source.write_text("int main(void) { return 0; }\n")
    first = compile_c(mpi, source, folders[0])
    with monkeypatch.context() as without:
        without.setattr(mpis, "_make", None)
        second = compile_c(mpi, source, folders[1])
        assert second == folders[1] / first.name
        assert second.read_bytes() == first.read_bytes()
        first.unlink()
        assert status(second) == 0

    source.write_text("int main(void) { return 3; }\n")
    assert status(compile_c(mpi, source, folders[1])) == 3
    # Other options, another program.
    source.write_text("int main(void) { return STATUS; }\n")
    for expected in (4, 5):
        compile_c(mpi, source, folders[2], [f"-DSTATUS={expected}"])
        assert status(folders[2] / first.name) == expected
