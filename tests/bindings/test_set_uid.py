"""In a set-uid program the library is inactive and ignores its environment."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from bindings.targets import DEBIAN, HERE, library, target_named
from support.mpis import compile_c, environment

NOBODY = 65534


@pytest.mark.parametrize("name", DEBIAN)
def test_a_set_uid_program_ignores_our_environment(name: str) -> None:
    # The dynamic loader preloads nothing into a set-uid program, so this one is linked to the library, in front of MPI.
    assert os.geteuid() == 0, "this test makes a set-uid program, which takes root"
    target = target_named(name)
    file = library(target.variant)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        folder.chmod(0o777)
        copy = folder / file.name
        copy.write_bytes(file.read_bytes())
        copy.chmod(0o755)
        linked = ["-Wl,--no-as-needed", str(copy), f"-Wl,-rpath,{folder}"]
        program = compile_c(target.mpi, HERE / "five_allreduces.c", folder, linked)
        history = folder / "history"
        history.mkdir()
        history.chmod(0o777)
        settings = {"STARLING_HISTORY": str(history), "STARLING_STRATEGY": "no such strategy", "HOME": str(folder)}
        told = "no such strategy"
        for mode in (0o755, 0o4755):
            program.chmod(mode)
            done = subprocess.run(
                [str(program)],
                env=environment(target.mpi, settings),
                user=NOBODY,
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            assert "sum 1" in done.stdout, done.stderr
            is_set_uid = mode == 0o4755
            assert (told in done.stderr, any(history.iterdir())) == (not is_set_uid, not is_set_uid), done.stderr
            for record in history.iterdir():
                record.unlink()
