"""The run record: what the library writes at the end of a run (docs/run-record.md). Seconds and bytes throughout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

SCHEMA = 1


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Candidate(_Model):
    """What one candidate did in one context."""

    name: str
    parameters: dict[str, Any]
    samples: int = Field(ge=0)
    median_s: float | None
    min_s: float | None
    eligible: bool
    reason: str

    @property
    def public_name(self) -> str:
        """With its parameters: `chain?segment=8192`."""
        bound = ",".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.name}?{bound}" if bound else self.name


class Decision(_Model):
    """A change of the candidate in use, by public names; `from` is nothing at the start."""

    call: int
    from_: str | None = Field(alias="from")
    to: str | None
    why: str


class Phase(_Model):
    """The calls in which candidates were tried, or the others; bookkeeping comes on top of `seconds`."""

    calls: int = Field(ge=0)
    seconds: float | None
    bookkeeping_seconds: float | None


class Phases(_Model):
    """What the calls of one context were for."""

    exploring: Phase
    settled: Phase


class Context(_Model):
    """What happened to one call key. `bytes` are those per rank and per peer block."""

    collective: str
    bytes: int | None
    bucket: bool
    ranks: int
    in_place: bool
    operator_class: Literal["built-in", "commutative", "non-commutative"] | None
    calls: int = Field(ge=0)
    stage: str
    winner: str
    candidates: list[Candidate]
    seconds: float | None
    tuning_seconds: float | None
    phases: Phases
    native_s: float | None
    decisions: list[Decision]
    decisions_dropped: int = Field(ge=0)

    def median_of(self, public_name: str) -> float | None:
        """The median time per call of a candidate in seconds; nothing where it was not measured."""
        return next((c.median_s for c in self.candidates if c.public_name == public_name), None)

    @property
    def native(self) -> float | None:
        """Seconds per call of the MPI library's own way; nothing where it was not measured."""
        return self.native_s if self.native_s is not None else self.median_of("native")

    @property
    def saved(self) -> float | None:
        """Seconds saved against native, the cost of tuning counted; negative for a loss. Nothing where unknown."""
        if self.native is None or self.seconds is None:
            return None
        if all(c.name == "native" for c in self.candidates if c.samples):
            return 0.0
        return self.calls * self.native - self.seconds


class Run(_Model):
    """What the run was. `started` is UTC in ISO 8601, `seconds` from MPI_Init to MPI_Finalize."""

    program: str
    ranks: int
    nodes: int
    ranks_per_node: int
    mpi_flavour: str
    mpi_version: str
    strategy: str
    settings: dict[str, str]
    started: str
    seconds: float | None


class RunRecord(_Model):
    """A whole record."""

    schema_: int = Field(alias="schema")
    run: Run
    contexts: list[Context]


class RecordError(Exception):
    """A record that cannot be shown; the text says which, why, and what to do."""


def latest(history: Path | None) -> Path:
    """The last record of a history folder. Raises RecordError where there is none."""
    if history is None:
        raise RecordError("the history is off (STARLING_HISTORY or starling.toml); name a record: starling report FILE")
    try:
        # Names begin with the time in seconds, 15 characters; within a second the file's own time decides.
        return max(history.glob("*.json"), key=lambda path: (path.name[:15], path.stat().st_mtime_ns))
    except (ValueError, OSError):
        raise RecordError(f"{history}: no record yet; make one with: starling run -- mpirun -n 4 ./app") from None


def read(path: Path) -> tuple[RunRecord, str]:
    """A record and its text as it is. Raises RecordError."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}; see what there is with: starling doctor") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: not a run record, byte {error.start} is not UTF-8") from error
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        if not text[error.pos :].strip() or (text.startswith("{") and not text.rstrip().endswith("}")):
            reason = "the record is cut short; was the disk full? Delete it, or name another one"
        else:
            reason = f"not JSON: {error.msg}; name a run record"
        raise RecordError(f"{path}:{error.lineno}: {reason}") from error
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema is None:
        raise RecordError(f"{path}: not a run record, it has no `schema`; records are in the history folder")
    if schema != SCHEMA:
        raise RecordError(
            f"{path}: record of schema {schema}, this starling reads {SCHEMA}; use the version that wrote it"
        )
    try:
        return RunRecord.model_validate(data), text
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise RecordError(f"{path}: not a whole run record, {where}: {first['msg']}") from error
