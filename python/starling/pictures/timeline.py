"""When each round of a schedule happens, in logical time: a message takes one unit, however large it is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Blocks:
    """`count` blocks of a buffer (`send`, `recv`, `scratch 0`, ...), from block `first`."""

    buffer: str
    first: int
    count: int

    def overlaps(self, other: Blocks) -> bool:
        """Whether they share a block."""
        if self.buffer != other.buffer:
            return False
        return max(self.first, other.first) < min(self.first + self.count, other.first + other.count)


@dataclass(frozen=True)
class Transfer:
    """A message to or from `peer`."""

    peer: int
    blocks: Blocks


@dataclass(frozen=True)
class Local:
    """Work of a rank on its own data: `copy`, or `combine`: into = from (operator) into."""

    kind: str
    source: Blocks
    into: Blocks


@dataclass(frozen=True)
class Shared:
    """A step that the ranks of `group` do together: its name, that name in full, and the words for all of its kind."""

    name: str
    title: str
    kind: str
    group: tuple[int, ...]


@dataclass(frozen=True)
class Round:
    """One round of a rank (docs/schedules.md)."""

    receives: tuple[Transfer, ...] = ()
    sends: tuple[Transfer, ...] = ()
    locals: tuple[Local, ...] = ()
    shared: Shared | None = None

    @property
    def communicates(self) -> bool:
        """Whether it involves other ranks."""
        return bool(self.receives or self.sends or self.shared)


@dataclass(frozen=True)
class Plan:
    """The schedules of all ranks for one candidate: `rounds[rank]`. `root` is None where the collective has none.

    `mistake` is what the checker finds wrong with them, in one sentence; empty where it finds nothing.
    """

    name: str
    blocks: int
    root: int | None
    rounds: tuple[tuple[Round, ...], ...]
    mistake: str = ""

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Plan:
        """The plan from the output of `starling-repository schedule`."""
        return cls(
            name=f"{found['collective']}:{found['name']}",
            blocks=found["blocks"],
            root=found["root"] if found["rooted"] else None,
            rounds=tuple(tuple(_round(steps, found["groups"]) for steps in rounds) for rounds in found["ranks"]),
            mistake=found["mistake"],
        )


def _round(steps: Sequence[dict[str, Any]], groups: Sequence[Sequence[int]]) -> Round:
    """The steps of a round, of whatever kinds: what a step has tells how it is drawn."""
    return Round(
        receives=tuple(_transfer(one) for step in steps for one in step.get("receives", [])),
        sends=tuple(_transfer(one) for step in steps for one in step.get("sends", [])),
        locals=tuple(
            Local(kind, Blocks(*source), Blocks(*into))
            for step in steps
            for kind, source, into in step.get("works", [])
        ),
        shared=next(
            (
                Shared(step["name"], step["title"], step["says"], tuple(groups[step["group"]]))
                for step in steps
                if "group" in step
            ),
            None,
        ),
    )


def _transfer(listed: Sequence[Any]) -> Transfer:
    peer, *blocks = listed
    return Transfer(peer, Blocks(*blocks))


@dataclass(frozen=True)
class Message:
    """A message from the start of the sender's round to its arrival; `round` is the sender's, `receipt` the receiver's.

    `combined`: the receiver combines it with other data in the round in which it arrives.
    """

    sender: int
    receiver: int
    sent: Blocks
    received: Blocks
    round: int
    receipt: int
    start: float
    arrival: float
    combined: bool


@dataclass(frozen=True)
class Work:
    """The local work of one round, done at `time`."""

    rank: int
    locals: tuple[Local, ...]
    time: float


@dataclass(frozen=True)
class TimedShared:
    """A shared step, from the moment its last member enters."""

    step: Shared
    start: float
    end: float


@dataclass
class Timeline:
    """Everything that happens in a plan."""

    messages: list[Message] = field(default_factory=list)
    work: list[Work] = field(default_factory=list)
    together: list[TimedShared] = field(default_factory=list)
    end: float = 0.0


class TimelineError(Exception):
    """The ranks deadlock, or messages do not match."""


@dataclass(frozen=True)
class _End:
    """One end of a message, or of a shared step: its rank, its round, its transfer in the round."""

    rank: int
    round: int
    blocks: Blocks = Blocks("recv", 0, 0)


_Ends = dict[tuple[int, int], list[_End]]


def _pair(rounds: Sequence[Sequence[Round]]) -> tuple[_Ends, _Ends]:
    """Sends and receives of each pair (sender, receiver), in order: the k-th send matches the k-th receive."""
    sends: _Ends = defaultdict(list)
    receives: _Ends = defaultdict(list)
    for rank, own in enumerate(rounds):
        for index, one in enumerate(own):
            for transfer in one.sends:
                sends[rank, transfer.peer].append(_End(rank, index, transfer.blocks))
            for transfer in one.receives:
                receives[transfer.peer, rank].append(_End(rank, index, transfer.blocks))
    for sender, receiver in sends.keys() | receives.keys():
        sent, received = len(sends[sender, receiver]), len(receives[sender, receiver])
        if sent != received:
            raise TimelineError(f"rank {sender} sends {sent} messages to rank {receiver}, which receives {received}")
    return sends, receives


def _shared_step_members(rounds: Sequence[Sequence[Round]]) -> list[list[_End]]:
    """The members of each shared step: the k-th of a rank in a group matches the k-th of the others."""
    found: dict[tuple[Shared, int], list[_End]] = defaultdict(list)
    for rank, own in enumerate(rounds):
        seen: dict[Shared, int] = defaultdict(int)
        for index, one in enumerate(own):
            if one.shared:
                found[one.shared, seen[one.shared]].append(_End(rank, index))
                seen[one.shared] += 1
    for (step, _), members in found.items():
        if len(members) != len(step.group):
            raise TimelineError(f"{len(members)} of {len(step.group)} ranks come to {step.title}")
    return list(found.values())


def _starts(
    rounds: Sequence[Sequence[Round]], partners: dict[tuple[int, int], list[_End]], local: float
) -> list[list[float]]:
    """When each round of each rank starts; the last entry of a rank is its end."""
    starts = [[0.0] for _ in rounds]
    moved = True
    while moved:
        moved = False
        for rank, own in enumerate(rounds):
            while len(starts[rank]) <= len(own):
                index = len(starts[rank]) - 1
                others = partners.get((rank, index), [])
                if any(len(starts[other.rank]) <= other.round for other in others):
                    break
                begin = max([starts[rank][index], *(starts[other.rank][other.round] for other in others)])
                idle = 0.0 if not own[index].locals else local
                starts[rank].append(begin + (1.0 if own[index].communicates else idle))
                moved = True
    for rank, own in enumerate(rounds):
        if len(starts[rank]) <= len(own):
            raise TimelineError(f"rank {rank} waits for ever in round {len(starts[rank]) - 1}")
    return starts


def _combines(one: Round, arrived: Blocks) -> bool:
    """Whether the local work of the round combines the received blocks, or a copy of them."""
    marked = [arrived]
    for work in one.locals:
        touched = any(work.source.overlaps(blocks) for blocks in marked)
        if work.kind == "combine" and (touched or any(work.into.overlaps(blocks) for blocks in marked)):
            return True
        if touched:
            marked.append(work.into)
    return False


def timeline(plan: Plan, local: float = 0.25) -> Timeline:
    """When everything in the plan happens. A round without messages takes `local` units.

    A round starts when the one before has ended. A message arrives one unit after both its ends have started; the round
    ends when all of its messages are done. Raises TimelineError for a plan that cannot be carried out.
    """
    rounds = plan.rounds
    sends, receives = _pair(rounds)
    meetings = _shared_step_members(rounds)
    pairs = [ends for key in sorted(sends) for ends in zip(sends[key], receives[key], strict=True)]
    partners: dict[tuple[int, int], list[_End]] = defaultdict(list)
    for together in [*pairs, *meetings]:
        for end in together:
            partners[end.rank, end.round] += together
    starts = _starts(rounds, partners, local)

    found = Timeline(end=max((own[-1] for own in starts), default=0.0))
    for sent, received in pairs:
        begin = starts[sent.rank][sent.round]
        found.messages.append(
            Message(
                sender=sent.rank,
                receiver=received.rank,
                sent=sent.blocks,
                received=received.blocks,
                round=sent.round,
                receipt=received.round,
                start=begin,
                arrival=max(begin, starts[received.rank][received.round]) + 1,
                combined=_combines(rounds[received.rank][received.round], received.blocks),
            )
        )
    for members in meetings:
        step = rounds[members[0].rank][members[0].round].shared
        if step:
            begin = max(starts[member.rank][member.round] for member in members)
            found.together.append(TimedShared(step, begin, begin + 1))
    for rank, own in enumerate(rounds):
        found.work += [Work(rank, one.locals, starts[rank][i + 1]) for i, one in enumerate(own) if one.locals]
    return found
