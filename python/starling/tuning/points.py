"""What a configuration phase measures: collectives, sizes and numbers of ranks, and how much each of them matters."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from starling import files
from starling.algorithms import repository
from starling.algorithms.prediction import size
from starling.messages import listed, printable
from starling.records import record
from starling.tuning import spreads
from starling.tuning.spreads import Spread

COLLECTIVES = (
    "allgather",
    "allgatherv",
    "allreduce",
    "alltoall",
    "alltoallv",
    "barrier",
    "bcast",
    "exscan",
    "gather",
    "gatherv",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_block",
    "scan",
    "scatter",
    "scatterv",
)
"""What src/tools/tuning_job.c can call."""

USUAL_COLLECTIVES = ("allgather", "allreduce", "alltoall", "bcast", "gather", "reduce", "reduce_scatter", "scatter")
USUAL_SIZES = (*(4**power for power in range(12)), 8 << 20)
"""Bytes: 1 B to 8 MiB."""

MOST_BYTES = 1 << 30
"""The largest size: src/tools/tuning_job.c counts the elements of a block in an int."""

MOST_OF_A_COLLECTIVE = 64
"""Points of a collective that are taken from a profile: what is believed of all of them takes the cube of their number
to find out, and a choice counts for the sizes in between too."""

_MOST_RANKS = 2**31 - 1
_MOST_NAMED = 3
_SIZELESS_BYTES = 4096
"""The size in which a collective is measured whose ranks do not know it."""


class PlanError(Exception):
    """Options or a profile from which nothing can be planned; the text says what is wrong and what to do."""


class Point(NamedTuple):
    """A collective on `ranks` ranks of a job, of `bytes` bytes as everywhere (docs/tuning-table.md).

    These are its first ranks; where `nodes` is not 0, ranks that are on so many nodes, `fullest` on the fullest.
    """

    collective: str
    ranks: int
    bytes: int
    nodes: int = 0
    fullest: int = 0

    @property
    def place(self) -> str:
        """Its ranks in words: "8 ranks", or "8 ranks on 4 nodes of 2"."""
        if not self.nodes:
            return f"{self.ranks} ranks"
        return f"{self.ranks} ranks on " + ("1 node" if self.nodes == 1 else f"{self.nodes} nodes of {self.fullest}")

    def is_spread_like(self, other: Point) -> bool:
        """Whether both are within a node, or have as many ranks on the fullest one."""
        if self.nodes == 1 or other.nodes == 1:
            return self.nodes == other.nodes
        return self.fullest == other.fullest

    def spread(self, nodes: Sequence[int]) -> Spread:
        """How it is spread in a job, of each of whose ranks `nodes` has the node."""
        return Spread(self.nodes, self.fullest) if self.nodes else spreads.of(nodes[: self.ranks])

    def members(self, nodes: Sequence[int]) -> tuple[int, ...] | None:
        """Its ranks in such a job; None where that has no ranks that are spread like it."""
        if not self.nodes:
            return tuple(range(self.ranks)) if self.ranks <= len(nodes) else None
        return spreads.chosen(nodes, self.ranks, Spread(self.nodes, self.fullest))


Plan = Mapping[Point, float]
"""Points to measure, each with its weight: how much a gain there matters; the mean of all weights is 1.

A point of weight 0 is not measured: it is there for what was measured of it earlier."""


def _words(text: str, option: str) -> list[str]:
    words = [word.strip() for word in text.split(",")]
    if not all(words):
        raise PlanError(f"{option} {printable(text)}: an item is empty")
    return words


def collectives(text: str | None) -> tuple[str, ...]:
    """The collectives of a comma list. Raises PlanError."""
    if text is None:
        return USUAL_COLLECTIVES
    names = tuple(dict.fromkeys(_words(text, "--collectives")))
    if unknown := [name for name in names if name not in COLLECTIVES]:
        raise PlanError(f"--collectives {printable(unknown[0])}: no such collective; there are: {listed(COLLECTIVES)}")
    return names


def sizes(text: str | None) -> tuple[int, ...]:
    """The sizes of a comma list like `1,4K,1M`, in ascending order. Raises PlanError."""
    if text is None:
        return USUAL_SIZES
    try:
        found = sorted({size(word) for word in _words(text, "--sizes")})
    except ValueError as error:
        raise PlanError(f"--sizes {error}") from error
    if found[0] < 1 or found[-1] > MOST_BYTES:
        raise PlanError(f"--sizes {printable(text)}: sizes are from 1 byte to 1 GiB")
    return tuple(found)


def numbers_of_ranks(text: str | None, available: int) -> tuple[int, ...]:
    """The numbers of ranks of a comma list, in ascending order; by default all ranks of the job. Raises PlanError."""
    if text is None:
        return (available,)
    words = _words(text, "--ranks")
    if wrong := next((word for word in words if not word.isdecimal() or not 2 <= int(word) <= available), None):
        raise PlanError(f"--ranks {printable(wrong)}: no number from 2 to {available}, the ranks of the launcher line")
    return tuple(sorted({int(word) for word in words}))


def grid(names: Iterable[str], all_sizes: Sequence[int], all_ranks: Iterable[int]) -> Plan:
    """Every collective in every size on every number of ranks, all of the same weight."""
    counts = tuple(all_ranks)
    return {
        Point(name, ranks, bytes_): 1.0 for name in names for ranks in counts for bytes_ in sizes_of(name, all_sizes)
    }


@cache
def _traits() -> dict[str, Any]:
    found: dict[str, Any] = repository.listing()["traits"]
    return found


def knows_size(collective: str) -> bool:
    """Whether all ranks know the size of a call; else there is one choice for all sizes."""
    return bool(_traits()[collective]["size_is_known"])


def waits_for_all(collective: str) -> bool:
    """Whether no rank can end a call before all have begun it; else calls in a row overlap."""
    return bool(_traits()[collective]["waits_for_all"])


def sizes_of(collective: str, all_sizes: Sequence[int]) -> Sequence[int]:
    """The sizes to measure a collective with: one where a choice cannot depend on it."""
    if collective == "barrier":
        return (0,)
    return all_sizes if knows_size(collective) else (_SIZELESS_BYTES,)


def measured_earlier(measured: Iterable[Point], nodes: Sequence[int]) -> Plan:
    """Points of an earlier command on the same ranks, with weight 0: the table keeps them, without measuring more."""
    return {
        one: 0.0
        for one in sorted(set(measured))
        if one.collective in COLLECTIVES and one.members(nodes) and one.bytes <= MOST_BYTES
    }


class FromProfile(NamedTuple):
    """The points of a profile, and a sentence about those for which the job has no ranks; empty if it has for all."""

    plan: Plan
    note: str


def from_profile(
    path: Path, only: Sequence[str] | None, nodes: Sequence[int], counts: Sequence[int] | None = None
) -> FromProfile:
    """The points that a profile has (docs/profile.md), weighted by the ranks' seconds there without waiting.

    They are on ranks of the job that are spread among its nodes as those of the program were; `nodes` has the node of
    each rank of the job. What the program does on all of its ranks is instead planned on as many as `counts` says, in
    blocks of the same size. Of a collective the MOST_OF_A_COLLECTIVE with most weight count, equally many for each
    spread. Contexts of more than MOST_BYTES, or of a collective that is not measured, are left out. A collective whose
    ranks do not know the size is measured with the mean block that the program's ranks had. Raises PlanError.
    """
    name = printable(path)
    try:
        profile = json.loads(files.read(path))
        if "contexts" in profile and profile.get("schema", record.SCHEMA) != record.SCHEMA:
            raise PlanError(f"{name}: it is the profile of another version; make it again with: starling profile")
        all_ranks = int(profile["run"]["ranks"]) if counts is not None else 0
        weights: dict[Point, float] = {}
        left_out: dict[str, float] = {}
        measured = 0.0
        for point, weight in _weights(profile["contexts"], only):
            if point.ranks < 2 or point.bytes > MOST_BYTES:
                continue
            wanted = [point]
            if counts is not None and point.ranks == all_ranks:
                wanted = [point._replace(ranks=ranks, nodes=0, fullest=0) for ranks in counts]
            for one in wanted:
                there = _in_job(one, nodes)
                if there is None:
                    left_out[one.place] = left_out.get(one.place, 0.0) + weight / len(wanted)
                else:
                    measured += weight / len(wanted)
                    weights[there] = weights.get(there, 0.0) + weight
    except OSError as error:
        raise PlanError(f"{name}: {error.strerror}; make a profile with: starling profile -o F -- LAUNCHER") from error
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise PlanError(f"{name}: it is no profile; make one with: starling profile -o F -- LAUNCHER") from error
    note = _about(left_out, measured)
    weights = _heaviest(weights)
    mean = sum(weights.values()) / max(len(weights), 1)
    if mean <= 0:
        here = spreads.of(nodes)
        raise PlanError(
            f"{name}: nothing in it can be tuned on {len(nodes)} ranks, {here.fullest} of them on the fullest of "
            f"{here.nodes} node{'s' * (here.nodes > 1)}; start the job with as many, placed as the program's were"
        )
    return FromProfile({point: weight / mean for point, weight in sorted(weights.items()) if weight > 0}, note)


def _in_job(point: Point, nodes: Sequence[int]) -> Point | None:
    """The point in a job: on the first ranks where these are spread like it; None where the job has no such ranks."""
    first = point._replace(nodes=0, fullest=0)
    if point.nodes and (point.ranks > len(nodes) or first.spread(nodes) != (point.nodes, point.fullest)):
        first = point
    return first if first.members(nodes) else None


def _about(left_out: Mapping[str, float], others: float) -> str:
    """A sentence about what was left out of a profile, by its ranks in words, each with its weight."""
    total = sum(left_out.values())
    if total <= 0:
        return ""
    most = sorted(left_out, key=lambda one: -left_out[one])
    more = f", and {len(most) - _MOST_NAMED} more" if len(most) > _MOST_NAMED else ""
    return (
        f"{total / (total + others):.0%} of the profile's time was not measured, as the job has no ranks that are "
        f"spread like that: {', '.join(most[:_MOST_NAMED])}{more}"
    )


def _heaviest(weights: Mapping[Point, float]) -> dict[Point, float]:
    found: dict[Point, float] = {}
    kept: Counter[Point] = Counter()
    counts = Counter(one.collective for one in {point._replace(bytes=0) for point in weights})
    for point, weight in sorted(weights.items(), key=lambda one: -one[1]):
        of = point._replace(bytes=0)
        kept[of] += 1
        if kept[of] <= max(1, MOST_OF_A_COLLECTIVE // counts[point.collective]):
            found[point] = weight
    return found


def _seconds(context: Any) -> float:
    """Of all ranks, without waiting for late ones, which no way shortens; rank 0's where the file has no more."""
    all_ranks = context.get("profile")
    if all_ranks is None:
        seconds = float(context["seconds"])
    else:
        seconds = float(all_ranks["rank_seconds"]) - float(all_ranks["waiting_rank_seconds"] or 0.0)
    if not math.isfinite(seconds):
        raise ValueError("no time")
    return max(0.0, seconds)


def _weights(contexts: Any, only: Sequence[str] | None) -> Iterable[tuple[Point, float]]:
    found: dict[Point, float] = {}
    unknown: dict[Point, list[tuple[float, float]]] = {}
    for one in contexts:
        collective, bytes_ = one["collective"], one.get("bytes")
        if collective not in (only or COLLECTIVES) or collective not in COLLECTIVES:
            continue
        of = _of_context(collective, one)
        if not knows_size(collective):
            mean = (one.get("profile") or {}).get("mean_bytes")
            size_here = _SIZELESS_BYTES if mean is None else float(mean)
            unknown.setdefault(of, []).append((size_here, _seconds(one)))
        elif bytes_ is not None or collective == "barrier":
            point = of._replace(bytes=sizes_of(collective, (int(bytes_ or 0),))[0])
            if point.bytes > 0 or collective == "barrier":
                found[point] = found.get(point, 0.0) + _seconds(one)
    for of, parts in unknown.items():
        total = sum(seconds for _, seconds in parts)
        if total > 0:
            mean = sum(size_here * seconds for size_here, seconds in parts) / total
            found[of._replace(bytes=max(round(mean), 1))] = total
    return found.items()


def _of_context(collective: str, context: Any) -> Point:
    """Of 0 bytes, on the ranks of a context; a record has 0 nodes where they are not known."""
    ranks, nodes, fullest = (int(context.get(name) or 0) for name in ("ranks", "nodes", "ranks_per_node"))
    if ranks > _MOST_RANKS:
        raise ValueError("no number of ranks")
    if not nodes:
        return Point(collective, ranks, 0)
    if not (1 <= fullest <= ranks and nodes + fullest - 1 <= ranks <= nodes * fullest):
        raise ValueError("no spread")
    return Point(collective, ranks, 0, nodes, fullest)
