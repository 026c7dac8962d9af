"""`starling export`: what a tuning table says in the words of MPI libraries, and what it says that they cannot."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from starling.algorithms import repository
from starling.commands.cli import app
from starling.tables import exporting, intel_rules, mpich_variables, openmpi_rules, ucc_rules
from starling.tables.expressed import Named, Rule, express, translations
from starling.tables.formats import Format
from starling.tables.table import Table
from support.tables import choice, data, points, table

_STARLING = (sys.executable, "-m", "starling")
ALGORITHMS: list[dict[str, Any]] = repository.listing()["algorithms"]
FORMATS_WITHOUT_A_LIBRARY = [one for one in Format if one is not Format.MPICH_JSON]


def exported(of: Table, to: Format) -> exporting.Exported:
    return exporting.export(of, to, file="FILE")


def numbers(text: str) -> list[list[int]]:
    """The lines of the text format without their comments."""
    return [[int(word) for word in line.partition("#")[0].split()] for line in text.splitlines()]


def test_rules_count_up_to_where_another_entry_is_nearer_and_have_the_sizes_of_the_table() -> None:
    of = table(
        choice("bcast", 4, (8, 100, "native_chain?segment=8192,fanout=2"), (100, None, "native")),
        choice("bcast", 16, (0, 64, "native_binomial"), (512, 1024, "native_binomial")),
        choice("bcast", 17, (0, None, "native")),
    )
    found = express(of, openmpi_rules.DIALECT, ALGORITHMS)
    assert found.left_out == []
    assert [(one.shape.ranks, one.least, one.most) for one in found.entries] == [(4, 2, 8), (16, 9, 16)]
    chain, none = found.entries[0].rules
    assert (chain.from_, chain.below, str(chain.algorithm)) == (8, 100, "chain?segment=8192,fanout=2")
    assert none == Rule(100, None, None)
    assert [(one.from_, one.below, one.algorithm and one.algorithm.name) for one in found.entries[1].rules] == [
        (0, 64, "binomial"),
        (64, 512, None),
        (512, 1024, "binomial"),
    ], "a gap is the library's"


def test_what_the_table_has_nothing_for_is_left_to_the_library() -> None:
    of = table(
        choice("bcast", 4, (8, 100, "native_binomial")),
        choice("allgather", 4, (64, 256, "native_ring"), (256, 1024, "native_bruck")),
    )
    found = numbers(exported(of, Format.OPENMPI_RULES).text)
    assert [line for line in found if len(line) == 4][-5:-1] == [*([0] * 4,) * 2, [8, 6, 0, 0], [100, 0, 0, 0]]
    of_ranks = [line for line in found[:26] if len(line) == 4]
    assert of_ranks[1:5] == [[0] * 4, [64 * 2, 4, 0, 0], [256 * 2, 2, 0, 0], [1024 * 2, 0, 0, 0]], "on 2 ranks"
    told = exported(table(choice("bcast", 4, (8, 100, "native_binomial")), flavour="mpich"), Format.MPICH_ENV).left_out
    assert (
        "bcast on 4 ranks, 1 node: its first and last algorithm count for sizes that the table does not have, too"
        in told
    )


def test_one_algorithm_for_all_sizes_is_told_where_the_table_has_fewer() -> None:
    of = table(choice("gather", 4, (64, 256, "native_binomial")))
    (line,) = exported(of, Format.OPENMPI_RULES).left_out
    assert line.endswith("count for sizes that the table does not have, too")


def test_numbers_of_ranks_have_their_own_sizes_of_all_blocks_together() -> None:
    of = table(choice("alltoall", 64, (0, 100, "native_modified_bruck"), (100, None, "native_pairwise")))
    found = numbers(exported(of, Format.OPENMPI_RULES).text)
    edges = {found[i][0]: found[i + 3][0] for i in range(3, len(found) - 3) if found[i + 1] == [2]}
    assert {32, 35, 38, 41} < set(edges)
    assert len(edges) < 30
    assert max(edges) * 17 // 16 >= 128
    assert all(100 * ranks <= edge < 107 * ranks for ranks, edge in edges.items())


def test_the_only_number_of_ranks_asked_for_counts_where_it_is_the_nearest() -> None:
    of = table(choice("bcast", 4, (0, None, "native_binomial")), choice("bcast", 8, (0, None, "native_chain")))
    (entry,) = express(of, openmpi_rules.DIALECT, ALGORITHMS, ranks=4).entries
    assert (entry.least, entry.most) == (2, 5)


def test_open_mpi_is_told_what_it_does_otherwise_than_the_rules_say() -> None:
    sizes = ((0, 100, "native_bruck"), (100, None, "native_ring"))
    flat = exported(table(choice("allgather", 4, *sizes)), Format.OPENMPI_RULES).notes
    assert any("MPI_IN_PLACE" in line for line in flat)
    assert not any("coll_han_priority" in line for line in flat)
    nodes = exported(table(choice("allgather", 4, (0, None, "native_ring"), nodes=2)), Format.OPENMPI_RULES).notes
    assert not any("MPI_IN_PLACE" in line for line in nodes)
    assert any("coll_han_priority 0" in line for line in nodes)


def test_our_algorithms_have_the_names_of_their_counterparts() -> None:
    of = table(
        choice(
            "allgather", 8, (0, 10, "ring"), (10, 20, "bruck"), (20, 30, "bruck?k=4"), (30, None, "ring_light_barrier")
        ),
        choice("bcast", 8, (0, 10, "binomial"), (10, 20, "binomial?segment=8192"), (20, None, "chain?segment=8192")),
    )
    found = express(of, openmpi_rules.DIALECT, ALGORITHMS)
    assert [str(rule.algorithm) for rule in found.entries[0].rules] == ["ring", "bruck", "None"]
    assert [str(rule.algorithm) for rule in found.entries[1].rules] == ["binomial", "None", "pipeline?segment=8192"]
    assert found.left_out == [
        "allgather on 8 ranks, 1 node, 20 to 29 bytes: bruck?k=4 is left out: Open MPI has no such algorithm; native "
        "instead, nothing else was measured there",
        "allgather on 8 ranks, 1 node, 30 bytes and more: ring_light_barrier is left out: Open MPI has no such "
        "algorithm; native instead, nothing else was measured there",
        "bcast on 8 ranks, 1 node, 10 to 19 bytes: binomial?segment=8192 is left out: Open MPI has no such algorithm; "
        "native instead, nothing else was measured there",
    ]


def test_where_a_way_has_no_name_the_fastest_measured_one_that_has_is_taken() -> None:
    seconds = {
        "rab2": {64: 1e-5, 128: 1e-5, 256: 1e-5},
        "native": {64: 4e-5, 128: 4e-5, 256: 1e-6},
        "native_ring": {64: 2e-5, 128: 2e-5, 256: 9e-5},
        "native_rabenseifner": {64: 1e-6, 256: 1e-6},
    }
    of = table(choice("allreduce", 4, (64, 256, "rab2")), measured=points("allreduce", 4, seconds))
    found = express(of, openmpi_rules.DIALECT, ALGORITHMS)
    assert [str(rule.algorithm) for rule in found.entries[0].rules] == ["ring"]
    assert found.left_out == [
        "allreduce on 4 ranks, 1 node, 64 to 255 bytes: rab2 is left out: Open MPI has no such algorithm; native_ring "
        "instead, 2.00 times as long"
    ]


def test_of_entries_that_differ_in_nodes_the_fullest_counts() -> None:
    of = table(
        choice("bcast", 8, (0, None, "native_binomial"), nodes=8),
        choice("bcast", 8, (0, None, "native_knomial"), nodes=2),
    )
    found = express(of, openmpi_rules.DIALECT, ALGORITHMS)
    assert [str(one.rules[0].algorithm) for one in found.entries] == ["knomial"]
    assert found.left_out == [
        "bcast on 8 ranks, 8 nodes of 1: left out, the format does not tell nodes apart; bcast on 8 ranks, 2 nodes of "
        "4 counts instead"
    ]


def test_open_mpis_text_has_its_numbers_and_its_message_sizes() -> None:
    of = table(
        choice("alltoall", 4, (0, 100, "native_modified_bruck"), (100, None, "native_pairwise")),
        choice("allreduce", 4, (0, 100, "native"), (100, None, "native_segmented_ring?segment=65536")),
        choice("bcast", 4, (0, None, "native_chain?segment=8192")),
        choice("barrier", 4, (0, None, "native_tree")),
        choice("reduce_scatter", 4, (0, 100, "native_ring"), (100, None, "native_butterfly")),
        choice("reduce", 4, (0, None, "native_in_order_binary")),
    )
    found = exported(of, Format.OPENMPI_RULES)
    none = [[1], [0, 0, 0, 0]]

    def in_totals(below: int, above: int) -> list[list[int]]:
        of_ranks = ([[ranks], [2], [0, below, 0, 0], [100 * ranks, above, 0, 0]] for ranks in range(2, 9))
        return [line for lines in of_ranks for line in lines]

    assert numbers(found.text) == [
        [6],
        *([2], [3], [0], *none, [2], [2], [0, 0, 0, 0], [100, 5, 0, 65536], [9], *none),
        *([3], [9], [0], *none, *in_totals(3, 2), [9], *none),
        *([6], [3], [0], *none, [2], [1], [0, 6, 0, 0], [9], *none),
        *([7], [3], [0], *none, [2], [1], [0, 2, 4, 8192], [9], *none),
        *([11], [3], [0], *none, [2], [1], [0, 6, 0, 0], [9], *none),
        *([12], [9], [0], *none, *in_totals(3, 4), [9], *none),
    ]
    assert found.left_out == []
    assert any("commute" in line for line in found.use)


def test_open_mpi_gets_one_rule_where_its_ranks_would_not_agree_on_the_size() -> None:
    of = table(
        choice("gather", 4, (0, 100, "native_binomial"), (100, None, "native_linear_sync")),
        choice("scan", 4, (0, 100, "native_linear"), (100, None, "native_recursive_doubling")),
    )
    found = exported(of, Format.OPENMPI_RULES)
    assert [0, 3, 0, 0] in numbers(found.text)
    assert not any(line[0] != 0 for line in numbers(found.text) if len(line) == 4)
    assert [line.partition(":")[0] for line in found.left_out] == [
        "gather on 4 ranks, 1 node, 0 to 99 bytes",
        "scan on 4 ranks, 1 node, 0 to 99 bytes",
    ]
    assert "not all ranks must pass" in found.left_out[0]


@pytest.mark.parametrize("way", ["native_two_proc", "native_sparbit", "native_han", "native_knomial?radix=8"])
def test_what_would_end_the_job_or_cannot_be_set_is_left_out(way: str) -> None:
    of = table(choice("bcast" if "knomial" in way else "allgather", 4, (0, None, way)))
    found = exported(of, Format.OPENMPI_RULES)
    assert numbers(found.text) == [[0]]
    assert len(found.left_out) == 2
    assert f"{way} is left out: " in found.left_out[0]


@pytest.mark.parametrize("value", ["abc", "1\n9 9 9", "-1", "1.5", "\u0661", "9" * 5000])
@pytest.mark.parametrize("way", ["native_chain", "chain"])
def test_a_value_that_is_no_number_is_left_out_and_never_written(way: str, value: str) -> None:
    of = table(choice("bcast", 4, (0, 100, "native_binomial"), (100, None, f"{way}?segment={value}")))
    for to in (Format.OPENMPI_RULES, Format.OPENMPI_JSON):
        found = exported(of, to)
        assert len(found.left_out) == 1
        assert "is left out: segment must be a number" in found.left_out[0]
    found = exported(of, Format.OPENMPI_RULES)
    assert [line for line in numbers(found.text) if len(line) == 4] == [[0] * 4, [0, 6, 0, 0], [100, 0, 0, 0], [0] * 4]


def test_open_mpis_json_has_the_documented_form() -> None:
    of = table(
        choice("alltoall", 4, (0, 100, "native_modified_bruck"), (100, 200, "native"), (200, None, "native_pairwise")),
        choice("bcast", 4, (0, 100, "native_chain?segment=8192"), (100, None, "native_binomial?segment=none")),
    )
    assert json.loads(exported(of, Format.OPENMPI_JSON).text) == {
        "rule_file_version": 3,
        "module": "tuned",
        "collectives": {
            "alltoall": [
                {
                    "comm_size_min": ranks,
                    "comm_size_max": ranks,
                    "comm_rank_distribution": "single-node",
                    "rules": [
                        {"msg_size_min": 0, "msg_size_max": 100 * ranks - 1, "alg": 3},
                        {"msg_size_min": 200 * ranks, "msg_size_max": "inf", "alg": 2},
                    ],
                }
                for ranks in range(2, 9)
            ],
            "bcast": [
                {
                    "comm_size_min": 2,
                    "comm_size_max": 8,
                    "comm_rank_distribution": "single-node",
                    "rules": [
                        {"msg_size_min": 0, "msg_size_max": 99, "alg": 2, "faninout": 4, "seg_size": 8192},
                        {"msg_size_min": 100, "msg_size_max": "inf", "alg": 6},
                    ],
                }
            ],
        },
    }


def chosen_by_json(text: str, collective: str, ranks: int, fullest: int) -> int:
    """What Open MPI 6 does with a communicator, `fullest` ranks on its fullest node: 0 is its own choice."""
    for one in json.loads(text)["collectives"][collective]:
        needed = {"single-node": fullest == ranks, "one-per-node": fullest == 1, "any": True}
        if not needed[one["comm_rank_distribution"]]:
            continue
        if one.get("comm_size_min", 0) <= ranks <= one.get("comm_size_max", ranks):
            return next((int(rule["alg"]) for rule in one["rules"]), 0)
    return 0


CHAIN, PIPELINE, BINOMIAL, NO_RULE = 2, 3, 6, 0
HAN = (
    "Open MPI 5 leaves communicators of several nodes with several ranks each to its component han, which these rules "
    "are not for: they count with --mca coll_han_priority 0"
)


def test_open_mpis_json_tells_one_node_and_one_rank_a_node_apart() -> None:
    of = table(
        choice("bcast", 4, (0, None, "native_chain")),
        choice("bcast", 8, (0, None, "native_pipeline"), nodes=8),
        choice("bcast", 32, (0, None, "native"), nodes=32),
        choice("bcast", 16, (0, None, "native_binomial"), nodes=8),
        choice("bcast", 64, (0, None, "native_binomial"), nodes=8),
    )
    found = exported(of, Format.OPENMPI_JSON)
    expected = {
        (4, 4): CHAIN,
        (16, 16): NO_RULE,
        (8, 1): PIPELINE,
        (32, 1): NO_RULE,
        (16, 2): BINOMIAL,
        (64, 8): BINOMIAL,
        (64, 1): NO_RULE,
        (100, 1): NO_RULE,
        (4, 2): NO_RULE,
    }
    assert {shape: chosen_by_json(found.text, "bcast", *shape) for shape in expected} == expected
    assert found.left_out == []
    assert found.notes == [
        "what was measured with several ranks on each of several nodes counts for any number of them: Open MPI does "
        "not tell these apart",
        "what was measured with 1 rank on each node counts for nothing else: in a run also for 2",
        HAN,
    ]


def test_open_mpis_json_uses_entries_of_two_ranks_a_node_for_one_as_a_run_does() -> None:
    near = exported(table(choice("bcast", 16, (0, None, "native_chain"), nodes=8)), Format.OPENMPI_JSON)
    assert [chosen_by_json(near.text, "bcast", 16, fullest) for fullest in (1, 2, 16)] == [CHAIN, CHAIN, NO_RULE]
    far = exported(table(choice("bcast", 16, (0, None, "native_chain"), nodes=4)), Format.OPENMPI_JSON)
    assert [chosen_by_json(far.text, "bcast", 16, fullest) for fullest in (1, 4, 16)] == [NO_RULE, CHAIN, NO_RULE]


def test_open_mpis_json_says_which_of_several_numbers_of_ranks_on_a_node_counts() -> None:
    of = table(
        choice("bcast", 16, (0, None, "native_binomial"), nodes=8),
        choice("bcast", 16, (0, None, "native_chain"), nodes=4),
    )
    found = exported(of, Format.OPENMPI_JSON)
    assert chosen_by_json(found.text, "bcast", 16, 4) == CHAIN
    assert found.left_out == [
        "bcast on 16 ranks, 8 nodes of 2: left out, the format does not tell numbers of ranks on a node apart; bcast "
        "on 16 ranks, 4 nodes of 4 counts instead"
    ]


@pytest.mark.parametrize("to", [Format.OPENMPI_RULES, Format.UCC])
def test_formats_without_nodes_say_which_other_communicators_get_an_entry(to: Format) -> None:
    of = table(
        choice("allreduce", 4, (0, None, "recursive_doubling")),
        choice("allreduce", 16, (0, None, "ring"), nodes=4),
        choice("allgather", 16, (0, None, "ring"), nodes=4),
        choice("alltoall", 4, (0, None, "ring")),
    )
    assert exported(of, to).notes == [
        "allreduce on 4 ranks, 1 node: counts for 2 to 8 ranks on several nodes, too: the export does not tell nodes "
        "apart",
        "allreduce on 16 ranks, 4 nodes of 4: counts for 9 to 32 ranks on 1 node, too: the export does not tell nodes "
        "apart",
        "what was measured on 1 node counts for several, too: the export does not tell nodes apart",
        "what was measured on several nodes counts for 1, too, and for any number of ranks on a node: the export does "
        "not tell nodes apart",
        *([HAN] if to is Format.OPENMPI_RULES else []),
    ]


@pytest.mark.parametrize(("to", "flavour"), [(Format.MPICH_ENV, "mpich"), (Format.IMPI_ENV, "intel")])
def test_formats_of_one_entry_say_on_which_other_nodes_that_counts(to: Format, flavour: str) -> None:
    of = table(
        choice("allreduce", 4, (0, None, "recursive_doubling")),
        choice("allreduce", 16, (0, None, "recursive_doubling"), nodes=4),
        flavour=flavour,
    )
    found = exported(of, to)
    assert found.notes == [
        "what was measured on several nodes counts for 1, too, and for any number of ranks on a node: the export does "
        "not tell nodes apart"
    ]
    assert any(line.startswith("allreduce on 4 ranks, 1 node: left out, ") for line in found.left_out)


def test_intels_environment_has_the_documented_form() -> None:
    of = table(
        choice("allreduce", 4, (8, 100, "recursive_doubling"), (100, 200, "native"), (200, None, "ring")),
        choice("allreduce", 2, (0, None, "rabenseifner")),
        choice("reduce_scatter", 4, (0, 100, "recursive_halving"), (100, None, "pairwise")),
        choice("alltoall", 4, (1, 100, "bruck"), (100, None, "native")),
        flavour="intel",
    )
    found = exported(of, Format.IMPI_ENV)
    assert found.text.splitlines() == [
        'export I_MPI_ADJUST_ALLREDUCE="1:0-99;0:100-199;8:200-2147483647"',
        'export I_MPI_ADJUST_ALLTOALL="1:0-99;0:100-2147483647"',
        'export I_MPI_ADJUST_REDUCE_SCATTER="1:0-399;2:400-2147483647"',
    ]
    assert found.left_out == [
        "allreduce on 2 ranks, 1 node: left out, the format does not tell numbers of ranks apart; allreduce on 4 "
        "ranks, 1 node counts instead",
        "allreduce on 4 ranks, 1 node: its first and last algorithm count for sizes that the table does not have, too",
        "allreduce on 4 ranks, 1 node, 100 to 199 bytes: Intel MPI's basic choice, not its tuned one",
        "alltoall on 4 ranks, 1 node, 100 bytes and more: Intel MPI's basic choice, not its tuned one",
    ]


def test_intels_own_algorithms_are_exported_by_their_numbers() -> None:
    of = table(
        choice("allreduce", 4, (0, 100, "native_adjust_3"), (100, None, "native_adjust_24")),
        choice("gather", 4, (0, 512, "native_adjust_2"), (512, None, "ring")),
        flavour="intel",
        measured=points("gather", 4, {"ring": {512: 1.0}, "native_adjust_3": {512: 1.25}, "native": {512: 2.0}}),
    )
    found = exported(of, Format.IMPI_ENV)
    assert found.text.splitlines() == [
        'export I_MPI_ADJUST_ALLREDUCE="3:0-99;24:100-2147483647"',
        'export I_MPI_ADJUST_GATHER="2:0-511;3:512-2147483647"',
    ]
    assert found.left_out == [
        "gather on 4 ranks, 1 node, 512 bytes and more: ring is left out: Intel MPI has no such algorithm; "
        "native_adjust_3 instead, 1.25 times as long"
    ]
    elsewhere = exported(of, Format.MPICH_ENV)
    assert "native_adjust_3 is left out: it is an algorithm of intel" in elsewhere.left_out[0]


def test_uccs_tune_string_has_the_documented_form() -> None:
    of = table(
        choice("allreduce", 4, (8, 100, "recursive_doubling"), (100, 200, "native"), (200, None, "ring")),
        choice("allgather", 4, (0, 100, "bruck"), (100, None, "ring")),
    )
    found = exported(of, Format.UCC)
    allgather = "#".join(
        f"allgather:0-{100 * ranks}:host:[{ranks}-{ranks}]:inf:@bruck#"
        f"allgather:{100 * ranks}-inf:host:[{ranks}-{ranks}]:inf:@ring"
        for ranks in range(2, 9)
    )
    allreduce = "allreduce:8-100:host:[2-8]:inf:@knomial#allreduce:200-inf:host:[2-8]:inf:@ring"
    assert found.text == f'export UCC_TL_UCP_TUNE="{allgather}#{allreduce}"\n'


def assignments(of: Table) -> tuple[dict[str, str], list[str]]:
    found = exported(of, Format.MPICH_ENV)
    lines = [line.removeprefix("export ") for line in found.text.splitlines() if not line.startswith("#")]
    return dict(line.split("=") for line in lines), found.left_out


SIZES = [2**power for power in range(21)]
ZHENG = {
    "native_brucks": {size: 1e-5 + size * 9e-9 for size in SIZES},
    "native_scattered": {size: 3e-5 + size * 6e-9 for size in SIZES},
    "native_pairwise": {size: 2.3e-5 + size * 2.6e-9 for size in SIZES},
    "native": {size: 3.1e-5 + size * 6e-9 for size in SIZES},
}
"""Times of alltoall as in figure 2(c) of the paper: in the middle, too, one of the others is faster."""


def test_thresholds_are_chosen_together_so_that_an_algorithm_can_be_left_out() -> None:
    of = table(
        choice("alltoall", 64, (1, 2031, "native_brucks"), (2031, None, "native_pairwise")),
        flavour="mpich",
        measured=points("alltoall", 64, ZHENG),
    )
    values, left_out = assignments(of)
    assert values == {
        "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM": "pairwise",
        "MPIR_CVAR_ALLTOALL_DEVICE_COLLECTIVE": "0",
        **{f"{prefix}_ALLTOALL_SHORT_MSG_SIZE": "2030" for prefix in ("MPICH", "MPIR_CVAR")},
        **{f"{prefix}_ALLTOALL_MEDIUM_MSG_SIZE": "2030" for prefix in ("MPICH", "MPIR_CVAR")},
    }
    assert left_out == [
        "alltoall on 64 ranks, 64 nodes of 1, 0 to 2030 bytes: pairwise by the variable of MPICH 4, not brucks".replace(
            "64 nodes of 1", "1 node"
        )
    ]


@pytest.mark.parametrize(
    ("collective", "ranks", "intervals", "thresholds"),
    [
        (
            "allreduce",
            8,
            [(1, 500, "recursive_doubling"), (500, None, "reduce_scatter_allgather")],
            {"ALLREDUCE_SHORT": 499},
        ),
        (
            "allgather",
            8,
            [(1, 500, "recursive_doubling"), (500, None, "ring")],
            {"ALLGATHER_LONG": 4000, "ALLGATHER_SHORT": 4000},
        ),
        (
            "allgather",
            8,
            [(1, 50000, "recursive_doubling"), (50000, None, "ring")],
            {"ALLGATHER_LONG": 400000, "ALLGATHER_SHORT": 81920},
        ),
        ("alltoall", 4, [(1, 500, "scattered"), (500, None, "pairwise")], {"ALLTOALL_MEDIUM": 499}),
        ("allgather", 6, [(1, 500, "brucks"), (500, None, "ring")], {"ALLGATHER_SHORT": 3000}),
        ("reduce", 8, [(1, 500, "binomial"), (500, None, "reduce_scatter_gather")], {"REDUCE_SHORT": 499}),
        (
            "reduce_scatter",
            8,
            [(1, 500, "recursive_halving"), (500, None, "pairwise")],
            {"REDSCAT_COMMUTATIVE_LONG": 4000},
        ),
        (
            "bcast",
            16,
            [(1, 500, "binomial"), (500, None, "scatter_ring_allgather")],
            {"BCAST_SHORT": 500, "BCAST_LONG": 500},
        ),
        ("bcast", 12, [(1, 500, "binomial"), (500, None, "scatter_ring_allgather")], {"BCAST_SHORT": 500}),
        ("reduce", 8, [(1, None, "reduce_scatter_gather")], {"REDUCE_SHORT": 0}),
        ("alltoall", 8, [(1, None, "brucks")], {"ALLTOALL_SHORT": 2147483647, "ALLTOALL_MEDIUM": 2147483647}),
    ],
)
def test_each_threshold_of_mpich_3_has_its_size_and_both_names(
    collective: str, ranks: int, intervals: list[tuple[int, int | None, str]], thresholds: dict[str, int]
) -> None:
    named = [(from_, below, f"native_{way}") for from_, below, way in intervals]
    values, left_out = assignments(table(choice(collective, ranks, *named), flavour="mpich"))
    sizes = {name: value for name, value in values.items() if name.endswith("_MSG_SIZE")}
    assert sizes == {
        f"{prefix}_{name}_MSG_SIZE": str(value)
        for name, value in thresholds.items()
        for prefix in ("MPICH", "MPIR_CVAR")
    }
    if len(intervals) == 1:
        assert values[f"MPIR_CVAR_{collective.upper()}_INTRA_ALGORITHM"] == intervals[0][2]
        assert left_out == []
    else:
        assert [line.partition(": ")[2] for line in left_out] == [
            "for MPICH 4 and later no variable, no one algorithm is better than the library's choices and slower at no "
            "size"
        ]


def test_a_variable_for_all_sizes_is_not_set_where_native_is_faster_at_one() -> None:
    # brucks is the fastest in the mean, but where large blocks are sent natively is faster.
    seconds = {"native": {64: 4.0, 8192: 3.0}, "native_pairwise": {64: 9.0, 8192: 1.0}, "native_brucks": {64: 1.0}}
    seconds["native_brucks"][8192] = 3.5
    intervals = (0, 4096, "native_brucks"), (4096, None, "native_pairwise")
    of = table(choice("alltoall", 4, *intervals), measured=points("alltoall", 4, seconds), flavour="mpich")
    values, left_out = assignments(of)
    assert "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM" not in values
    assert "for MPICH 4 and later no variable" in left_out[0]
    seconds["native_brucks"][8192] = 3.0
    values, left_out = assignments(
        table(choice("alltoall", 4, *intervals), measured=points("alltoall", 4, seconds), flavour="mpich")
    )
    assert values["MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM"] == "brucks"
    assert "pairwise" in left_out[0]


def test_thresholds_that_act_on_intercommunicators_only_are_not_set_and_said_so() -> None:
    found = exported(table(choice("gather", 8, (0, None, "native_binomial")), flavour="mpich"), Format.MPICH_ENV)
    assert "# MPICH_GATHER_INTER_SHORT_MSG_SIZE acts on intercommunicators only: not set" in found.text.splitlines()
    assert "export MPIR_CVAR_GATHER_INTRA_ALGORITHM=binomial" in found.text.splitlines()


def test_variables_say_one_entry_and_list_what_they_cannot() -> None:
    of = table(
        choice("allreduce", 4, (0, None, "native_recursive_doubling")),
        choice("allreduce", 32, (0, 100, "native_reduce_scatter_allgather"), (100, None, "native_recursive_doubling")),
        flavour="mpich",
    )
    _, left_out = assignments(of)
    assert left_out[0] == (
        "allreduce on 4 ranks, 1 node: left out, the format does not tell numbers of ranks apart; allreduce on 32 "
        "ranks, 1 node counts instead"
    )
    assert "by thresholds of MPICH 3, not " in left_out[-1], "they are the other way round"


def test_every_dialect_says_native_for_native() -> None:
    of = table(choice("allreduce", 4, (0, None, "native")))
    for dialect in (openmpi_rules.DIALECT, mpich_variables.DIALECT, intel_rules.DIALECT, ucc_rules.DIALECT):
        assert translations(of, dialect, ALGORITHMS) == {("allreduce", "native"): None}
        assert express(of, dialect, ALGORITHMS).entries == []


def test_one_number_of_ranks_can_be_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    whole = data(choice("bcast", 4, (0, None, "chain")), choice("bcast", 8, (0, None, "knomial")))
    file.write_text(json.dumps(whole))
    found = invoked(str(file), "--to", "openmpi-rules", "--ranks", "4")
    assert [0, 3, 0, 0] in numbers(found.stdout)
    assert "knomial" not in found.stdout
    missing = invoked(str(file), "--to", "openmpi-rules", "--ranks", "5")
    assert (missing.exit_code, missing.stderr) == (1, "starling: the table has nothing for 5 ranks; it has: 4, 8\n")


def test_what_a_shell_is_told_has_the_files_name_in_quotes_where_it_needs_some(tmp_path: Path) -> None:
    file, name = tmp_path / "table.json", tmp_path / "my rules"
    file.write_text(json.dumps(data(choice("bcast", 4, (0, None, "chain")))))
    told = invoked(str(file), "--to", "openmpi-rules", "-o", str(name)).stderr
    assert f"coll_tuned_dynamic_rules_filename '{name}' ..." in told


@pytest.mark.parametrize("to", FORMATS_WITHOUT_A_LIBRARY)
def test_each_format_is_told_how_to_use(to: Format, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "table.json"
    file.write_text(json.dumps(data(choice("allreduce", 4, (0, None, "rabenseifner")))))
    told = [line for line in invoked(str(file), "--to", to, "-o", "out").stderr.splitlines() if "to use it" in line]
    if "openmpi" in to:
        assert told[0].endswith("coll_tuned_dynamic_rules_filename out ...")
        return
    assert len(told) == 1
    line = told[0].removeprefix("starling: to use it: ")
    assert line.startswith(". ./out && mpi")
    shown = subprocess.run(
        ["sh", "-c", f"{line.partition('&&')[0]} && env"], capture_output=True, text=True, check=True
    ).stdout
    assigned = [one.removeprefix("export ").partition("=")[0] for one in Path("out").read_text().splitlines()]
    assert all(f"\n{name}=" in f"\n{shown}" for name in assigned if not name.startswith("#"))


def test_a_table_of_which_nothing_can_be_said_is_told() -> None:
    found = exported(table(choice("bcast", 4, (0, None, "native_knomial?radix=4"))), Format.UCC)
    assert found.text == ""
    assert found.left_out[-1] == "nothing of the table can be said so: UCC chooses as without it"
    for to in FORMATS_WITHOUT_A_LIBRARY:
        assert exported(table(choice("bcast", 4, (0, None, "native_sm"))), to).use == []


def test_instead_of_a_way_without_a_name_comes_what_was_faster_in_the_same_rounds() -> None:
    # By the medians alone native_ring would be the fastest; it was measured when everything was faster.
    seconds = {"rab2": {64: 2e-5}, "native": {64: 4e-5}, "native_ring": {64: 1e-5}, "native_rabenseifner": {64: 3e-5}}
    ratios = {"rab2": 0.5, "native": 1.0, "native_ring": 3.0, "native_rabenseifner": 0.75}
    measured = [{**one, "of_native": ratios[one["way"]]} for one in points("allreduce", 4, seconds)]
    of = table(choice("allreduce", 4, (64, 256, "rab2")), measured=measured)
    found = express(of, openmpi_rules.DIALECT, ALGORITHMS)
    assert [str(rule.algorithm) for rule in found.entries[0].rules] == ["rabenseifner"]
    assert found.left_out[0].endswith("native_rabenseifner instead, 1.50 times as long")


def test_every_name_of_a_counterpart_is_one_that_open_mpi_has() -> None:
    """What our descriptors call Open MPI's algorithms, this exporter must find, but for those that say why not."""
    for entry in ALGORITHMS:
        for names in entry["counterparts"] if entry["synchronisation"] == "none" else ():
            if "ompi" in names and entry["collective"] in {
                "allgather",
                "allreduce",
                "alltoall",
                "barrier",
                "bcast",
                "reduce",
            }:
                why = openmpi_rules.DIALECT.refuses(entry["collective"], Named(names["ompi"]))
                assert not why or names["ompi"] in {"sparbit", "knomial"}, (entry["collective"], names["ompi"], why)


def invoked(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["export", *arguments])


@pytest.mark.parametrize("to", FORMATS_WITHOUT_A_LIBRARY)
def test_the_command_writes_a_file_or_stdout(to: Format, tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    file.write_text(json.dumps(data(choice("allreduce", 4, (0, 100, "native"), (100, None, "rabenseifner")))))
    shown = invoked(str(file), "--to", to)
    assert shown.exit_code == 0
    assert shown.stdout
    written = tmp_path / "exported"
    assert invoked(str(file), "--to", to, "-o", str(written)).exit_code == 0
    assert written.read_text() == shown.stdout


def test_wrong_use_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    file.write_text('{"schema": "starling-table-1"}')
    for arguments, why in (
        ([str(file), "--to", "openmpi-rules"], f"starling: {file}: it has no machine"),
        ([str(tmp_path / "none"), "--to", "ucc"], f"starling: {tmp_path / 'none'}: No such file or directory; make a"),
    ):
        found = invoked(*arguments)
        assert (found.exit_code, found.stderr.count("\n")) == (1, 1)
        assert found.stderr.startswith(why)
    assert invoked(str(file), "--to", "fortran").exit_code == 2
    missing = invoked(str(file))
    assert (missing.exit_code, missing.stderr) == (
        2,
        "starling: --to is missing: one of openmpi-rules, openmpi-json, mpich-json, mpich-env, impi-env, ucc\n",
    )


def test_mpichs_json_needs_the_library_that_will_read_it(tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    file.write_text(json.dumps(data(choice("allreduce", 4, (0, None, "ring")))))
    other = tmp_path / "libother.so"
    other.write_bytes(b"\x7fELF" + b'{"collective=bcast": nonsense\0' * 3)
    found = invoked(str(file), "--to", "mpich-json", "--library", str(other))
    assert found.exit_code == 1
    assert found.stderr == (
        f"starling: {other}: it is no MPICH library of version 4 or later, which reads selection files\n"
    )
    environ = {**os.environ, "PATH": str(tmp_path)}
    line = [*_STARLING, "export", str(file), "--to", "mpich-json"]
    done = subprocess.run(line, env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "--library" in done.stderr


def mpich(folder: Path, version: str) -> Path:
    """A folder with a launcher, and a file that has what the export reads of an MPICH library."""
    tree: dict[str, Any] = {"collective=bcast": {"comm_type=intra": {"algorithm=MPIR_Bcast_intra_binomial": {}}}}
    parts = (json.dumps(tree).replace(": ", ":"), "MPIR_Bcast_intra_binomial", version, "2.0", "end")
    library = folder / "lib/libmpi.so.12"
    library.parent.mkdir(parents=True)
    library.write_bytes(b"\0".join([b"\x7fELF", *(part.encode() for part in parts), b""]))
    (folder / "bin").mkdir()
    (folder / "bin/mpiexec").write_text("#!/bin/sh\n")
    (folder / "bin/mpiexec").chmod(0o755)
    return library


def test_mpichs_json_names_its_library_and_is_never_for_one_of_another_version_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "table.json"
    whole = data(choice("bcast", 4, (0, None, "native_binomial")), flavour="mpich", version="4.0.2")
    file.write_text(json.dumps(whole))
    same, other = mpich(tmp_path / "same", "4.0.2"), mpich(tmp_path / "other", "5.0.2")

    monkeypatch.setenv("PATH", str(tmp_path / "same/bin"))
    guessed = invoked(str(file), "--to", "mpich-json")
    assert guessed.exit_code == 0
    assert f"made for MPICH 4.0.2, {same}: " in guessed.stderr
    assert "the table was made with" not in guessed.stderr
    assert "what was measured on 1 node counts for several, too" in guessed.stderr

    monkeypatch.setenv("PATH", str(tmp_path / "other/bin"))
    refused = invoked(str(file), "--to", "mpich-json")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr == (
        f"starling: the table was made with MPICH 4.0.2, and the library of mpiexec on PATH is MPICH 5.0.2, {other}: "
        "name the library that will read the file, as in --library /usr/lib/libmpich.so.12\n"
    )

    named = invoked(str(file), "--to", "mpich-json", "--library", str(other))
    assert named.exit_code == 0
    assert f"made for MPICH 5.0.2, {other}: " in named.stderr
    assert "the table was made with MPICH 4.0.2: what was the fastest there may not be so here" in named.stderr


def test_a_library_without_a_version_is_used_only_where_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "table.json"
    whole = data(choice("bcast", 4, (0, None, "native_binomial")), flavour="mpich", version="4.0.2")
    file.write_text(json.dumps(whole))
    library = mpich(tmp_path / "unknown", "a build of ours")
    monkeypatch.setenv("PATH", str(tmp_path / "unknown/bin"))
    assert "is MPICH of unknown version" in invoked(str(file), "--to", "mpich-json").stderr
    assert invoked(str(file), "--to", "mpich-json", "--library", str(library)).exit_code == 0
    whole["mpi_flavour"], whole["choices"][0]["intervals"][0]["way"] = "openmpi", "binomial"
    file.write_text(json.dumps(whole))
    assert invoked(str(file), "--to", "mpich-json").exit_code == 0, "there is no version to compare with"


@pytest.mark.parametrize("radix", ["0", "1"])
def test_mpich_gets_no_radix_that_builds_no_tree(radix: str, tmp_path: Path) -> None:
    library = tmp_path / "libmpi.so.12"
    tree = '{"collective=alltoall":{"algorithm=MPIR_Alltoall_intra_k_brucks":{}}}'
    library.write_bytes(f"\0{tree}\0MPIR_Alltoall_intra_k_brucks\0".encode())
    of = table(choice("alltoall", 4, (0, None, f"native_k_brucks?k={radix}")), flavour="mpich")
    found = exporting.export(of, Format.MPICH_JSON, file="FILE", library=library)
    assert f"is left out: k_brucks has no radix {radix}" in found.left_out[0]


@pytest.mark.parametrize("names_trees", [False, True])
def test_only_an_mpich_whose_selection_files_name_trees_gets_them(names_trees: bool, tmp_path: Path) -> None:
    library = tmp_path / "libmpi.so.12"
    tree = '{"collective=allreduce":{"algorithm=MPIR_Allreduce_intra_tree":{}}}'
    words = "tree_type=\0knomial_1\0topo_overhead=\0" if names_trees else ""
    library.write_bytes(f"\0{tree}\0MPIR_Allreduce_intra_tree\0{words}".encode())
    of = table(choice("allreduce", 4, (0, None, "native_tree?k=4,chunk=none")), flavour="mpich")
    found = exporting.export(of, Format.MPICH_JSON, file="FILE", library=library)
    if names_trees:
        assert not found.left_out
        assert '"k=4"' in found.text
    else:
        assert "tree is not set by selection files of this MPICH" in found.left_out[0]
