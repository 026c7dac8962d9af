"""The run record, which the library writes at the end of a run (docs/run-record.md), in seconds and bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from enum import Enum, auto
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    model_validator,
)

from starling import files
from starling.messages import is_cut_short, printable, quoted
from starling.records.history_folder import MERGED, newest_first

SCHEMA = 1
LEAST_SAMPLES = 5
"""Least number of native calls for savings to be counted."""
MOSTLY_WAITING = 1.6
"""Where calls took rank 0 so many times the agreed time, ranks waited for late ones (`auto` leaves that out)."""
LEAST_OF_DELAYS = 0.1
"""Least part of the delays that typical calls must have saved, for a gain to be claimed in spite of the delays."""
MOST_GAIN = 1000.0
"""Where native's typical time is more times the winner's, its few calls were delayed: no algorithm gains so much."""
FEW_NATIVE = 20
"""Fewer calls of native may all have been made while something else delayed them."""
MOST_GAIN_OF_FEW = 10.0
"""The same as MOST_GAIN of few calls, unless earlier runs had about that time."""
ABOUT = 1.5
"""Two times of native that differ by a larger factor are of different circumstances."""
LEAST_KNOWN = 0.98
"""The share of the calls whose candidates must have a time that all ranks agreed on, for others not to count."""
_LOOKED_AT = 10
"""The latest records among which one of several ranks is looked for."""
SLOWEST_IN_TURN = 1.05
"""Where the slowest rank's time of a call is so many times the mean of all, ranks take turns in being the slowest."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


def _a_time(text: str) -> str:
    datetime.fromisoformat(text)
    return text


class Candidate(_Model):
    """The measurements of one candidate in one context.

    Rank 0 measured `median_s` and `min_s`; all ranks agreed on `agreed_s` in this run, and on `earlier_s` in the runs
    it started from. `deviation_s` is the standard deviation of single calls from `agreed_s`. `setup_s` are the
    seconds until all ranks had the communicators of groups or the memory of nodes that the candidate needs; None where
    it made none. `note` says what it had to do without on this machine, or why it could not
    serve on some communicators; empty where neither.
    """

    name: str
    parameters: dict[str, Any]
    samples: int = Field(ge=0)
    median_s: float | None
    min_s: float | None
    agreed_s: float | None = None
    deviation_s: float | None = None
    earlier_s: float | None = None
    setup_s: float | None = Field(default=None, validation_alias=AliasChoices("setup_s", "communicators_s"))
    eligible: bool
    reason: str
    note: str = ""

    @property
    def all_ranks_s(self) -> float | None:
        """Agreed seconds a call, of this run or else of earlier ones; None where ranks never agreed."""
        return self.agreed_s if self.agreed_s is not None else self.earlier_s

    @property
    def public_name(self) -> str:
        """With its parameters: `chain?segment=8192`."""
        bound = ",".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.name}?{bound}" if bound else self.name


class Compared(NamedTuple):
    """Seconds a call of a candidate and of native, measured alike, so that they can be compared.

    Both are agreed by all ranks, or both are rank 0's medians. None where unknown.
    """

    candidate: float | None
    native: float | None
    by_all_ranks: bool

    @property
    def gain(self) -> float | None:
        """The candidate's speed-up over native."""
        return self.native / self.candidate if self.candidate and self.native is not None else None


def _alike(candidate: Candidate, native: Candidate) -> bool:
    """Whether both agreed times leave out the same waiting.

    They do if rank 0's own calls became shorter too, by at least half of what the ranks agreed on.
    """
    agreed, of_native = candidate.all_ranks_s, native.all_ranks_s
    first, first_of_native = candidate.median_s, native.median_s
    if agreed is None or of_native is None or first is None or first_of_native is None:
        return True
    return first <= MOSTLY_WAITING * agreed or first_of_native - first >= (of_native - agreed) / 2


def compared(candidate: Candidate | None, native: Candidate | None) -> Compared:
    """Compares agreed times where both are known and leave out as much, or native was never measured.

    Else rank 0's medians: where more ranks than processors take turns, an agreed time may leave out as waiting what
    native's still has.
    """
    agreed, of_native = (one.all_ranks_s if one else None for one in (candidate, native))
    first, first_of_native = (one.median_s if one else None for one in (candidate, native))
    alike = candidate is None or native is None or _alike(candidate, native)
    if agreed is not None and alike and (of_native is not None or first_of_native is None):
        return Compared(agreed, of_native, by_all_ranks=True)
    return Compared(first, first_of_native, by_all_ranks=False)


class Savings(NamedTuple):
    """Seconds saved against native, negative for a loss, after what trying and bookkeeping cost.

    `delays` are the seconds of calls above those of typical ones. They count neither as saved nor as lost: only
    typical times of native are known, and a machine that delays calls delays native's too.
    """

    saved: float
    delays: float = 0.0


class Unknown(Enum):
    """Why it is not known what was saved: native's time is missing, ranks mostly waited, or delays hide it."""

    NATIVE = auto()
    WAITING = auto()
    DELAYS = auto()


class Decision(_Model):
    """A change of the candidate in use, by public names; `from` is None at the start."""

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
    """The phases of one context's calls."""

    exploring: Phase
    settled: Phase


class ContextKey(_Model):
    """The key of a context. `bytes` are per rank and per peer block.

    A bucket stands for all sizes up to twice `bytes`, or up to `up_to`, exclusive.
    `nodes` and `ranks_per_node`, that of the fullest host, are of the communicator; 0 where unknown. `layout` tells
    communicators apart that have these in common; 0 where consecutive ranks fill one node after the other.
    """

    collective: str
    bytes: int | None
    bucket: bool
    up_to: int | None = None
    ranks: int
    nodes: int = Field(0, ge=0)
    ranks_per_node: int = Field(0, ge=0)
    layout: int = Field(0, ge=0)
    in_place: bool
    operator_class: Literal["built-in", "commutative", "non-commutative"] | None


class _Spent(_Model):
    """Seconds of rank 0, and of the slowest rank where ranks agreed on times; both include tuning."""

    calls: int = Field(ge=0)
    seconds: float | None
    tuning_seconds: float | None
    slowest_seconds: float | None = None
    slowest_tuning_seconds: float | None = None

    @property
    def spent(self) -> float | None:
        """The slowest rank's seconds where known, else rank 0's."""
        return self.slowest_seconds if self.slowest_seconds is not None else self.seconds

    @property
    def tuning(self) -> float | None:
        """The slowest rank's cost of tuning where known, else rank 0's."""
        return self.slowest_tuning_seconds if self.slowest_tuning_seconds is not None else self.tuning_seconds


class LeftOut(_Spent):
    """Sums of the contexts with least time, which a record leaves out where it would be too long."""

    contexts: int = Field(ge=1)


class LastRank(_Model):
    """A rank of MPI_COMM_WORLD, and the sampled calls to which it came last."""

    rank: int = Field(ge=0)
    calls: int = Field(ge=0)


class Arrivals(_Model):
    """When ranks came to compared calls of a collective that none can end before all have begun.

    `calls` calls were compared. Seconds a call: of the rank that came first, of all in the mean, of the one that came
    last, which waited for nobody: that is the transfer. `last` has those that came last most often, by falling calls.
    """

    calls: int = Field(ge=1)
    slowest_s: float | None
    mean_s: float | None
    fastest_s: float | None
    last: list[LastRank]

    @property
    def waiting(self) -> float:
        """The share of waiting in the time of the rank that came first, 0 to 1."""
        return max(0.0, 1 - (self.fastest_s or 0.0) / self.slowest_s) if self.slowest_s else 0.0


class ContextProfile(_Model):
    """What all ranks did in one context of a profiled run (docs/profile.md). Ranks are those of MPI_COMM_WORLD.

    `rank_seconds` are those of all `ranks` that took part, on any of the `communicators`, together; of these
    `waiting_rank_seconds` were spent waiting for ranks that came later, and of these `unequal_work_rank_seconds` for
    ranks that had more to do since their collective before; None where that cannot be told.
    `mean_bytes` is the mean block where ranks cannot know `bytes`.
    """

    communicators: int = Field(ge=0)
    ranks: int = Field(ge=1)
    rank_seconds: float
    slowest_rank: int = Field(ge=0)
    slowest_rank_seconds: float
    quickest_rank: int = Field(ge=0)
    quickest_rank_seconds: float
    waiting_rank_seconds: float | None
    unequal_work_rank_seconds: float | None = None
    sampled_calls: int = Field(ge=0)
    last: list[LastRank]
    mean_bytes: int | None

    @property
    def mean_seconds(self) -> float:
        """Seconds of a rank that took part, in the mean."""
        return self.rank_seconds / self.ranks

    @property
    def imbalance(self) -> float | None:
        """The slowest rank's seconds over the mean; None where no time was spent."""
        return self.slowest_rank_seconds / self.mean_seconds if self.rank_seconds else None


class OrderedCall(_Model):
    """A kind of call in the order of calls; `bytes` is None where ranks cannot know it."""

    collective: str
    bytes: int | None
    bucket: bool
    ranks: int


class Succession(_Model):
    """How often one kind of call followed another on rank 0, and the seconds between them in all."""

    from_: OrderedCall = Field(alias="from")
    to: OrderedCall
    calls: int = Field(ge=0)
    seconds_between: float | None


class RunProfile(_Model):
    """The part of a profile that belongs to no context. `order_left_out` is the number of calls missing in `order`."""

    order: list[Succession]
    order_left_out: int = Field(ge=0)


class Context(ContextKey, _Spent):
    """What happened to one call key."""

    stage: str
    winner: str
    candidates: list[Candidate]
    candidates_left_out: int = Field(0, ge=0)
    phases: Phases
    native_s: float | None
    arrivals: Arrivals | None = None
    decisions: list[Decision]
    decisions_dropped: int = Field(ge=0)
    profile: ContextProfile | None = None
    _in_crowd: bool = PrivateAttr(default=False)

    @property
    def in_crowd(self) -> bool:
        """Whether ranks shared processors in this run: there a call takes native what getting one takes."""
        return self._in_crowd

    def candidate(self, public_name: str) -> Candidate | None:
        """The candidate of that name, or None."""
        return next((c for c in self.candidates if c.public_name == public_name), None)

    def median_of(self, public_name: str) -> float | None:
        """The median time per call of a candidate in seconds; None where it was not measured."""
        found = self.candidate(public_name)
        return found.median_s if found else None

    @property
    def compared(self) -> Compared:
        """The winner against native."""
        return compared(self.candidate(self.winner), self.candidate("native"))

    @property
    def savings(self) -> Savings | Unknown:
        """What was saved against native: the one place where that is defined (docs/command-line.md, starling report).

        Native's typical time for all calls, and the delays there were, less the seconds of the calls and bookkeeping.
        """
        native = self.candidate("native")
        if native is None:
            return Unknown.NATIVE
        settled = self.phases.settled
        bookkeeping = (self.phases.exploring.bookkeeping_seconds or 0.0) + (settled.bookkeeping_seconds or 0.0)
        if self.all_native:
            return Savings(0.0 - bookkeeping)
        by_native = self._typical_of(native)
        if by_native is None:
            return Unknown.NATIVE
        if self.is_lost_in_waiting:
            return Unknown.WAITING
        if self.winner == "native" and native.samples >= settled.calls:
            # These calls were native: the time above that of typical calls is not due to Starling.
            return Savings(0.0 - (self.tuning or 0.0) - bookkeeping)
        return self._estimated(native, by_native, bookkeeping)

    def _estimated(self, native: Candidate, by_native: float, bookkeeping: float) -> Savings | Unknown:
        """The same where calls of others count, by native's time of a call."""
        # The time of all calls must be of the same kind as native's: rank 0's, without waiting for late ranks, or the
        # slowest rank's of each call, where one rank is the slowest in one call, and another one in the next.
        by_first = native.samples >= LEAST_SAMPLES and native.median_s is not None and not self._agreed_alike(native)
        if by_first and native.median_s is not None:
            by_native, taken, trying = native.median_s, self.seconds, self.tuning_seconds
        else:
            taken, trying = self._taken, self.tuning
        typical = self._typical_of_all(trying=trying or 0.0, by_first=by_first)
        if not by_first and (self._mostly_waits or self._slowest_in_turn):
            typical = self._typical_of_all()
            if typical is not None and taken is not None:
                # Delays of the latest calls of a candidate are no longer than all calls took.
                taken = typical = min(typical, taken * self._slowest_to_mean)
            else:
                return Unknown.WAITING
        if taken is None:
            return Unknown.NATIVE
        found = self._saved_by(by_native, taken, typical, bookkeeping)
        by_winner = self._time_of(self.candidate(self.winner), by_first=by_first) or by_native
        # What trying and bookkeeping cost may be delays too, so that these may hide a gain as well as a loss.
        hidden = by_winner < by_native and -found.delays < found.saved < LEAST_OF_DELAYS * found.delays
        if hidden or by_native > self._most_gain(native, by_native) * by_winner:
            return Unknown.DELAYS
        least = self._least_of_native(native, by_native, taken)
        if found.saved <= 0 or least == by_native:
            return found
        if typical is not None:
            of_native = self.calls * native.samples / sum(one.samples for one in self.candidates)
            typical -= of_native * (by_native - least)
        found = self._saved_by(least, taken, typical, bookkeeping)
        return found if found.saved > 0 else Unknown.DELAYS

    def _saved_by(self, native: float, taken: float, typical: float | None, bookkeeping: float) -> Savings:
        """What was saved if native takes so long, and all calls `typical` seconds without delays."""
        delays = 0.0 if typical is None else max(0.0, taken - typical)
        return Savings(self.calls * native + delays - taken - bookkeeping, delays)

    @property
    def native_was_delayed(self) -> bool:
        """Whether something else delayed the calls of native that its typical time is of, so that it tells nothing."""
        native, found = self.candidate("native"), self.compared
        taken = self._taken if found.by_all_ranks else self.seconds
        if native is None or not native.samples or found.native is None or not found.candidate or taken is None:
            return False
        longer_than_all = found.native > ABOUT * taken / native.samples
        return longer_than_all or found.native > self._most_gain(native, found.native) * found.candidate

    @property
    def sizes_vary(self) -> bool:
        """Whether calls of several sizes share this context."""
        return self.bucket or self.bytes is None

    def _earlier_of(self, native: Candidate) -> float | None:
        """Native's time in earlier runs; None where it is not known, or sizes vary, as theirs may differ."""
        return None if self.sizes_vary else native.earlier_s

    def _most_gain(self, native: Candidate, by_native: float) -> float:
        """How many times the winner's typical time native's is at most, unless its calls were delayed."""
        earlier = self._earlier_of(native)
        if self.in_crowd or native.samples >= FEW_NATIVE or (earlier and by_native < ABOUT * earlier):
            return MOST_GAIN
        return MOST_GAIN_OF_FEW

    def _least_of_native(self, native: Candidate, by_native: float, taken: float) -> float:
        """The least time of a native call that the record knows of, at most `by_native`: it bounds what was gained.

        Its calls took no longer than all calls did. Where earlier runs had quite another time, some calls of this run
        may have been made in such circumstances too.
        """
        least = min(by_native, taken / native.samples) if native.samples else by_native
        earlier = self._earlier_of(native)
        return earlier if earlier and least > ABOUT * earlier else least

    @property
    def saved(self) -> float | None:
        """The seconds of `savings`; None where that is not known."""
        found = self.savings
        return found.saved if isinstance(found, Savings) else None

    @property
    def delays(self) -> float:
        """The delays that count neither as saved nor as lost; 0 where it is not known what was saved."""
        found = self.savings
        return found.delays if isinstance(found, Savings) else 0.0

    @property
    def is_lost_in_waiting(self) -> bool:
        """Whether ranks waited for each other most of the time, and no time without that can be compared.

        So it is where more ranks than processors take turns: what a call takes says nothing of its way.
        """
        native = self.candidate("native")
        if self.arrivals is None or native is None or self._agreed_alike(native):
            return False
        return (self.arrivals.mean_s or 0.0) > MOSTLY_WAITING * (self.arrivals.fastest_s or 0.0)

    @property
    def waited(self) -> float:
        """Seconds of `spent` that the rank which came first waited for others, by the compared calls; 0 if unknown."""
        return (self.spent or 0.0) * self.arrivals.waiting if self.arrivals else 0.0

    @property
    def all_native(self) -> bool:
        """Whether all calls were native; calls that were only counted have no samples."""
        samples = {one.public_name: one.samples for one in self.candidates if one.samples}
        return (
            self.winner == "native" and not samples.keys() - {"native"} and samples.get("native", 0) in {0, self.calls}
        )

    @property
    def saved_by_earlier(self) -> bool:
        """Whether `saved` rests on times of native that only earlier runs measured."""
        native = self.candidate("native")
        return not self.all_native and native is not None and native.samples < LEAST_SAMPLES and self.saved is not None

    def _all_ranks_s(self, candidate: Candidate) -> float | None:
        """The time all ranks agreed on; without earlier runs where sizes vary, as theirs may differ."""
        return candidate.agreed_s if self.sizes_vary else candidate.all_ranks_s

    def _time_of(self, candidate: Candidate | None, *, by_first: bool) -> float | None:
        """Rank 0's time of a call, or the one that all ranks agreed on."""
        if candidate is None:
            return None
        return candidate.median_s if by_first else self._all_ranks_s(candidate)

    def _typical_of(self, candidate: Candidate) -> float | None:
        """Seconds of a typical call, if measured often enough to count savings by it."""
        agreed = self._all_ranks_s(candidate)
        if candidate.samples >= LEAST_SAMPLES:
            return agreed if agreed is not None else candidate.median_s
        return agreed if candidate.earlier_s is not None else None

    def _agreed_alike(self, native: Candidate) -> bool:
        """Whether agreed times tell what was saved: else only rank 0's own times are of one kind."""
        if self._all_ranks_s(native) is None:
            return self.slowest_seconds is None
        winner = self.candidate(self.winner)
        return winner is None or _alike(winner, native)

    @property
    def _mostly_waits(self) -> bool:
        """Whether calls take rank 0 far longer than the ranks agreed: then they agreed on times without waiting."""
        used = [one for one in self.candidates if one.samples >= LEAST_SAMPLES]
        pairs = [(self._all_ranks_s(one), one.median_s) for one in used if one.public_name in {"native", self.winner}]
        return any(agreed and median and median > MOSTLY_WAITING * agreed for agreed, median in pairs)

    @property
    def _slowest_to_mean(self) -> float:
        """How many times the mean rank's time of a call the slowest rank's is, by the compared calls; 1 if unknown."""
        times = (self.arrivals.mean_s, self.arrivals.slowest_s) if self.arrivals else (None, None)
        mean, slowest = (one or 0.0 for one in times)
        return slowest / mean if slowest > mean > 0 else 1.0

    @property
    def _slowest_in_turn(self) -> bool:
        """Whether a different rank is the slowest from call to call.

        Then the times of the slowest ranks add up to more than any rank spent in the calls.
        """
        return self._slowest_to_mean > SLOWEST_IN_TURN

    def _typical_of_all(self, *, trying: float | None = None, by_first: bool = False) -> float | None:
        """Seconds of all calls, had each taken as long as its candidate typically does; None where not known.

        Times are those that ranks agreed on, or rank 0's. Calls of others than the winner cost at least `trying` more
        than its calls; candidates whose time is not known are among these.
        """
        used = [one for one in self.candidates if one.samples]
        counted = sum(one.samples for one in used)
        times = [(one.samples, self._time_of(one, by_first=by_first)) for one in used]
        least = self._time_of(self.candidate(self.winner), by_first=by_first)
        known = sum(samples for samples, seconds in times if seconds is not None)
        if not counted or least is None or (trying is None and known < LEAST_KNOWN * counted):
            return None
        above = sum(samples * (seconds - least) for samples, seconds in times if seconds is not None)
        above *= self.calls / counted
        return self.calls * least + (above if trying is None else max(above, trying))

    @property
    def _taken(self) -> float | None:
        """Seconds that the calls took.

        Where ranks never agreed only rank 0's are known, almost none for the root of a bcast: then at least the time
        agreed for the winner in earlier runs.
        """
        if self.slowest_seconds is not None or self.seconds is None:
            return self.slowest_seconds
        winner = self.candidate(self.winner)
        typical = self._all_ranks_s(winner) if winner else None
        return max(self.seconds, self.calls * (typical or 0.0))


class Run(_Model):
    """What the run was. `started` is UTC in ISO 8601, `seconds` from MPI_Init to MPI_Finalize.

    `probe_s` are the seconds of these in which it measured its network, None where it did not. `own_s` are those that
    rank 0 spent in Starling outside of collectives: in MPI_Init, and for new and freed communicators and call keys.
    `shares_processors` where ranks shared processors, as found or as told.
    An `unfinished` run did not get to MPI_Finalize: its record is that of the last checkpoint.
    `machine` is the name of the machine, a cluster for example; empty where unknown.
    """

    program: str
    ranks: int
    nodes: int
    ranks_per_node: int
    machine: str = ""
    mpi_flavour: str
    mpi_version: str
    strategy: str
    settings: dict[str, str]
    started: Annotated[str, AfterValidator(_a_time)]
    seconds: float | None
    probe_s: float | None = None
    own_s: float | None = None
    shares_processors: bool = False
    unfinished: bool = False

    @property
    def beside_collectives(self) -> float:
        """The seconds that Starling took outside of collectives, as far as they are known."""
        return (self.probe_s or 0.0) + (self.own_s or 0.0)

    @property
    def crowds_its_node(self) -> bool:
        """Whether all ranks were on one node, and shared its processors: then nobody can tell who was late."""
        return self.nodes == 1 and self.shares_processors


class _Heading(_Model):
    """The heading of a record of one run, or of several: then `merged` has the names of their files."""

    schema_: Literal[1] = Field(alias="schema")
    run: Run
    merged: list[str] = []

    @property
    def title(self) -> str:
        """The program, or the number of merged runs."""
        if not self.merged:
            return self.run.program
        runs = number_of_runs(self.merged)
        return f"{runs} run{'s' * (runs != 1)}, merged"


class RunRecord(_Heading):
    """A whole record."""

    contexts: list[Context]
    left_out: LeftOut | None = None
    profile: RunProfile | None = None

    @model_validator(mode="after")
    def _tell_contexts(self) -> RunRecord:
        for context in self.contexts:
            context._in_crowd = self.run.shares_processors
        return self


class Outline(_Heading):
    """A record without its measurements: several times as fast to read."""

    contexts: list[ContextKey]


def number_of_runs(merged: Iterable[str]) -> int:
    """The number of runs among the files named by a merged record; merged files among them do not count."""
    return sum(not name.startswith(MERGED) for name in merged)


class RecordError(Exception):
    """A record that cannot be shown; the text says which, why, and what to do."""


def latest(history: Path | None) -> Path:
    """The last record of a single run in a history folder. Raises RecordError where there is none."""
    if history is None:
        raise RecordError("the history is off (STARLING_HISTORY or starling.toml); name a record: starling report FILE")
    if history.exists() and not history.is_dir():
        raise RecordError(f"{printable(history)}: it is no folder; name the folder of the records: --history DIR")
    paths = newest_first(history)
    if not paths:
        raise RecordError(f"{printable(history)}: no record yet; make one with: starling run -- mpirun -n 4 ./app")
    return paths[0]


def last_good(history: Path | None) -> tuple[RunRecord, str, list[str]]:
    """The last complete record of a history folder, its text, and why each later file is not it.

    A run of one rank, often a mistake, is not it either where there is another one among the latest. Raises RecordError
    where there is none.
    """
    newest = latest(history)
    skipped: list[str] = []
    alone: tuple[RunRecord, str, list[str]] | None = None
    for path in newest_first(newest.parent):
        try:
            found, text = read(path)
        except RecordError as error:
            skipped.append(str(error))
            continue
        if found.run.ranks > 1:
            return found, text, skipped
        alone = alone or (found, text, list(skipped))
        skipped.append(f"{printable(path)}: it ran with one rank; name it to see it")
        if len(skipped) > _LOOKED_AT:
            break
    if alone is not None:
        return alone
    raise RecordError(f"{printable(newest.parent)}: no whole record in it; the newest file: {skipped[0]}")


def listed(history: Path | None) -> str:
    """The existing records, for someone who named a missing one."""
    names = [path.name for path in newest_first(history)] if history else []
    if not names:
        return "no record is in the history"
    more = f", and {len(names) - 3} more" if len(names) > 3 else ""
    return f"records in {printable(history)}: {', '.join(map(printable, names[:3]))}{more}"


def read(path: Path) -> tuple[RunRecord, str]:
    """A record and its unchanged text. Raises RecordError."""
    try:
        contents = files.read(path)
    except OSError as error:
        raise RecordError(f"{printable(path)}: {error.strerror}; name a run record") from error
    return parse(contents, path)


def parse(contents: bytes, path: Path) -> tuple[RunRecord, str]:
    """The same of what was read from a file. Raises RecordError."""
    try:
        text = contents.decode()
    except UnicodeDecodeError as error:
        raise RecordError(
            f"{printable(path)}: not a run record, byte {error.start} is not UTF-8; name another one"
        ) from error
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        if is_cut_short(text, error):
            reason = "the record is cut short; was the disk full? Delete it, or name another one"
        else:
            reason = f"not JSON: {error.msg}; name a run record"
        raise RecordError(f"{printable(path)}:{error.lineno}: {reason}") from error
    except RecursionError as error:
        raise RecordError(f"{printable(path)}: not a run record, it is nested too deeply; name another one") from error
    except ValueError as error:
        raise RecordError(
            f"{printable(path)}: not a run record, it has a number that is too long; name another one"
        ) from error
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema is None:
        raise RecordError(f"{printable(path)}: not a run record, it has no `schema`; records are in the history folder")
    if schema != SCHEMA:
        raise RecordError(
            f"{printable(path)}: record of schema {printable(schema)}, this starling reads {SCHEMA}; "
            f"use the version that wrote it"
        )
    try:
        return RunRecord.model_validate(data), text
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        what = "missing" if first["type"] == "missing" else f"not what it should be: {quoted(first['input'])}"
        raise RecordError(f"{printable(path)}: not a whole run record, {printable(where)} is {what}") from error
