"""The console that tables go to."""

from __future__ import annotations

import os
import re
import sys
from typing import IO, cast

from rich.console import Console

_WITHOUT_TERMINAL = 120
"""Columns where the output is no terminal and COLUMNS is not set."""


class _Trimmed:
    """Standard output without the trailing blanks of tables' lines."""

    def __init__(self) -> None:
        self.encoding = sys.stdout.encoding

    def isatty(self) -> bool:
        return False

    def write(self, text: str) -> int:
        sys.stdout.write(re.sub(r" +$", "", text, flags=re.MULTILINE))
        return len(text)

    def flush(self) -> None:
        sys.stdout.flush()


def terminal() -> Console:
    """A console of the terminal's width; for a file or a pipe, of COLUMNS or 120."""
    console = Console(highlight=False)
    if console.is_terminal:
        return console
    requested = os.environ.get("COLUMNS", "")
    width = int(requested) if requested.isdecimal() and int(requested) > 0 else _WITHOUT_TERMINAL
    return Console(file=cast("IO[str]", _Trimmed()), highlight=False, width=width)
