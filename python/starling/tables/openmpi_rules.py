"""Rules of Open MPI's component `tuned`: its text format, which every version reads, and the JSON of Open MPI 6."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from starling.tables.expressed import (
    FARTHEST,
    Dialect,
    Named,
    Rule,
    Rules,
    in_totals,
    sizes_in_words,
    to_all_sizes,
    with_own_choice_outside,
)
from starling.tables.table import Shape


class _Collective(NamedTuple):
    """Its number in Open MPI, its algorithms in the order of their numbers from 1, and what its message size is."""

    number: int
    algorithms: tuple[str, ...]
    size: str


_BLOCK, _BLOCKS, _NONE, _UNEQUAL = "block", "all blocks", "none", "not the same on all ranks"

_COLLECTIVES = {
    "allgather": _Collective(
        0, ("linear", "bruck", "recursive_doubling", "ring", "neighbor", "two_proc", "sparbit"), _BLOCKS
    ),
    "allgatherv": _Collective(1, ("default", "bruck", "ring", "neighbor", "two_proc", "sparbit"), _BLOCK),
    "allreduce": _Collective(
        2, ("basic_linear", "nonoverlapping", "recursive_doubling", "ring", "segmented_ring", "rabenseifner"), _BLOCK
    ),
    "alltoall": _Collective(3, ("linear", "pairwise", "modified_bruck", "linear_sync", "two_proc"), _BLOCKS),
    "alltoallv": _Collective(4, ("basic_linear", "pairwise"), _NONE),
    "barrier": _Collective(6, ("linear", "double_ring", "recursive_doubling", "bruck", "two_proc", "tree"), _NONE),
    "bcast": _Collective(
        7,
        (
            *("basic_linear", "chain", "pipeline", "split_binary_tree", "binary_tree", "binomial", "knomial"),
            *("scatter_allgather", "scatter_allgather_ring"),
        ),
        _BLOCK,
    ),
    "exscan": _Collective(8, ("linear", "recursive_doubling"), _NONE),
    "gather": _Collective(9, ("basic_linear", "binomial", "linear_sync"), _UNEQUAL),
    "reduce": _Collective(
        11, ("linear", "chain", "pipeline", "binary", "binomial", "in_order_binary", "rabenseifner"), _BLOCK
    ),
    "reduce_scatter": _Collective(12, ("non_overlapping", "recursive_halving", "ring", "butterfly"), _BLOCKS),
    "reduce_scatter_block": _Collective(
        13, ("basic_linear", "recursive_doubling", "recursive_halving", "butterfly"), _BLOCKS
    ),
    "scan": _Collective(14, ("linear", "recursive_doubling"), _NONE),
    "scatter": _Collective(15, ("basic_linear", "binomial", "linear_nb"), _UNEQUAL),
}
_ALIASES = {
    "allgatherv": {"linear": "default"},
    "alltoallv": {"linear": "basic_linear"},
    "gather": {"linear": "basic_linear"},
    "scatter": {"linear": "basic_linear"},
}
"""Names of our descriptors that Open MPI writes otherwise here."""
_LATER = {"sparbit"}
"""Not in Open MPI 4.1, which would end the job."""
_FIXED = {"radix": "4"}
"""Parameters that a rule cannot set, with their values in Open MPI."""
_CHAINS = "4"
"""The fan-out of `chain` where a way names none: Open MPI's own default."""


def _name(collective: str, algorithm: Named) -> str:
    name = algorithm.name.replace("-", "_")
    return _ALIASES.get(collective, {}).get(name, name)


def _refuses(collective: str, algorithm: Named) -> str:
    known = _COLLECTIVES.get(collective)
    name = _name(collective, algorithm)
    if known is None or name not in known.algorithms:
        return f"{algorithm} is none of the algorithms that rules can choose"
    if name in _LATER:
        return f"{name} is not in Open MPI 4.1, which would end the job"
    if name == "two_proc":
        return "two_proc ends the job on other communicators than of 2 ranks"
    for parameter, value in algorithm.parameters:
        if parameter not in {"segment", "fanout"} and _FIXED.get(parameter) != value:
            return f"a rule cannot set {parameter}"
    return ""


DIALECT = Dialect("Open MPI", "openmpi", "ompi", _refuses)

_UNEQUAL_WHY = (
    "Open MPI takes the message size from an argument that not all ranks must pass, so that they would not agree"
)


def _one_rule(entry: Rules, left_out: list[str], why: str) -> list[Rule]:
    """The rule of the largest sizes for all sizes, where sizes cannot be told apart."""
    if len(entry.rules) > 1:
        last = entry.rules[-1]
        for rule in entry.rules[:-1]:
            kept = last.algorithm or "Open MPI's own choice"
            left_out.append(f"{entry.shape}, {sizes_in_words(rule)}: {kept} as for all sizes, for {why}")
    return [Rule(0, None, entry.rules[-1].algorithm)]


def _in_message_sizes(entry: Rules, left_out: list[str]) -> list[Rules]:
    """The entry by what Open MPI means by the size of a message, in parts of its numbers of ranks."""
    size = _COLLECTIVES[entry.shape.collective].size
    if size == _BLOCK:
        return [with_own_choice_outside(entry)]
    if size == _BLOCKS:
        return in_totals(with_own_choice_outside(entry))
    why = _UNEQUAL_WHY if size == _UNEQUAL else "Open MPI does not tell sizes apart here"
    return [entry._replace(rules=_one_rule(to_all_sizes(entry, left_out), left_out, why))]


def _number(collective: str, algorithm: Named | None) -> int:
    """0: by Open MPI's own rules."""
    return _COLLECTIVES[collective].algorithms.index(_name(collective, algorithm)) + 1 if algorithm else 0


def _fan_out(algorithm: Named | None) -> str:
    return algorithm.value("fanout", _CHAINS if algorithm.name == "chain" else "0") if algorithm else "0"


def _segment(algorithm: Named | None) -> str:
    return algorithm.value("segment", "0") if algorithm else "0"


def _by_collective(entries: list[Rules]) -> dict[str, list[Rules]]:
    found: dict[str, list[Rules]] = {}
    for entry in entries:
        found.setdefault(entry.shape.collective, []).append(entry)
    return found


def as_text(entries: list[Rules], left_out: list[str]) -> str:
    """The text format, for `coll_tuned_dynamic_rules_filename`. Adds what it cannot express to `left_out`.

    A rule for communicators counts from its number of ranks up to that of the next one, one for sizes likewise.
    """
    collectives = _by_collective(entries)
    lines = [f"{len(collectives)} # collectives"]
    for collective, of_it in collectives.items():
        sets: list[tuple[int, list[Rule]]] = [(0, [Rule(0, None, None)])]
        for entry in of_it:
            if sets[-1][0] == entry.least:
                sets.pop()
            sets += [(part.least, part.rules) for part in _in_message_sizes(entry, left_out)]
            sets.append((entry.most + 1, [Rule(0, None, None)]))
        lines += [f"{_COLLECTIVES[collective].number} # {collective}", f"{len(sets)} # communicator sizes"]
        for ranks, rules in sets:
            lines += [f"{ranks} # ranks and more", f"{len(rules)} # message sizes"]
            for rule in rules:
                choice = f"{rule.from_} {_number(collective, rule.algorithm)} {_fan_out(rule.algorithm)}"
                name = f" # {rule.algorithm}" if rule.algorithm else ""
                lines.append(f"{choice} {_segment(rule.algorithm)}{name}")
    return "\n".join(lines) + "\n"


def _json_rule(collective: str, rule: Rule) -> dict[str, Any]:
    found: dict[str, Any] = {
        "msg_size_min": rule.from_,
        "msg_size_max": "inf" if rule.below is None else rule.below - 1,
        "alg": _number(collective, rule.algorithm),
    }
    if _fan_out(rule.algorithm) != "0":
        found["faninout"] = int(_fan_out(rule.algorithm))
    if _segment(rule.algorithm) != "0":
        found["seg_size"] = int(_segment(rule.algorithm))
    return found


_SINGLE_NODE, _ONE_PER_NODE, _ANY = "single-node", "one-per-node", "any"


def distribution(shape: Shape) -> str:
    """The `comm_rank_distribution` of the JSON, which tells communicators apart by their nodes."""
    if shape.nodes == 1:
        return _SINGLE_NODE
    return _ONE_PER_NODE if shape.ranks_per_node == 1 else _ANY


def _for_communicators(entries: list[Rules], left_out: list[str]) -> list[dict[str, Any]]:
    """The entries of one collective, where Open MPI takes the first whose distribution and number of ranks fit.

    "any" fits all communicators. Before it, those that a run with the table would not treat so are left to Open MPI.
    """
    by_kind: dict[str, list[Rules]] = {_SINGLE_NODE: [], _ONE_PER_NODE: [], _ANY: []}
    for entry in entries:
        by_kind[distribution(entry.shape)].append(entry)
    of_any = [entry for entry in by_kind[_ANY] if entry.names_some]
    near = [entry for entry in of_any if entry.shape.ranks_per_node <= FARTHEST]
    far = [entry for entry in of_any if entry.shape.ranks_per_node > FARTHEST]

    def written(entries: Iterable[Rules]) -> list[dict[str, Any]]:
        return [
            {
                "comm_size_min": part.least,
                "comm_size_max": part.most,
                "comm_rank_distribution": distribution(part.shape),
                "rules": [_json_rule(part.shape.collective, rule) for rule in part.rules if rule.algorithm],
            }
            for entry in entries
            for part in _in_message_sizes(entry, left_out)
        ]

    def none_of(kind: str) -> dict[str, Any]:
        return {"comm_rank_distribution": kind, "rules": []}

    return [
        *written(entry for entry in by_kind[_SINGLE_NODE] if entry.names_some),
        *([none_of(_SINGLE_NODE)] if of_any else []),
        *written(entry for entry in by_kind[_ONE_PER_NODE] if entry.names_some or near),
        *written(near),
        *([none_of(_ONE_PER_NODE)] if far else []),
        *written(far),
    ]


def on_other_nodes(entries: list[Rules]) -> list[str]:
    """Lines about communicators that a run with the table would treat otherwise, in the JSON."""
    found = []
    kinds = {distribution(entry.shape) for entry in entries if entry.names_some}
    if _ANY in kinds:
        found.append(
            "what was measured with several ranks on each of several nodes counts for any number of them: Open MPI "
            "does not tell these apart"
        )
    if _ONE_PER_NODE in kinds:
        found.append("what was measured with 1 rank on each node counts for nothing else: in a run also for 2")
    return found


def on_sizes_and_nodes(entries: list[Rules]) -> list[str]:
    """Lines about calls and communicators that Open MPI carries out otherwise than the rules say."""
    found = []
    if any(entry.shape.collective in {"allgather", "allgatherv"} and len(entry.rules) > 1 for entry in entries):
        found.append(
            "Open MPI takes the size of allgather and allgatherv from the send arguments, also with MPI_IN_PLACE, "
            "which ignores them: a program that passes 0 there gets the rule of 0 bytes, and one that does not pass "
            "the same on all ranks may hang"
        )
    if any(entry.shape.nodes > 1 and entry.shape.ranks_per_node > 1 for entry in entries):
        found.append(
            "Open MPI 5 leaves communicators of several nodes with several ranks each to its component han, which "
            "these rules are not for: they count with --mca coll_han_priority 0"
        )
    return found


def as_json(entries: list[Rules], left_out: list[str]) -> str:
    """The JSON of Open MPI 6, where what has no rule is left to Open MPI. Adds what it cannot express to `left_out`."""
    collectives = {
        collective: _for_communicators(of_it, left_out) for collective, of_it in _by_collective(entries).items()
    }
    return json.dumps({"rule_file_version": 3, "module": "tuned", "collectives": collectives}, indent=2) + "\n"
