"""Intel MPI's environment: I_MPI_ADJUST_<COLLECTIVE>=<number>:<sizes>@<ranks>;..., as its reference manual has it."""

from __future__ import annotations

from starling.tables.expressed import Dialect, Named, Rules

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
_LARGEST = 2147483647


def _refuses(collective: str, algorithm: Named) -> str:
    if algorithm.name not in _NUMBERS.get(collective, {}):
        return f"Intel MPI has no number for {algorithm}"
    return f"{algorithm.parameters[0][0]} cannot be set" if algorithm.parameters else ""


DIALECT = Dialect("Intel MPI", "intel", "mpich", _refuses)


def as_environment(entries: list[Rules]) -> str:
    """Assignments for a shell. What no condition names is left to Intel MPI."""
    conditions: dict[str, list[str]] = {}
    for entry in entries:
        collective = entry.shape.collective
        for rule in entry.rules:
            if rule.algorithm:
                last = _LARGEST if rule.below is None else rule.below - 1
                number = _NUMBERS[collective][rule.algorithm.name]
                condition = f"{number}:{rule.from_}-{last}@{entry.least}-{entry.most}"
                conditions.setdefault(collective, []).append(condition)
    return "".join(f'export I_MPI_ADJUST_{name.upper()}="{";".join(those)}"\n' for name, those in conditions.items())
