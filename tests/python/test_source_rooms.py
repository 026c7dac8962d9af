"""Where the C++ sources lie, and who includes whom: as CONTRIBUTING.md's table of their rooms says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src"
HEADING = "## Rooms of the C++ sources\n"
SHARED = "messages"
"""What every room may include."""
DIVIDED = ("runtime",)
"""Folders whose folders are rooms."""
GENERATED = "generated/"


class Row(NamedTuple):
    """A row of the table."""

    room: str
    includes: tuple[str, ...]


def rows() -> list[Row]:
    section = (ROOT / "CONTRIBUTING.md").read_text().partition(HEADING)[2].partition("\n## ")[0]
    found = re.findall(r"^\| `([\w/]+)` \| .+? \| ?([^|]*?) ?\|$", section, re.MULTILINE)
    return [Row(room, tuple(re.findall(r"[\w/]+", includes))) for room, includes in found]


def room(path: str) -> str:
    """The room of a file, by its path below `src`."""
    folders = path.split("/")[:-1]
    return "/".join(folders[:2] if folders[0] in DIVIDED else folders[:1])


FILES = {
    str(file.relative_to(SOURCES)): file
    for file in sorted(SOURCES.rglob("*"))
    if file.suffix in {".cpp", ".hpp", ".S", ".toml"} and GENERATED not in str(file)
}


def neighbours(path: str) -> set[str]:
    """Other rooms from which a file includes headers."""
    included = re.findall(r'#include "([\w/]+\.hpp)"', FILES[path].read_text())
    return {room(header) for header in included if header in FILES} - {room(path)}


def test_the_table_has_every_room_and_no_other() -> None:
    assert {row.room for row in rows()} == {room(path) for path in FILES}


def test_includes_go_one_way() -> None:
    above: set[str] = set()
    for row in rows():
        assert set(row.includes) <= above, f"{row.room} includes what does not stand above it"
        above.add(row.room)


@pytest.mark.parametrize("path", FILES)
def test_a_file_includes_only_what_its_room_may(path: str) -> None:
    allowed = {row.room: {*row.includes, SHARED} for row in rows()}
    assert neighbours(path) <= allowed[room(path)]


@pytest.mark.parametrize("path", FILES)
def test_included_headers_are_there(path: str) -> None:
    for header in re.findall(r'#include "([\w/]+\.hpp)"', FILES[path].read_text()):
        assert header in FILES or header.startswith(GENERATED), header


def test_the_table_allows_no_more_than_is_included() -> None:
    used: dict[str, set[str]] = {}
    for path in FILES:
        used.setdefault(room(path), set()).update(neighbours(path))
    for row in rows():
        assert set(row.includes) == used[row.room] - {SHARED}, row.room
