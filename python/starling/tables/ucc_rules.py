"""The tune string of UCC's team layer `ucp`: <collective>:<sizes>:<memory>:[<ranks>]:<score>:@<algorithm>#..."""

from __future__ import annotations

from starling.tables.expressed import Dialect, Named, Rules, in_totals, with_own_choice_outside

VARIABLE = "UCC_TL_UCP_TUNE"

_NAMES = {
    "allgather": "allgather",
    "allgatherv": "allgatherv",
    "allreduce": "allreduce",
    "alltoall": "alltoall",
    "alltoallv": "alltoallv",
    "barrier": "barrier",
    "bcast": "bcast",
    "gather": "gather",
    "reduce": "reduce",
    "reduce_scatter": "reduce_scatterv",
    "reduce_scatter_block": "reduce_scatter",
    "scatter": "scatter",
}
"""What UCC calls the collectives of MPI."""
_TOTAL = {"allgather", "allgatherv", "alltoall", "gather", "reduce_scatter", "reduce_scatter_block", "scatter"}
"""Where UCC counts the blocks of all ranks."""


def _refuses(collective: str, algorithm: Named) -> str:
    if collective not in _NAMES:
        return "UCC does not have the collective"
    return f"{algorithm.parameters[0][0]} cannot be set in a tune string" if algorithm.parameters else ""


DIALECT = Dialect("UCC", "ucc", "ucc", _refuses)


def as_string(entries: list[Rules]) -> str:
    """An assignment for a shell. What no token names is left to UCC."""
    tokens: list[str] = []
    for one in map(with_own_choice_outside, entries):
        for entry in in_totals(one) if one.shape.collective in _TOTAL else [one]:
            for rule in entry.rules:
                if not rule.algorithm:
                    continue
                sizes = f"{rule.from_}-{'inf' if rule.below is None else rule.below}"
                ranks = f"[{entry.least}-{entry.most}]"
                tokens.append(f"{_NAMES[entry.shape.collective]}:{sizes}:host:{ranks}:inf:@{rule.algorithm.name}")
    return f'export {VARIABLE}="{"#".join(tokens)}"\n' if tokens else ""
