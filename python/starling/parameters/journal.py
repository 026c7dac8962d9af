"""What was measured, appended to a file as it comes: the record of a search, and where it goes on after a kill.

The file is JSON Lines. The first line says what was run: `schema`, `line` (the launcher line), `figure` (how a run is
judged), `benchmark`. Each other line is a run, or two that were compared: `of` (`default`: the MPI library as it is;
`search`; `pair`: first the library as it is, then with the settings), `settings`, `took` (seconds), and `figures`, or
`failed` with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from starling.messages import printable
from starling.parameters.space import Settings
from starling.tuning.json_lines import JournalError, JsonLines

SCHEMA = "starling-parameters-1"
_REMEDY = "move it away, or name another file with -o"

Of = Literal["default", "search", "pair"]


@dataclass(frozen=True)
class Line:
    """A run, or a pair of them: its figures, none where it failed."""

    of: Of
    settings: Settings
    figures: Sequence[float]
    failed: str
    took: float


def key(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Settings in a form that can be looked up, whatever the order of their names."""
    return tuple(sorted(settings.items()))


@dataclass
class Journal:
    """The file beside the settings. Raises JournalError."""

    path: Path
    heading: Mapping[str, Any]
    lines: list[Line] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.heading = {"schema": SCHEMA, **self.heading}
        self._lines = JsonLines(self.path)
        self.lines = self._parsed(self._lines.text)
        if not self.lines:
            self._lines.forget()  # a line that never ran is not in the way of a corrected one
        self._lines.begin(self.heading)

    @property
    def elapsed(self) -> float:
        """Seconds that all of it took."""
        return sum(line.took for line in self.lines)

    def add(self, line: Line) -> None:
        """Keeps a line."""
        self.lines.append(line)
        found: dict[str, object] = {"of": line.of, "settings": dict(line.settings), "took": round(line.took, 3)}
        self._lines.append(
            {**found, "failed": line.failed} if line.failed else {**found, "figures": list(line.figures)}
        )

    def close(self) -> None:
        """Closes the file."""
        self._lines.close()

    def _parsed(self, text: str) -> list[Line]:
        name = printable(self.path)
        found: list[Line] = []
        lines = text.splitlines()
        for number, line in enumerate(lines, 1):
            try:
                one = json.loads(line)
                if number > 1:
                    found.append(_line(one))
                elif (other := self._other(one)) is not None and (len(lines) > 1 or one["schema"] != SCHEMA):
                    raise JournalError(f"{name}: it was measured with another {other}; {_REMEDY}")
            except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
                raise JournalError(f"{name}, line {number}: it is no line of measurements; {_REMEDY}") from error
        return found

    def _other(self, heading: Mapping[str, Any]) -> str | None:
        """What the file was measured with that is another one now."""
        names = {"line": "launcher line", "schema": "version of Starling"}
        return next((names.get(one, one) for one, value in self.heading.items() if heading[one] != value), None)


def _line(one: Mapping[str, Any]) -> Line:
    if one["of"] not in ("default", "search", "pair"):
        raise ValueError
    settings = {str(name): str(value) for name, value in one["settings"].items()}
    failed = str(one.get("failed", ""))
    figures = [] if failed else [float(figure) for figure in one["figures"]]
    if not failed and (len(figures) != (2 if one["of"] == "pair" else 1) or not all(figure > 0 for figure in figures)):
        raise ValueError
    return Line(one["of"], settings, figures, failed, float(one["took"]))
