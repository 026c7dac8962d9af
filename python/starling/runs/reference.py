"""The table of settings in the docs: `python -m starling.runs.reference docs/command-line.md`.

It stands in the page between two comments. Nothing is known here that is not in the table of settings itself.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from starling import pages
from starling.installation import questions
from starling.installation.variants import Flavour
from starling.runs.settings import KEYS, Key, Kind, flag

_NAME = "settings"
"""Of the part of the page."""
_COLUMNS = ("option", "variable", "in starling.toml", "values", "default", "meaning")


def _code(text: str) -> str:
    return f"`{text}`".replace("|", r"\|") if text else ""


def _values(key: Key, row: Mapping[str, Any]) -> str:
    if key.kind is Kind.FLAVOUR:
        return ", ".join(map(_code, Flavour))
    if key.kind is Kind.FLAG and key.variable:
        return "`1`, `0`; in the file `true`, `false`"
    if "range" in row:
        least, most = row["range"]
        shares = f", or {100 * least}% to {100 * most}%" if key.kind is Kind.SHARE else ""
        return f"{least} to {most}{shares}"
    return ", ".join(map(_code, row.get("choices", [])))


def _cells(name: str, key: Key, row: Mapping[str, Any]) -> Sequence[str]:
    option = f"{flag(name)} {key.option.metavar or ''}".strip() if key.option else ""
    return (
        _code(option),
        _code(key.variable or ""),
        _code(name),
        _values(key, row),
        row.get("otherwise") or _code(key.default),
        key.option.help if key.option else row["says"],
    )


def table() -> str:
    """Every setting in a row."""
    rows = {row["name"]: row for row in questions.settings_table()}
    cells = [_COLUMNS, ["---"] * len(_COLUMNS), *(_cells(name, key, rows.get(name, {})) for name, key in KEYS.items())]
    return "".join(re.sub(r" +\|", " |", f"| {' | '.join(row)} |") + "\n" for row in cells)


def page(text: str) -> str:
    """A page with its table of settings as it is now."""
    return pages.with_part(text, _NAME, table())


def main(words: Sequence[str]) -> int:
    """Puts the table into the page that is named. Returns the exit status."""
    return pages.put(words, "starling.runs.reference", _NAME, table())


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
