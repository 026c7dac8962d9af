"""What was measured, appended to a file as it comes, so that a configuration phase that was killed goes on.

The file is JSON Lines. The first line says what was measured with: `schema`, `line` (the launcher line), `library`,
`machine` (its name, as in the table) and `nodes` (of each rank). Each other line is an answer: `race`, `collective`,
`ranks`, `bytes`, `way`, and `seconds` of each call (`in_row` for calls in a row) or `refused` with a reason, which
begins with `while it was measured: ` where the job ended. Where it is not about the first ranks, it has their `nodes`,
and how many are on the `fullest`; on a lab also `processors`, ticks of idle and of all time. Or it is the end of a
race: `ended` (its number) and `elapsed`, the seconds of the budget that are used up.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from starling.lab.idle import Ticks
from starling.messages import printable, quoted
from starling.tables.table import MOST_BYTES, NATIVE
from starling.tuning.job import Answer, Ended, Refusal, Times
from starling.tuning.json_lines import JournalError, JsonLines
from starling.tuning.points import Point

SCHEMA = "starling-tuning-1"
_ENDED = "while it was measured: "


@dataclass(frozen=True)
class Line:
    """One answer: a race is a number of ways that took turns at a point, with calls in a row or behind barriers."""

    race: int
    point: Point
    way: str
    answer: Answer
    in_row: bool = False


@dataclass(frozen=True)
class Kept:
    """What a file has: its answers in their order, and the seconds that they took."""

    lines: Sequence[Line]
    elapsed: float

    @property
    def natives(self) -> list[Point]:
        """The points at which native was measured."""
        natives = (one for one in self.lines if one.way == NATIVE and not one.in_row)
        return [one.point for one in natives if isinstance(one.answer, Times)]


class Log(Protocol):
    """Where answers go."""

    def add(self, line: Line) -> None:
        """Keeps an answer."""

    def ended(self, race: int, elapsed: float) -> None:
        """Keeps that a race has ended, and the seconds used up so far."""


class Journal:
    """The file beside a table. Raises JournalError."""

    def __init__(self, path: Path, line: Sequence[str], library: str, nodes: Sequence[int], machine: str) -> None:
        of_job = {"line": list(line), "library": library, "machine": machine, "nodes": list(nodes)}
        heading: dict[str, Any] = {"schema": SCHEMA, **of_job}
        self._lines = JsonLines(path)
        self.kept = parse(self._lines.text, printable(path), heading)
        if not self.kept.lines:
            self._lines.forget()  # a job that measured nothing is not in the way of another one
        self._lines.begin(heading)

    def add(self, line: Line) -> None:
        """See Log."""
        point = {key: value for key, value in line.point._asdict().items() if value or key not in ("nodes", "fullest")}
        found = {"race": line.race, **point, "way": line.way}
        if isinstance(line.answer, Times):
            ticks = line.answer.processors
            busy = {} if ticks is None else {"processors": [ticks.idle, ticks.total]}
            self._lines.append({**found, "in_row" if line.in_row else "seconds": line.answer.seconds, **busy})
        else:
            how = _ENDED if isinstance(line.answer, Ended) else ""
            self._lines.append({**found, "refused": how + line.answer.why})

    def ended(self, race: int, elapsed: float) -> None:
        """See Log."""
        self._lines.append({"ended": race, "elapsed": round(elapsed, 3)})

    def close(self) -> None:
        """Closes the file."""
        self._lines.close()


def parse(text: str, name: str, heading: dict[str, Any] | None = None) -> Kept:
    """The contents of a file `name`, measured with what `heading` says if there is one. Raises JournalError.

    A file may not name its machine; it is then taken for that of `heading`.
    """
    remedy = "move it away, or name another table with -o"
    lines: list[Line] = []
    elapsed = 0.0
    texts = text.splitlines()
    for number, line in enumerate(texts, 1):
        try:
            found = json.loads(line)
            if number == 1:
                if found["schema"] != SCHEMA:
                    raise JournalError(f"{name}: it has the measurements of another version; {remedy}")
                wanted = heading or {}
                found.setdefault("machine", wanted.get("machine"))
                other = next((key for key, value in wanted.items() if found[key] != value), None)
                if other is not None and len(texts) > 1:
                    raise JournalError(f"{name}: it was measured {_elsewhere(other, found, wanted)}; {remedy}")
            elif "ended" in found:
                elapsed = _seconds(found["elapsed"])
            else:
                lines.append(_line(found))
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise JournalError(f"{name}, line {number}: it is no line of measurements; {remedy}") from error
    return Kept(lines, elapsed)


def _elsewhere(other: str, found: dict[str, Any], wanted: dict[str, Any]) -> str:
    if other == "machine":
        return f"on the machine {quoted(found[other])}, and this is {quoted(wanted[other])}"
    what = {"line": "launcher line", "library": "MPI library", "nodes": "placement of ranks"}[other]
    return f"with another {what}"


def _seconds(found: Any) -> float:
    seconds = float(found)
    if not 0 <= seconds < math.inf:
        raise ValueError("no time")
    return seconds


def _line(found: dict[str, Any]) -> Line:
    nodes, fullest = int(found.get("nodes", 0)), int(found.get("fullest", 0))
    point = Point(str(found["collective"]), int(found["ranks"]), int(found["bytes"]), nodes, fullest)
    if point.ranks < 1 or not 0 <= point.bytes <= MOST_BYTES or not 0 <= nodes <= point.ranks >= fullest >= 0:
        raise ValueError("no point")
    in_row = "in_row" in found
    return Line(int(found["race"]), point, str(found["way"]), _answer(found, "in_row" if in_row else "seconds"), in_row)


def _answer(found: dict[str, Any], times_of: str) -> Answer:
    if "refused" in found:
        why = str(found["refused"])
        return Ended(why.removeprefix(_ENDED)) if why.startswith(_ENDED) else Refusal(why)
    times = found[times_of]
    if not isinstance(times, list) or not times:
        raise ValueError("no times")
    ticks = found.get("processors")
    return Times(tuple(map(_seconds, times)), None if ticks is None else Ticks(*map(int, ticks)))
