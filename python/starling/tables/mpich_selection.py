"""MPICH's selection file (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE): a tree of conditions with algorithms as leaves.

MPICH ends a job that comes to a place where the file has nothing. So a file is the tree that the library itself has
built in, as text, with the rules put in front of it: what they do not cover stays as it was.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

from starling.messages import listed, printable
from starling.tables.expressed import Dialect, Named, Rule, Rules, in_totals, to_all_sizes, with_own_choice_outside
from starling.tables.table import Table, TableError

_TOTAL = {"allgather", "allgatherv", "reduce_scatter", "reduce_scatter_block"}
"""Where MPICH tells only sizes of all blocks together apart."""
_PER_BLOCK = {"alltoall"}
_VECTORS = {"allreduce", "bcast", "reduce"}
_RADIX: dict[str, tuple[str, ...]] = {
    "k_brucks": (),
    "k_dissemination": (),
    "k_reduce_scatter_allgather": ("single_phase_recv=0",),
    "recexch": ("single_phase_recv=0",),
    "recexch_doubling": ("single_phase_recv=0",),
    "recexch_halving": ("single_phase_recv=0",),
    "recursive_multiplying": (),
}
"""Algorithms with a radix, which MPICH calls k, and what else files say of them, as their variables do by default."""

_TREES: dict[str, dict[str, tuple[str, ...]]] = {
    "allreduce": {
        "tree": (
            "k=2",
            "chunk_size=0",
            "tree_type=knomial_1",
            "buffer_per_child=0",
            "topo_overhead=0",
            "topo_diff_groups=0",
            "topo_diff_switches=0",
            "topo_same_switches=0",
        ),
    },
    "bcast": {
        "tree": (
            "k=2",
            "tree_type=knomial_1",
            "is_non_blocking=1",
            "topo_overhead=0",
            "topo_diff_groups=0",
            "topo_diff_switches=0",
            "topo_same_switches=0",
        ),
        "pipelined_tree": (
            "k=2",
            "chunk_size=8192",
            "tree_type=knomial_1",
            "is_non_blocking=1",
            "recv_pre_posted=0",
        ),
    },
}
"""What files say of trees, as their variables are by default: what they do not say has any value. Since MPICH 5."""
_TREE_KEYS = {"radix": "k", "chunk": "chunk_size"}
"""Parameters of trees, by the names that files have for them."""
_LEAST_CHUNK = 1

_COMMUTATIVE, _BUILT_IN, _MANY, _POWER_OF_TWO, _CONSECUTIVE = (
    "is_commutative=yes",
    "is_op_built_in=yes",
    "count=any",
    "comm_size=pow2",
    "is_node_consecutive=yes",
)
_OTHERWISE = {
    _COMMUTATIVE: "is_commutative=no",
    _BUILT_IN: "is_op_built_in=no",
    _POWER_OF_TWO: "comm_size=any",
    _CONSECUTIVE: "is_node_consecutive=no",
    "comm_hierarchy=parent": "comm_hierarchy=any",
    "is_sendbuf_inplace=no": "is_sendbuf_inplace=yes",
    "is_sendbuf_inplace=yes": "is_sendbuf_inplace=no",
}
_NEEDS: dict[tuple[str, str], tuple[str, ...]] = {
    ("allreduce", "reduce_scatter_allgather"): (_BUILT_IN, _MANY),
    ("allreduce", "smp"): ("comm_hierarchy=parent", _COMMUTATIVE),
    ("allreduce", "ring"): (_COMMUTATIVE,),
    ("allreduce", "tree"): (_COMMUTATIVE,),
    ("allreduce", "recursive_multiplying"): (_COMMUTATIVE,),
    ("allreduce", "k_reduce_scatter_allgather"): (_COMMUTATIVE,),
    ("scan", "smp"): (_CONSECUTIVE,),
    ("reduce", "reduce_scatter_gather"): (_BUILT_IN, _MANY),
    ("reduce", "smp"): ("comm_hierarchy=parent", _COMMUTATIVE),
    ("bcast", "scatter_recursive_doubling_allgather"): (_POWER_OF_TWO,),
    ("bcast", "smp"): ("comm_hierarchy=parent",),
    ("barrier", "smp"): ("comm_hierarchy=parent",),
    ("allgather", "recursive_doubling"): (_POWER_OF_TWO,),
    ("allgatherv", "recursive_doubling"): (_POWER_OF_TWO,),
    ("alltoall", "brucks"): ("is_sendbuf_inplace=no",),
    ("alltoall", "k_brucks"): ("is_sendbuf_inplace=no",),
    ("alltoall", "pairwise"): ("is_sendbuf_inplace=no",),
    ("alltoall", "scattered"): ("is_sendbuf_inplace=no",),
    ("alltoall", "pairwise_sendrecv_replace"): ("is_sendbuf_inplace=yes",),
    ("alltoallv", "scattered"): ("is_sendbuf_inplace=no",),
    ("alltoallv", "pairwise_sendrecv_replace"): ("is_sendbuf_inplace=yes",),
    ("reduce_scatter", "recursive_halving"): (_COMMUTATIVE,),
    ("reduce_scatter", "pairwise"): (_COMMUTATIVE,),
    ("reduce_scatter_block", "recursive_halving"): (_COMMUTATIVE,),
    ("reduce_scatter_block", "pairwise"): (_COMMUTATIVE,),
}
"""Conditions that MPICH does not check for an algorithm that a file names."""
_UNCHECKED = {"noncommutative"}
"""Algorithms that are right only where MPICH's own tree has them."""

_START = b'{"collective='
_LEAF = "algorithm=MPIR_"
_LONGEST = 1 << 18
_VERSION = re.compile(rb"\0([4-9]\.\d+(?:\.\d+)?(?:[a-z]+\d+)?)(?=\0)")
_FLAVOUR = "mpich"
_LEAST_RADIX = 2

Tree = dict[str, Any]


class Library:
    """An MPICH library: the tree of selections that is built into it, and the names of its algorithms.

    `version` is empty where it cannot be found.
    """

    def __init__(self, file: Path) -> None:
        """Raises TableError for a file that is no MPICH with such a tree."""
        try:
            self._bytes = file.read_bytes()
        except OSError as error:
            raise TableError(f"{printable(file)}: {error.strerror}") from error
        self.file = file
        match = _VERSION.search(self._bytes)
        self.version = match[1].decode() if match else ""
        self.tree = self._found()
        if not self.tree:
            raise TableError(
                f"{printable(file)}: it is no MPICH library of version 4 or later, which reads selection files"
            )

    @property
    def names_trees(self) -> bool:
        """Whether its selection files have the kinds of trees by name."""
        return all(b"\0" + word + b"\0" in self._bytes for word in (b"tree_type=", b"knomial_1", b"topo_overhead="))

    def __str__(self) -> str:
        """For people: its name, version and file."""
        return f"MPICH {self.version or 'of unknown version'}, {printable(self.file)}"

    def _found(self) -> Tree:
        """The largest tree whose leaves are algorithms of any device."""
        best: Tree = {}
        at = self._bytes.find(_START)
        while at >= 0:
            end = self._bytes.find(b"\0", at, at + _LONGEST)
            text = self._bytes[at:end].decode("ascii", "replace")
            if end > at and _LEAF in text:
                try:
                    tree = json.loads(text)
                except ValueError:
                    tree = {}
                if isinstance(tree, dict) and len(tree) > len(best):
                    best = tree
            at = self._bytes.find(_START, at + 1)
        return best

    def algorithm(self, collective: str, name: str) -> str | None:
        """The name of an algorithm in a selection file; None if the library has no such algorithm."""
        for kind in ("intra", "allcomm"):
            whole = f"MPIR_{collective.capitalize()}_{kind}_{name}"
            if b"\0" + whole.encode() + b"\0" in self._bytes:
                return whole
        return None


def _beside_the_launcher() -> Path | None:
    launcher = shutil.which("mpiexec")
    if launcher is None:
        return None
    prefix = Path(launcher).resolve().parents[1]
    patterns = (
        "lib/libmpi.so.12",
        "lib64/libmpi.so.12",
        "lib/libmpich.so.12",
        "lib/*-linux-gnu/libmpich.so.12",
    )
    return next((found for pattern in patterns for found in prefix.glob(pattern)), None)


def library_for(table: Table, named: Path | None) -> tuple[Library, list[str]]:
    """The MPICH library to make a file for, and what to tell of it: the one named, else that of `mpiexec` on PATH.

    Raises TableError, also where the one on PATH is not of the table's version: the file would end jobs of the other.
    """
    file = named or _beside_the_launcher()
    how = "name the library that will read the file, as in --library /usr/lib/libmpich.so.12"
    if file is None:
        raise TableError(f"mpich-json is made from what the MPICH that will read it does by itself: {how}")
    library = Library(file)
    told = [f"made for {library}: a job of another MPICH may end when it reads the file"]
    if table.mpi_flavour == _FLAVOUR and table.mpi_version != library.version:
        made = f"the table was made with MPICH {printable(table.mpi_version)}"
        if named is None:
            raise TableError(f"{made}, and the library of mpiexec on PATH is {library}: {how}")
        told.append(f"{made}: what was the fastest there may not be so here")
    return library, told


def dialect(library: Library) -> Dialect:
    """What a selection file for a library can name."""

    def refuses(collective: str, algorithm: Named) -> str:
        if library.algorithm(collective, algorithm.name) is None or f"collective={collective}" not in library.tree:
            return f"this MPICH has no algorithm {algorithm.name} for {collective}"
        if algorithm.name in _UNCHECKED:
            return f"{algorithm.name} is right only where MPICH itself chooses it"
        tree = _TREES.get(collective, {}).get(algorithm.name)
        if tree and not library.names_trees:
            return f"{algorithm.name} is not set by selection files of this MPICH"
        for parameter, value in algorithm.parameters:
            if tree and any(said.startswith(f"{_TREE_KEYS.get(parameter)}=") for said in tree):
                if int(value) < (_LEAST_RADIX if parameter == "radix" else _LEAST_CHUNK):
                    return f"{algorithm.name} has no {parameter} {value}"
                continue
            if parameter != "radix" or algorithm.name not in _RADIX:
                return f"{parameter} of {algorithm.name} is not set by selection files made here"
            if int(value) < _LEAST_RADIX:
                return f"{algorithm.name} has no radix {value}"
        return ""

    return Dialect("MPICH", _FLAVOUR, "mpich", refuses)


def _leaf(library: Library, collective: str, algorithm: Named) -> Tree:
    if tree := _TREES.get(collective, {}).get(algorithm.name):
        values = {_TREE_KEYS[name]: value for name, value in algorithm.parameters}
        said = [f"{key}={values.get(key, usual)}" for key, _, usual in (one.partition("=") for one in tree)]
    else:
        radix = [f"k={value}" for name, value in algorithm.parameters if name == "radix"]
        said = [*radix, *_RADIX.get(algorithm.name, ())] if radix else []
    return {f"algorithm={library.algorithm(collective, algorithm.name)}": {one: {} for one in said}}


def _guarded(collective: str, algorithm: Named, leaf: Tree, otherwise: Tree) -> Tree:
    """The algorithm where its needs are met, else what the library has."""
    tree = leaf
    for need in reversed(_NEEDS.get((collective, algorithm.name), ())):
        tree = {"count<pow2": otherwise, need: tree} if need == _MANY else {need: tree, _OTHERWISE[need]: otherwise}
    return tree


def _of_sizes(library: Library, entry: Rules, otherwise: Tree, left_out: list[str]) -> Tree:
    collective = entry.shape.collective

    def chosen(rule: Rule) -> Tree:
        if rule.algorithm is None:
            return otherwise
        return _guarded(collective, rule.algorithm, _leaf(library, collective, rule.algorithm), otherwise)

    if collective in _TOTAL:
        key = "total_msg_size"
    elif collective in _PER_BLOCK or collective in _VECTORS:
        key = "avg_msg_size"
    else:
        if len(entry.rules) > 1:
            left_out.append(
                f"{entry.shape}: {entry.rules[-1].algorithm or 'its own choice'} for all sizes, "
                f"for MPICH does not tell sizes apart here"
            )
        return chosen(entry.rules[-1])
    if len(entry.rules) == 1:
        return chosen(entry.rules[0])
    return {f"{key}=any" if rule.below is None else f"{key}<={rule.below - 1}": chosen(rule) for rule in entry.rules}


def _parts(entry: Rules, left_out: list[str]) -> list[Rules]:
    """The entry by what MPICH means by the size of a message, in parts of its numbers of ranks."""
    collective = entry.shape.collective
    if collective in _TOTAL:
        return in_totals(with_own_choice_outside(entry))
    return [with_own_choice_outside(entry) if collective in _PER_BLOCK | _VECTORS else to_all_sizes(entry, left_out)]


def as_json(entries: list[Rules], library: Library, left_out: list[str]) -> str:
    """A whole selection file. Adds what it cannot express to `left_out`."""
    tree: Tree = json.loads(json.dumps(library.tree))
    for collective in sorted({entry.shape.collective for entry in entries}):
        own = tree[f"collective={collective}"]
        by_communicator = own if "comm_type=intra" in own else {"comm_type=intra": own, "comm_type=inter": own}
        otherwise = by_communicator["comm_type=intra"]
        by_ranks: Tree = {}
        below = 1
        for entry in (part for one in entries if one.shape.collective == collective for part in _parts(one, left_out)):
            if entry.least > below:
                by_ranks[f"comm_size<={entry.least - 1}"] = otherwise
            by_ranks[f"comm_size<={entry.most}"] = _of_sizes(library, entry, otherwise, left_out)
            below = entry.most + 1
        by_ranks["comm_size=any"] = otherwise
        tree[f"collective={collective}"] = {**by_communicator, "comm_type=intra": by_ranks}
    return json.dumps(tree, indent=1) + "\n"


def without_device(entries: list[Rules]) -> list[str]:
    """A line about collectives for which MPICH's device has algorithms of its own, which the file does not name."""
    names = listed(sorted({entry.shape.collective for entry in entries}))
    what = "what the table leaves to MPICH is not chosen from its device's own algorithms, which are off"
    return [f"{what} for {names}: on one node small calls may take longer"] if names else []


def variables(entries: list[Rules], file: str) -> list[tuple[str, str]]:
    """The environment in which MPICH reads the file, and asks it also where its device has algorithms of its own."""
    collectives = sorted({entry.shape.collective for entry in entries})
    return [
        ("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", str(Path(file).absolute())),
        *((f"MPIR_CVAR_{one.upper()}_DEVICE_COLLECTIVE", "0") for one in collectives),
    ]
