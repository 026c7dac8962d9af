"""Starting this command again."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

_START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from starling.__main__ import main; main()"


def starling(arguments: Sequence[str]) -> list[str]:
    """The line that starts this starling again, also where Python would not find its package (`cmake --install`)."""
    package = Path(__file__).resolve().parents[1]
    return [sys.executable, "-c", _START, str(package.parent), *arguments]
