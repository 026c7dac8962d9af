"""The folders of the Python package's modules and the imports between them agree with CONTRIBUTING.md's table."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python/starling"
HEADING = "## Rooms of the Python package\n"
SHARED = "messages"
"""The module that every room may import."""


class Row(NamedTuple):
    """A row of the table."""

    room: str
    says: str
    imports: tuple[str, ...]


def rows() -> list[Row]:
    section = (ROOT / "CONTRIBUTING.md").read_text().partition(HEADING)[2].partition("\n## ")[0]
    found = re.findall(r"^\| `(\w+)` \| (.+?) \| ?(.*?) ?\|$", section, re.MULTILINE)
    return [Row(room, says, tuple(re.findall(r"\w+", imports))) for room, says, imports in found]


def module(file: Path) -> tuple[str, ...]:
    """The parts of its name in the package; `__init__.py` has the folder's."""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


FILES = {module(file): file for file in sorted(PACKAGE.rglob("*.py"))}


def room(file: Path) -> str:
    """Its folder, or its own name where it is in none."""
    return file.relative_to(PACKAGE).with_suffix("").parts[0]


ROOMS = {room(file) for file in FILES.values()} - {"__init__"}


def imported(source: str) -> Iterator[tuple[str, ...]]:
    """Names below `starling` imported anywhere in a module, in parts."""
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: write imports from `starling`, so that all of them read alike"
            names = [f"{node.module}.{one.name}" for one in node.names]
        for name in names:
            first, *parts = name.split(".")
            if first == "starling":
                yield tuple(parts)


def neighbours(file: Path) -> set[str]:
    """Other rooms that a module imports from."""
    here = room(file)
    return {parts[0] for parts in imported(file.read_text()) if parts[:1] and parts[0] in ROOMS} - {here}


def test_the_table_has_every_room_and_no_other() -> None:
    assert {row.room for row in rows()} == ROOMS


def test_a_room_says_of_itself_what_the_table_says() -> None:
    for row in rows():
        file = FILES.get((row.room,))
        assert file is not None, f"{row.room} has no __init__.py"
        tree = ast.parse(file.read_text())
        assert row.says == (ast.get_docstring(tree) or "").partition("\n")[0], row.room
        is_imported_by_programs = row.room == "patterns"
        assert file.name != "__init__.py" or len(tree.body) == 1 or is_imported_by_programs, (
            f"{file} has more than its sentence"
        )


def test_imports_go_one_way() -> None:
    above: set[str] = set()
    for row in rows():
        assert set(row.imports) <= above, f"{row.room} imports what does not stand above it"
        above.add(row.room)


@pytest.mark.parametrize("file", FILES.values(), ids=lambda file: str(file.relative_to(PACKAGE)))
def test_a_module_imports_only_what_its_room_may(file: Path) -> None:
    allowed = {row.room: {*row.imports, SHARED} for row in rows()}
    assert neighbours(file) <= allowed.get(room(file), set())


def test_the_table_allows_no_more_than_is_imported() -> None:
    used: dict[str, set[str]] = {}
    for file in FILES.values():
        used.setdefault(room(file), set()).update(neighbours(file))
    for row in rows():
        assert set(row.imports) == used.get(row.room, set()) - {SHARED}, row.room


def test_imports_are_seen_wherever_they_stand() -> None:
    source = """
import os, starling.records.report
from typing import TYPE_CHECKING
from starling import messages, runs
if TYPE_CHECKING:
    from starling.lab.plan import Plan
def late():
    from starling.trials import doctor
"""
    assert set(imported(source)) == {
        ("records", "report"),
        ("messages",),
        ("runs",),
        ("lab", "plan", "Plan"),
        ("trials", "doctor"),
    }
