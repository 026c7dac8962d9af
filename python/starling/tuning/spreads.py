"""How ranks are spread among the nodes of a job: ranks that are spread as a program's communicators are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple


class Spread(NamedTuple):
    """On how many nodes ranks are, and how many of them on the fullest node."""

    nodes: int
    fullest: int


def of(nodes: Sequence[int]) -> Spread:
    """The spread of ranks, of each of which `nodes` has the node."""
    on_nodes = Counter(nodes).values()
    return Spread(len(on_nodes), max(on_nodes, default=0))


def chosen(nodes: Sequence[int], ranks: int, wanted: Spread) -> tuple[int, ...] | None:
    """So many ranks of a job that are spread as wanted, rank 0 among them; None where the job has no such ranks.

    `nodes` has the node of each rank of the job. The nodes get as equal numbers of ranks as can be.
    """
    of_node: dict[int, list[int]] = {}
    for rank, node in enumerate(nodes):
        of_node.setdefault(node, []).append(rank)
    first, *others = of_node.values()
    there = [first, *sorted(others, key=len, reverse=True)][: wanted.nodes]
    full = next((i for i, on_node in enumerate(there) if len(on_node) >= wanted.fullest), None)
    if len(there) < wanted.nodes or full is None:
        return None
    taken = [1] * len(there)
    taken[full] = wanted.fullest
    left = ranks - sum(taken)
    for level in range(1, wanted.fullest):
        for i, on_node in enumerate(there):
            if left > 0 and taken[i] == level < len(on_node):
                taken[i] += 1
                left -= 1
    if left:
        return None
    return tuple(sorted(rank for on_node, count in zip(there, taken, strict=True) for rank in on_node[:count]))
