"""Names that may replace a platform file, recognised without loading the code that reads one."""

from __future__ import annotations

import re

NODES = "nodes"
"""Instead of a platform: MPI reports which ranks share a node, and all nodes hang on one switch."""
SHORT = re.compile(
    r"(single):(\d{1,9})|(chain|star|tree):(\d{1,9})x(\d{1,9})|(fattree):(\d{1,9}(?:x\d{1,9}){1,9})(?::(\d{1,9}))?"
)
"""The kinds of networks that have short names, each with its numbers."""


def is_short(topology: str) -> bool:
    """Whether it is a short name, and not a path."""
    return SHORT.fullmatch(topology) is not None
