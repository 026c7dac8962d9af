"""Every algorithm on real MPI libraries: random collectives give what the MPI library itself gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.differential import differential, rounds_of, run_rounds
from support.mpis import Mpi, debian_mpis, run_ranks
from support.tuned import candidates, on_hosts_of, on_hosts_of_two, preloaded, run_tuned

RANKS = (4, 5, 7, 8)
LEVELS = ("two_level", "multilane", "pipelined_levels")
"""Algorithms that need several ranks on a node, and several nodes."""
TWO_DOMAINS = {"STARLING_DOMAINS": "2"}
"""For algorithms that need several NUMA domains on a node."""
FAVOURED = ("--favour", ",".join(candidates()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("differential")


@pytest.fixture(scope="module", params=debian_mpis(), ids=str)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    found: Mpi = request.param
    return found


@pytest.fixture(scope="module")
def program(mpi: Mpi, folder: Path) -> str:
    return differential(mpi, folder)


def forced_lists(turn: int = 0) -> list[dict[str, str]]:
    """Candidates to force, by collective: at most one of each at a time, together every candidate of a turn."""
    return rounds_of(candidates(turn))


def strategy(wanted: dict[str, str]) -> str:
    """The strategy that forces them."""
    return "forced:" + ",".join(f"{collective}:{name}" for collective, name in wanted.items())


def test_the_program_agrees_with_itself_without_starling(mpi: Mpi, program: str, folder: Path) -> None:
    for ranks in RANKS:
        run_ranks(mpi, ranks, [program, "--seed", str(ranks), "--cases", "200"], preloaded(mpi, folder)).check()


def test_every_algorithm_gives_what_the_mpi_library_gives(mpi: Mpi, program: str, folder: Path) -> None:
    unused = {(collective, name.partition("?")[0]) for collective, names in candidates().items() for name in names}
    for turn, ranks in enumerate(RANKS):
        rounds = forced_lists(turn)
        argv = [program, "--cases", "9"]
        unused -= run_rounds(mpi, ranks, argv, rounds, folder, TWO_DOMAINS)
    # Those that could serve none of the random cases: a mesh of three dimensions needs all 8 ranks, others need
    # several nodes. Of these the last combination has the smallest segments.
    rounds = []
    for collective, algorithm in sorted(unused):
        named = [one for turn in range(len(RANKS)) for one in candidates(turn)[collective]]
        rounds.append({collective: [one for one in named if one.partition("?")[0] == algorithm][-1]})
    argv = on_hosts_of_two([program, "--cases", "150"])
    unused -= run_rounds(mpi, max(RANKS), argv, rounds, folder, TWO_DOMAINS)
    assert not unused, "never eligible"


def test_algorithms_for_several_ranks_a_node_give_what_the_mpi_library_gives(
    mpi: Mpi, program: str, folder: Path
) -> None:
    turns = [candidates(turn) for turn in (0, 1, 2, 5)]  # the last has the smallest segments
    of_nodes = {
        collective: sorted({name for turn in turns for name in turn[collective] if name.startswith(LEVELS)})
        for collective in turns[0]
    }
    of_nodes = {collective: names for collective, names in of_nodes.items() if names}
    assert set(of_nodes) >= {"allgather", "allreduce", "barrier", "bcast", "reduce"}
    unused = {(collective, name.partition("?")[0]) for collective, names in of_nodes.items() for name in names}
    rounds = rounds_of(of_nodes)
    for first, ranks in enumerate((8, 7)):
        some = rounds[first::2]
        argv = on_hosts_of_two([program, "--cases", "15"])
        unused -= run_rounds(mpi, ranks, argv, some, folder, TWO_DOMAINS)
    assert not unused, "never eligible"


COMPOSED = {
    "allgather": ["two_level?inner=chain+native,outer=sparbit", "multilane?inner=ring,outer=native"],
    "allgatherv": ["two_level?inner=native+sequential,outer=native", "multilane?inner=bruck,outer=sparbit"],
    "allreduce": ["two_level?inner=native+chain,outer=tree", "multilane?inner=native,outer=rab1"],
    "alltoall": ["multilane?inner=native,outer=pair", "multilane?inner=bruck,outer=native"],
    "alltoallv": ["multilane?inner=bruck:k=4,outer=bruck", "multilane?inner=pair,outer=ring"],
    "alltoallw": ["multilane?inner=bruck,outer=ring", "multilane?inner=shared,outer=pair"],
    "barrier": ["two_level?inner=native,outer=tree", "two_level?inner=dissemination,outer=native"],
    "bcast": ["two_level?inner=native,outer=knomial:k=8", "two_level?inner=scatter_allgather,outer=native"],
    "exscan": ["two_level?inner=pipeline+native,outer=pipeline", "two_level?inner=native+binomial,outer=native"],
    "gather": ["two_level?inner=native,outer=binary", "two_level?inner=shared,outer=native"],
    "gatherv": ["two_level?inner=chain,outer=native", "two_level?inner=native,outer=chain"],
    "reduce": ["two_level?inner=knomial,outer=chain:segment=8192", "two_level?inner=rabenseifner,outer=native"],
    "reduce_scatter": ["multilane?inner=native,outer=ring", "multilane?inner=shared,outer=native"],
    "scan": ["two_level?inner=pipeline+sequential,outer=native", "two_level?inner=native,outer=recursive_doubling"],
    "scatter": ["two_level?inner=native,outer=chain", "two_level?inner=binary,outer=native"],
    "scatterv": ["two_level?inner=chain,outer=binary", "two_level?inner=shared,outer=chain"],
}
"""Hierarchies of ways that no list of what is worth trying names together."""
UNEVEN = {
    "allgather": ["two_level?inner=native,outer=ring", "two_level?inner=shared,outer=bruck"],
    "allgatherv": ["two_level?inner=native,outer=bruck", "two_level?inner=shared,outer=ring"],
    "allreduce": ["two_level?inner=native,outer=native", "two_level?inner=shared,outer=native"],
    "alltoallv": ["multilane?inner=simple,outer=simple"],
    "barrier": ["two_level?inner=native,outer=native"],
    "bcast": ["two_level?inner=native,outer=binomial"],
    "exscan": ["two_level?inner=shared,outer=recursive_doubling"],
    "gather": ["two_level?inner=native,outer=binomial", "two_level?inner=shared,outer=sequential"],
    "gatherv": ["two_level?inner=native,outer=binomial", "two_level?inner=shared,outer=sequential"],
    "reduce": ["two_level?inner=native,outer=binomial"],
    "scan": ["two_level?inner=shared,outer=pipeline"],
    "scatter": ["two_level?inner=native,outer=binomial", "two_level?inner=shared,outer=sequential"],
    "scatterv": ["two_level?inner=sequential,outer=binomial", "two_level?inner=shared,outer=sequential"],
}
"""Those that serve nodes with different numbers of ranks."""

LANES = {
    "allgather": ["multilane?inner=simple,outer=bruck", "multilane?inner=shared,outer=ring"],
    "allgatherv": ["multilane?inner=shared,outer=bruck", "multilane?inner=ring,outer=simple"],
    "allreduce": ["multilane?inner=pairwise+simple,outer=native", "multilane?inner=shared,outer=rabenseifner"],
    "alltoall": ["multilane?inner=simple,outer=simple", "multilane?inner=shared,outer=pair"],
    "alltoallv": ["multilane?inner=simple,outer=ring", "multilane?inner=shared,outer=bruck"],
    "alltoallw": ["multilane?inner=linear_window,outer=simple"],
    "reduce_scatter": ["multilane?inner=pairwise,outer=ring", "multilane?inner=shared,outer=pairwise"],
    "reduce_scatter_block": ["multilane?inner=shared,outer=recursive_halving"],
}
"""More of those, for nodes that have several lanes of ranks."""


@pytest.mark.parametrize(("ways", "ranks_per_node", "ranks"), [(COMPOSED, 4, 8), (UNEVEN, 3, 7), (LANES, 5, 8)])
def test_parts_of_hierarchies_are_any_ways(
    mpi: Mpi, program: str, folder: Path, ways: dict[str, list[str]], ranks_per_node: int, ranks: int
) -> None:
    argv = on_hosts_of(ranks_per_node, [program, "--cases", "60", "--favour", ",".join(ways)])
    served = run_rounds(mpi, ranks, argv, rounds_of(ways), folder)
    assert served == {(of, way.partition("?")[0]) for of, known in ways.items() for way in known}


def test_what_a_forced_name_leaves_open_is_recorded(mpi: Mpi, program: str, folder: Path) -> None:
    argv = [program, "--seed", "1", "--cases", "40", "--favour", "bcast"]
    _, record = run_tuned(mpi, 4, argv, "forced:bcast:chain", folder)
    winners = {context.winner for context in record.contexts if context.stage == "forced"}
    assert winners == {"chain?segment=none"}


@pytest.mark.parametrize("ranks", [4, 7])
def test_results_stay_right_while_star_basic_tries_and_switches(
    mpi: Mpi, program: str, folder: Path, ranks: int
) -> None:
    argv = [program, "--seed", str(ranks), "--cases", "900", "--mode", "repeat", *FAVOURED]
    _, record = run_tuned(mpi, ranks, argv, "star-basic", folder, {"STARLING_ITER": "2"})
    tried = [
        context
        for context in record.contexts
        if context.stage == "monitor_adapt" and sum(one.samples > 0 for one in context.candidates) > 1
    ]
    assert tried, "no context measured more than one candidate"
    assert any(context.decisions for context in tried)


def test_results_stay_right_while_the_lottery_draws(mpi: Mpi, program: str, folder: Path) -> None:
    argv = [program, "--seed", "6", "--cases", "600", "--mode", "repeat", *FAVOURED]
    _, record = run_tuned(mpi, 5, argv, "lottery", folder, {"STARLING_LONGEST_DRAW": "3"})
    drawn = [context for context in record.contexts if context.stage == "lottery"]
    assert any(sum(one.samples > 0 for one in context.candidates) > 3 for context in drawn)
    assert any(context.decisions for context in drawn)


def test_results_stay_right_from_what_an_earlier_run_found(
    mpi: Mpi, program: str, folder: Path, tmp_path: Path
) -> None:
    argv = [program, "--seed", "8", "--cases", "400", "--mode", "repeat", *FAVOURED]
    env = {"STARLING_HISTORY": str(tmp_path), "STARLING_ITER": "2"}
    run_tuned(mpi, 4, argv, "star-basic", folder, env)
    for runs, chosen in enumerate(["star-basic", "lottery"], 2):
        _, record = run_tuned(mpi, 4, argv, chosen, folder, env)
        assert len(list(tmp_path.iterdir())) == runs
        first = [context.decisions[0] for context in record.contexts if context.decisions]
        assert any("in earlier runs" in decision.why and decision.call == 0 for decision in first)
    _, fresh = run_tuned(mpi, 4, argv, "star-basic", folder, {**env, "STARLING_FRESH": "1"})
    assert not any("earlier" in decision.why for context in fresh.contexts for decision in context.decisions)


@pytest.mark.parametrize("ranks", [2, 3, 6, 9, 12, 16])
def test_every_candidate_is_right_on_other_numbers_of_ranks(mpi: Mpi, program: str, folder: Path, ranks: int) -> None:
    argv = [program, "--seed", str(ranks), "--cases", "500", "--mode", "repeat", *FAVOURED]
    _, record = run_tuned(mpi, ranks, argv, "star-basic", folder, {"STARLING_ITER": "1"})
    through = [context for context in record.contexts if context.stage == "monitor_adapt"]
    assert through, "no context came to its end within these calls"
    for context in through:
        assert all(one.samples > 0 for one in context.candidates if one.eligible)


@pytest.mark.parametrize("chosen", ["star-basic", "star"])
def test_one_rank_may_be_ten_times_as_late_as_calls_take(mpi: Mpi, program: str, folder: Path, chosen: str) -> None:
    argv = [program, "--seed", "11", "--cases", "300", "--mode", "late", *FAVOURED]
    _, record = run_tuned(mpi, 4, argv, chosen, folder, {"STARLING_ITER": "2"})
    assert any(context.decisions for context in record.contexts)


@pytest.mark.parametrize("chosen", ["star-basic", strategy(forced_lists()[0])])
def test_communicators_may_come_and_go(mpi: Mpi, program: str, folder: Path, chosen: str) -> None:
    argv = [program, "--seed", "3", "--cases", "400", "--mode", "churn", *FAVOURED]
    run_tuned(mpi, 4, argv, chosen, folder, {"STARLING_ITER": "2"})


@pytest.mark.parametrize("chosen", ["star-basic", strategy(forced_lists()[1])])
def test_threads_may_call_at_once_on_communicators_of_their_own(
    mpi: Mpi, program: str, folder: Path, chosen: str
) -> None:
    argv = [program, "--seed", "5", "--cases", "150", "--mode", "threads", *FAVOURED]
    run_tuned(mpi, 4, argv, chosen, folder, {"STARLING_ITER": "2"})
