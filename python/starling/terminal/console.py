"""The console that tables go to."""

from __future__ import annotations

import os
import re
import sys
from typing import IO, TextIO, cast

from rich.console import Console

_WITHOUT_TERMINAL = 120
"""Columns where the output is no terminal and COLUMNS is not set."""


class _Trimmed:
    """A stream without the trailing blanks of tables' lines."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.encoding = stream.encoding

    def isatty(self) -> bool:
        return False

    def write(self, text: str) -> int:
        self._stream.write(re.sub(r" +$", "", text, flags=re.MULTILINE))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()


def terminal(*, to_stderr: bool = False) -> Console:
    """A console of the terminal's width; for a file or a pipe, of COLUMNS or 120."""
    console = Console(highlight=False, stderr=to_stderr)
    if console.is_terminal:
        return console
    requested = os.environ.get("COLUMNS", "")
    width = int(requested) if requested.isdecimal() and int(requested) > 0 else _WITHOUT_TERMINAL
    stream = _Trimmed(sys.stderr if to_stderr else sys.stdout)
    return Console(file=cast("IO[str]", stream), highlight=False, width=width)
