"""The command in a process of its own, in a fraction of the time that it takes to start Python and load it."""

from __future__ import annotations

import atexit
import functools
import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from support import loaded


@functools.cache
def _loaded() -> subprocess.Popen[str]:
    """The process that has loaded it, which ends with this one."""
    started = subprocess.Popen(
        [sys.executable, loaded.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    def end() -> None:
        started.communicate()

    atexit.register(end)
    return started


def called(
    *words: str,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float = 60,
    script: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """What became of `starling WORDS`; AssertionError where it has not ended in `timeout` seconds.

    With `script`, a Python program that uses modules of the command, of that with these words.
    Forked from a process that has loaded all commands, without input. What depends on how Python starts (variables that
    it reads, streams that are closed) or on what is loaded needs STARLING itself.
    """
    process = _loaded()
    assert process.stdin is not None
    assert process.stdout is not None
    with tempfile.NamedTemporaryFile("r+") as out, tempfile.NamedTemporaryFile("r+") as err:
        request: loaded.Request = {
            "script": str(script or ""),
            "words": list(words),
            "env": dict(os.environ if env is None else env),
            "cwd": str(cwd or Path.cwd()),
            "stdout": out.name,
            "stderr": err.name,
        }
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        if not select.select([process.stdout], [], [], timeout)[0]:
            process.kill()
            _loaded.cache_clear()
            raise AssertionError(f"starling {' '.join(words)}: no end after {timeout} s\n{err.read()}")
        status = int(process.stdout.readline())
        return subprocess.CompletedProcess(["starling", *words], status, out.read(), err.read())
