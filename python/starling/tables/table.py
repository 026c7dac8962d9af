"""The tuning table, format `starling-table-1` (docs/tuning-table.md), in seconds and bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from starling import files
from starling.messages import is_cut_short, not_written, printable, quoted

SCHEMA = "starling-table-1"
MOST_BYTES = 1 << 50
"""The largest size, so that sums of sizes fit in 64 bits."""

NATIVE = "native"
SLOWER = 1.02
"""Nothing is chosen where it was measured to take more than so many times native's time."""

_TIME = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ)?", re.ASCII)
_BOUND = r"[^=,?:]+=[^=,:]*(:[^=,:]+=[^=,:]*)*"
"""A parameter and its value, which may be a way with parameters of its own: outer=chain:segment=8192."""
_WAY = re.compile(rf"[A-Za-z0-9_.-]+([?]{_BOUND}(,{_BOUND})*)?", re.ASCII)


class TableError(Exception):
    """A file that is no tuning table; the text has the file, the place, the reason and what to do."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True, allow_inf_nan=False)


def _wrong(why: str) -> PydanticCustomError:
    return PydanticCustomError("table", "{why}", {"why": why})


def _a_time(text: str) -> str:
    if not _TIME.fullmatch(text):
        raise _wrong("no time like 2024-05-01T12:00:00Z")
    return text


def _a_way(text: str) -> str:
    if not _WAY.fullmatch(text):
        raise _wrong(f"{quoted(text)} is no name of a way, like ring or chain?segment=8192")
    return text


Seconds = Annotated[float, Field(ge=0, strict=True)]
Bytes = Annotated[int, Field(ge=0, le=MOST_BYTES, strict=True)]
Ranks = Annotated[int, Field(ge=1, le=2**31 - 1, strict=True)]
WayName = Annotated[str, AfterValidator(_a_way)]
CollectiveName = Annotated[str, Field(pattern=r"^[a-z_]+$", max_length=64)]


class Shape(NamedTuple):
    """A collective on a shape of communicators; `ranks_per_node` is that of the fullest node."""

    collective: str
    ranks: int
    nodes: int
    ranks_per_node: int

    def __str__(self) -> str:
        """In words: "allreduce on 16 ranks, 4 nodes of 4"."""
        nodes = "1 node" if self.nodes == 1 else f"{self.nodes} nodes of {self.ranks_per_node}"
        return f"{self.collective} on {self.ranks} ranks, {nodes}"


class _OfShape(_Model):
    collective: CollectiveName
    ranks: Ranks
    nodes: Ranks
    ranks_per_node: Ranks

    @property
    def shape(self) -> Shape:
        """The collective and the shape of its communicators."""
        return Shape(self.collective, self.ranks, self.nodes, self.ranks_per_node)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.nodes > self.ranks or self.ranks_per_node > self.ranks or self.nodes * self.ranks_per_node < self.ranks:
            raise _wrong(f"{self.ranks} ranks are not on {self.nodes} nodes with at most {self.ranks_per_node} each")
        return self


class AtRunTime(_Model):
    """The way that a program takes instead of an algorithm of the MPI library that it cannot select, and its gain."""

    way: WayName
    gain: Seconds | None = None


class Interval(_Model):
    """The way to use from `from_` bytes up to, but without, `below`; None for `below`: without end.

    `seconds` are those expected of a call at both ends (or at the last measured size where there is no end), `gain` is
    native's time divided by the way's; None where not known. `at_run_time` is there only for algorithms of
    the MPI library, which some programs cannot select.
    """

    from_: Bytes = Field(alias="from")
    below: Bytes | None
    way: WayName
    seconds: tuple[Seconds | None, Seconds | None] | None = None
    gain: Seconds | None = None
    why: str = ""
    at_run_time: AtRunTime | None = None

    def holds(self, size: int) -> bool:
        """Whether a size in bytes lies in it."""
        return self.from_ <= size and (self.below is None or size < self.below)

    @model_validator(mode="after")
    def _has_sizes(self) -> Self:
        if self.below is not None and self.below <= self.from_:
            raise _wrong(f"the interval from {self.from_} below {self.below} bytes is empty")
        return self


class Choice(_OfShape):
    """What to use for one collective on one shape of communicators, by size."""

    intervals: list[Interval]

    @model_validator(mode="after")
    def _ascends(self) -> Self:
        for one, following in zip(self.intervals, self.intervals[1:], strict=False):
            if one.below is None or following.from_ < one.below:
                end = "without end" if one.below is None else f"below {one.below}"
                raise _wrong(
                    f"the intervals from {one.from_} {end} and from {following.from_} bytes overlap or are out of order"
                )
        return self


class InRow(_Model):
    """What calls in a row took: the mean of ranks' seconds of a call, in the latest half of each spell of them.

    `samples` is the number of all these calls, `of_native` the way's time divided by native's in the same rounds, and
    `counts` whether the choice rests on that.
    """

    mean_s: Seconds
    samples: Annotated[int, Field(ge=1, strict=True)]
    of_native: Seconds
    counts: Annotated[bool, Field(strict=True)]


class Point(_OfShape):
    """One measurement: seconds of a call of the slowest rank, median of `samples` calls, each behind a barrier.

    `low_s` and `high_s` are the ends of the median's confidence interval. `of_native` is the way's time divided by
    native's in the same rounds, None where that is not known. `cpu_idle` is the share of processor time that nobody
    used while the ways of the point were measured, on an emulated cluster. `in_row` is about calls in a row, None where
    there were none.
    """

    bytes: Bytes
    way: WayName
    median_s: Seconds
    low_s: Seconds | None = None
    high_s: Seconds | None = None
    samples: Annotated[int, Field(ge=1, strict=True)]
    of_native: Seconds | None = None
    cpu_idle: Annotated[float, Field(ge=0, le=1)] | None = None
    in_row: InRow | None = None

    @property
    def counted(self) -> InRow | None:
        """Its calls in a row where the choice rests on them."""
        return self.in_row if self.in_row and self.in_row.counts else None

    @property
    def ratio(self) -> float | None:
        """The way's time divided by native's on which the choice rests; None where that is not known."""
        return self.counted.of_native if self.counted else self.of_native

    @property
    def seconds(self) -> float:
        """Seconds of a call on which the choice rests."""
        return self.counted.mean_s if self.counted else self.median_s


class Made(_Model):
    """When (UTC, ISO 8601), by which command line and by which version of Starling a table was made."""

    when: Annotated[str, AfterValidator(_a_time)]
    command: str
    starling: str


class Table(_Model):
    """A whole tuning table. An empty `machine` stands for any."""

    schema_: Literal["starling-table-1"] = Field("starling-table-1", alias="schema")
    machine: str
    mpi_flavour: str
    mpi_version: str
    made: Made
    platform: str = ""
    notes: list[str] = []
    choices: list[Choice]
    points: list[Point] = []

    @model_validator(mode="after")
    def _has_one_choice_of_each(self) -> Self:
        seen: set[Shape] = set()
        for choice in self.choices:
            if choice.shape in seen:
                raise _wrong(f"it has two choices for {choice.shape}")
            seen.add(choice.shape)
        return self

    def measured(self, shape: Shape) -> Iterator[Point]:
        """The points of a shape."""
        return (point for point in self.points if point.shape == shape)

    def compared(self, shape: Shape) -> dict[int, dict[str, float]]:
        """Seconds by which ways of a shape are compared, by size in ascending order, then by way.

        Native's own, and others' by their ratio to native in the same rounds: those of calls that were made at
        different times also tell how the machine changed in between.
        """
        found: dict[int, dict[str, Point]] = {}
        for point in self.measured(shape):
            found.setdefault(point.bytes, {})[point.way] = point

        def seconds(point: Point, native: Point | None) -> float:
            if native is None or point.ratio is None:
                return point.seconds
            return point.ratio * native.seconds

        return {
            size: {way: seconds(point, ways.get(NATIVE)) for way, point in ways.items()}
            for size, ways in sorted(found.items())
        }


def _place(where: Sequence[int | str]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in where).lstrip(".")


def _reason(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = _place(first["loc"])
    if first["type"] == "table":
        why = str(first["ctx"]["why"])
        return f"{printable(where)}: {why}" if where else why
    if first["type"] == "missing":
        return f"it has no {printable(where)}"
    return f"{printable(where)} is not what it should be: {quoted(first['input'])}"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. The library refuses a name that is there twice, and who is right cannot be known."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise TableError(f"it has {quoted(twice)} twice in one place")
    return found


def parse(text: str) -> Table:
    """The table of a JSON text. Raises TableError with place and reason, without a file's name."""
    try:
        data = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        cut = is_cut_short(text, error)
        reason = "it is cut short; make it again with: starling tune" if cut else f"not JSON: {error.msg}"
        raise TableError(f"line {error.lineno}: {reason}") from error
    except RecursionError as error:
        raise TableError("it is no tuning table: it is nested too deeply") from error
    except ValueError as error:
        raise TableError("it is no tuning table: a number in it is too long") from error
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema is None:
        raise TableError('it is no tuning table: it has no "schema"; make one with: starling tune')
    if schema != SCHEMA:
        raise TableError(f"its schema is {quoted(schema)}, and this version reads '{SCHEMA}'; make it again")
    try:
        return Table.model_validate(data)
    except ValidationError as error:
        raise TableError(_reason(error)) from error


def read(path: Path) -> Table:
    """The table of a file. Raises TableError."""
    try:
        contents = files.read(path)
    except OSError as error:
        raise TableError(f"{printable(path)}: {error.strerror}; make a table with: starling tune") from error
    return of(contents, path)


def of(contents: bytes, path: Path) -> Table:
    """The same of what was read from a file. Raises TableError."""
    name = printable(path)
    try:
        return parse(contents.decode())
    except UnicodeDecodeError as error:
        raise TableError(f"{name}: it is no tuning table: byte {error.start} is not UTF-8") from error
    except TableError as error:
        raise TableError(f"{name}: {error}") from error


def to_text(table: Table) -> str:
    """A table as JSON for people: each interval and each point on a line of its own."""
    data: dict[str, Any] = table.model_dump(by_alias=True, exclude_defaults=False)

    def line(value: object) -> str:
        return json.dumps(value, ensure_ascii=False)

    def lines(items: list[Any], indent: int) -> str:
        space = " " * indent
        return (
            "[" + ",".join(f"\n{space}{line(item)}" for item in items) + f"\n{' ' * (indent - 2)}]" if items else "[]"
        )

    def choice(item: dict[str, Any]) -> str:
        intervals = item.pop("intervals")
        for one in intervals:
            if one["at_run_time"] is None:
                del one["at_run_time"]
        return f"{line(item)[:-1]}, {line('intervals')}: {lines(intervals, 6)}}}"

    choices = [choice(item) for item in data.pop("choices")]
    points = data.pop("points")
    for one in points:
        if one["in_row"] is None:
            del one["in_row"]
    heading = [f"  {line(name)}: {line(value)}" for name, value in data.items()]
    shown = ",".join(f"\n    {one}" for one in choices)
    return ",\n".join(
        ["{\n" + heading[0], *heading[1:], f'  "choices": [{shown}\n  ]', f'  "points": {lines(points, 4)}\n}}\n']
    )


def write(table: Table, path: Path) -> None:
    """Writes a table, whole or not at all. Raises TableError."""
    try:
        files.write(path, to_text(table))
    except OSError as error:
        raise TableError(not_written(path, error)) from error
