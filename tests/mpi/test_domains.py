"""NUMA domains within nodes: how ranks know theirs, and right results of what is built on them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from starling.records.record import Candidate, RunRecord
from support.mpis import Mpi, compile_c, debian_mpis
from support.tuned import on_hosts_of, run_tuned

SOURCE = Path(__file__).parent / "node_memory.c"
TREES = ("barrier", "bcast", "reduce", "allreduce", "allgather", "gather", "scatter", "scan", "exscan")
BY_NODES = {**dict.fromkeys(("alltoall", "reduce_scatter"), "multilane"), **dict.fromkeys(TREES, "two_level")}
"""The algorithm of each collective whose part on a node may be done on two levels."""
DOMAINS = "forced:" + ",".join(f"{collective}:domains" for collective in BY_NODES)
THREE_LEVELS = "forced:" + ",".join(f"{collective}:{name}?inner=domains" for collective, name in BY_NODES.items())
LARGEST = "16385"
"""Bytes of the largest calls where data's size does not matter: more than a chunk of shared memory."""
UNKNOWN = "the node is one NUMA domain, as far as is known"


@pytest.fixture(params=debian_mpis(), ids=str)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    found: Mpi = request.param
    return found


@pytest.fixture
def checked(mpi: Mpi, tmp_path: Path) -> str:
    return str(compile_c(mpi, SOURCE, tmp_path, ["-rdynamic"]))


def forced(record: RunRecord, name: str) -> dict[str, list[Candidate]]:
    """The candidates of that name of the collectives on trees, by collective."""
    found: dict[str, list[Candidate]] = {collective: [] for collective in TREES}
    for context in record.contexts:
        if context.collective in found:
            found[context.collective] += [one for one in context.candidates if one.name == name]
    return found


def winners(record: RunRecord, collective: str) -> set[str]:
    return {context.winner for context in record.contexts if context.collective == collective}


def test_domains_of_a_node_are_levels(mpi: Mpi, checked: str, tmp_path: Path) -> None:
    argv = [checked, str(1 << 20), "reads"]
    _, record = run_tuned(mpi, 4, argv, DOMAINS, tmp_path, {"STARLING_DOMAINS": "2"})
    for collective in BY_NODES:
        assert winners(record, collective) == {"domains"}, collective


def test_domains_are_a_third_level(mpi: Mpi, checked: str, tmp_path: Path) -> None:
    argv = on_hosts_of(4, [checked, LARGEST, "reads"])
    _, record = run_tuned(mpi, 8, argv, THREE_LEVELS, tmp_path, {"STARLING_DOMAINS": "2"})
    for collective, name in BY_NODES.items():
        (winner,) = winners(record, collective)
        assert winner.startswith(f"{name}?inner=domains"), collective


def test_nodes_need_not_have_equally_many_domains(mpi: Mpi, checked: str, tmp_path: Path) -> None:
    strategy = "forced:bcast:two_level?inner=domains,allreduce:two_level?inner=domains"
    argv = on_hosts_of(4, [checked, LARGEST, "reads"])
    _, record = run_tuned(mpi, 5, argv, strategy, tmp_path, {"STARLING_DOMAINS": "2"})
    assert winners(record, "allreduce") == {"two_level?inner=domains,outer=recursive_doubling"}


@pytest.mark.parametrize("inner", ["binomial", "shared", "domains"])
def test_segments_go_on_from_level_to_level(mpi: Mpi, checked: str, tmp_path: Path, inner: str) -> None:
    name = f"pipelined_levels?inner={inner},outer=chain,segment=8192"
    strategy = "forced:" + ",".join(f"{collective}:{name}" for collective in ("bcast", "reduce"))
    argv = on_hosts_of(4, [checked, "524288", "reads"])
    _, record = run_tuned(mpi, 8, argv, strategy, tmp_path, {"STARLING_DOMAINS": "2"})
    for collective in ("bcast", "reduce"):
        large = {
            context.winner
            for context in record.contexts
            if context.collective == collective and (context.bytes or 0) > 8192
        }
        assert large == {name}, collective


def on_made_up_nodes(argv: list[str], bound: bool) -> list[str]:
    """A program that sees each of this machine's first two processors on a NUMA node of its own. As root.

    Where it is bound, ranks with even numbers are on the first one, the others on the second.
    """
    bind = 'exec taskset --cpu-list $((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} % 2)) "$@"' if bound else 'exec "$@"'
    script = f"""
new=$(mktemp -d) && mount -t tmpfs none $new && mkdir $new/node0 $new/node1 && echo 0-1 >$new/online &&
echo 0 >$new/node0/cpulist && echo 1 >$new/node1/cpulist && mount --bind $new /sys/devices/system/node && {bind}
"""
    return ["unshare", "--mount", "sh", "-c", script, "sh", *argv]


def test_bound_ranks_know_their_domains(mpi: Mpi, checked: str, tmp_path: Path) -> None:
    argv = on_made_up_nodes([checked, LARGEST, "reads"], bound=True)
    _, record = run_tuned(mpi, 4, argv, "forced:bcast:domains,scan:domains", tmp_path)
    assert winners(record, "bcast") == {"domains"}
    # Ranks 0 and 2 are in one, so that domains have no consecutive ranks.
    (why,) = {one.reason for one in forced(record, "domains")["scan"]}
    assert why == "needs consecutive ranks on each node, NUMA domains taken for nodes"


def test_a_node_with_ranks_that_are_not_bound_is_one_domain(mpi: Mpi, checked: str, tmp_path: Path) -> None:
    argv = on_made_up_nodes(["taskset", "--cpu-list", "0,1", checked, LARGEST, "reads"], bound=False)
    _, record = run_tuned(mpi, 4, argv, DOMAINS, tmp_path)
    for collective, candidates in forced(record, "domains").items():
        assert {one.reason for one in candidates} == {UNKNOWN}, collective


def test_a_platform_describes_domains(mpi: Mpi, checked: str, tmp_path: Path) -> None:
    platform = {
        "switches": ["s0"],
        "hosts": [{"name": "host0", "ranks": 4, "domains": 2}],
        "links": [{"between": ["s0", "host0"], "rate": 1e9}],
    }
    argv = on_hosts_of(4, [checked, LARGEST, "reads"])
    described = {"STARLING_PLATFORM": json.dumps(platform)}
    _, record = run_tuned(mpi, 4, argv, "forced:bcast:domains", tmp_path, described)
    assert winners(record, "bcast") == {"domains"}
    _, record = run_tuned(mpi, 4, argv, "forced:bcast:domains", tmp_path, {**described, "STARLING_DOMAINS": "1"})
    assert {one.reason for one in forced(record, "domains")["bcast"]} == {UNKNOWN}
