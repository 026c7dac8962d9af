"""What may stand in place of a platform file, told apart without the time that reading one takes."""

from __future__ import annotations

import re

NODES = "nodes"
"""In place of a platform: MPI tells which ranks share a node, and all nodes hang on one switch."""
SHORT = re.compile(
    r"(single):(\d{1,9})|(chain|star|tree):(\d{1,9})x(\d{1,9})|(fattree):(\d{1,9}(?:x\d{1,9}){1,9})(?::(\d{1,9}))?"
)
"""The kinds of networks that have short names, each with its numbers."""


def is_short(topology: str) -> bool:
    """Whether it is a short name, and not a path."""
    return SHORT.fullmatch(topology) is not None
