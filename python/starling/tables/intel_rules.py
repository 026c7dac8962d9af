"""Intel MPI's environment: I_MPI_ADJUST_<COLLECTIVE>=<number>:<sizes>;...

Its algorithms have numbers, which it reads when a job starts: a way `native_adjust_8` is number 8 of its collective.
Its reference manual also has numbers of ranks behind the sizes. Intel MPI 2021.18 does not act on them: with any it
uses the last number for all sizes. So one entry of a table for each collective can be said.
"""

from __future__ import annotations

import re

from starling.tables.expressed import PREFIX, Dialect, Named, Rules, sizes_in_words, to_all_sizes

_NUMBERS = {
    "allgather": {"recursive_doubling": 1, "brucks": 2, "ring": 3},
    "allgatherv": {"recursive_doubling": 1, "brucks": 2, "ring": 3},
    "allreduce": {"recursive_doubling": 1, "reduce_scatter_allgather": 2, "ring": 8},
    "alltoall": {"brucks": 1, "scattered": 2, "pairwise": 3},
    "alltoallv": {"scattered": 1},
    "barrier": {"dissemination": 1, "recursive_doubling": 2},
    "bcast": {"binomial": 1, "scatter_recursive_doubling_allgather": 2, "scatter_ring_allgather": 3},
    "gather": {"binomial": 1},
    "reduce": {"binomial": 2, "reduce_scatter_gather": 5},
    "reduce_scatter": {"recursive_halving": 1, "pairwise": 2, "recursive_doubling": 3},
    "scatter": {"binomial": 1},
}
"""The numbers of algorithms that MPICH has, too, by MPICH's names."""
_TOTAL = {"reduce_scatter"}
"""Where Intel MPI counts the blocks of all ranks; in alltoall and allgather it counts one."""
_LARGEST = 2147483647
_ADJUST = "adjust_"


def variable(collective: str) -> str:
    """The variable that sets the algorithm of a collective."""
    return f"I_MPI_ADJUST_{collective.upper()}"


def way(number: int) -> str:
    """The name of the way that is an algorithm by its number."""
    return f"{PREFIX}{_ADJUST}{number}"


def setting(collective: str, name: str) -> dict[str, str]:
    """The variable, with its value, that a job must start with to have a way; empty for ways that any job has."""
    match = re.fullmatch(rf"{PREFIX}{_ADJUST}(\d+)", name)
    return {variable(collective): match[1]} if match else {}


def _number(collective: str, algorithm: Named) -> int | None:
    if match := re.fullmatch(rf"{_ADJUST}(\d+)", algorithm.name):
        return int(match[1])
    return _NUMBERS.get(collective, {}).get(algorithm.name)


def _refuses(collective: str, algorithm: Named) -> str:
    if _number(collective, algorithm) is None:
        return f"Intel MPI has no number for {algorithm}"
    return f"{algorithm.parameters[0][0]} cannot be set" if algorithm.parameters else ""


DIALECT = Dialect("Intel MPI", "intel", "mpich", _refuses)


def as_environment(entries: list[Rules], left_out: list[str]) -> str:
    """Assignments for a shell, of one entry for each collective. Adds what they cannot express to `left_out`.

    Every size gets a number, for what no condition covers would get the last one: 0, which is Intel MPI's basic choice,
    where the table leaves it to the library. Its tuned choice it makes only where a variable is not set at all.
    """
    lines = []
    for entry in (to_all_sizes(one, left_out) for one in entries):
        collective = entry.shape.collective
        factor = entry.shape.ranks if collective in _TOTAL else 1
        conditions = []
        for rule in entry.rules:
            last = _LARGEST if rule.below is None else min(rule.below * factor - 1, _LARGEST)
            if rule.algorithm is None:
                left_out.append(f"{entry.shape}, {sizes_in_words(rule)}: Intel MPI's basic choice, not its tuned one")
            number = _number(collective, rule.algorithm) if rule.algorithm else 0
            conditions.append(f"{number}:{rule.from_ * factor}-{last}")
        lines.append(f'export {variable(collective)}="{";".join(conditions)}"\n')
    return "".join(lines)
