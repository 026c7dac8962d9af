"""MPI's neighbourhood collectives of unmodified programs: every way brings what the library brings; they are tuned."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.mpis import ROOT, Mpi, compile_c, compile_cxx, installed_mpis, run_ranks
from support.tuned import library, preloaded, printed_natively, run_tuned

HERE = Path(__file__).parent
INCLUDE = f"-I{ROOT / 'include'}"
WITH_ABI = [mpi for mpi in installed_mpis() if mpi.name != "intel"]
IMPLEMENTATIONS = 12
"""Those of table 1 that are not one-sided."""


def cases() -> Iterator[tuple[Mpi, int, int]]:
    """MPI libraries with numbers of ranks, and of topologies on them."""
    for mpi in WITH_ABI:
        yield from [(mpi, 4, 3)] if mpi.prefix else [(mpi, 2, 3), (mpi, 5, 3)]


@pytest.mark.parametrize(
    ("mpi", "ranks", "topologies"), [pytest.param(*one, id=f"{one[0]}-{one[1]}") for one in cases()]
)
def test_every_way_brings_what_the_library_brings(mpi: Mpi, ranks: int, topologies: int, tmp_path: Path) -> None:
    program = compile_cxx(mpi, HERE / "neighbours.cpp", tmp_path, [INCLUDE])
    argv = [str(program), str(ranks), str(topologies)]
    env = {**preloaded(mpi, tmp_path, [library(mpi)]), "STARLING_HISTORY": "off"}
    outcome = run_ranks(mpi, ranks, argv, env, timeout=120).check()
    found = re.fullmatch(r"(\d+) ways, (\d+) right, 0 wrong, 0 refused\n", outcome.stdout)
    assert found, outcome.report()
    assert int(found[1]) >= (topologies * 5 - topologies // 3) * (1 + IMPLEMENTATIONS)
    assert int(found[2]) == int(found[1]) * ranks * 2


@pytest.mark.parametrize("mpi", [one for one in WITH_ABI if one.flavour == "mpich"], ids=str)
def test_a_rank_without_data_may_have_no_datatype_where_the_library_overlooks_it(mpi: Mpi, tmp_path: Path) -> None:
    argv = [str(compile_c(mpi, HERE / "no_type.c", tmp_path))]
    assert printed_natively(mpi, 4, argv, tmp_path) == "0 wrong\n"
    for strategy in ("star-basic", "auto", "forced:neighbor_alltoall:IsendIrecv_aao"):
        outcome, _ = run_tuned(mpi, 4, argv, strategy, tmp_path)
        assert outcome.stdout == "0 wrong\n", outcome.report()


def test_calls_of_a_program_are_tuned(tmp_path: Path) -> None:
    (mpi,) = (one for one in WITH_ABI if one.name == "openmpi4")
    program = compile_c(mpi, HERE / "halo_calls.c", tmp_path)
    outcome, record = run_tuned(mpi, 4, [str(program), "400"], "star-basic", tmp_path)
    assert outcome.stdout == "0 wrong\n", outcome.report()
    by_collective = {context.collective: context for context in record.contexts}
    for collective in ("neighbor_alltoall", "neighbor_alltoallw"):
        context = by_collective[collective]
        assert context.calls == 400
        assert context.bytes is None
        tried = [one for one in context.candidates if one.samples]
        assert len(tried) == 1 + IMPLEMENTATIONS
        assert any(decision.to == context.winner for decision in context.decisions)
    assert by_collective["neighbor_alltoallv"].stage == "pass-through"  # there is no topology


def test_a_forced_implementation_is_used(tmp_path: Path) -> None:
    (mpi,) = (one for one in WITH_ABI if one.name == "openmpi4")
    program = compile_c(mpi, HERE / "halo_calls.c", tmp_path)
    strategy = "forced:neighbor_alltoall:Sendrecv_pair_pack,neighbor_alltoallw:SendIrecv_aao"
    outcome, record = run_tuned(mpi, 4, [str(program), "20"], strategy, tmp_path)
    assert outcome.stdout == "0 wrong\n", outcome.report()
    winners = {context.collective: context.winner for context in record.contexts if context.stage == "forced"}
    assert winners == {"neighbor_alltoall": "Sendrecv_pair_pack", "neighbor_alltoallw": "SendIrecv_aao"}


@pytest.mark.parametrize("strategy", ["native", "brute-force", "forced:neighbor_alltoallw:IsendIrecv_aao"])
@pytest.mark.parametrize("mpi", WITH_ABI, ids=str)
def test_ranks_may_have_several_links_and_more_of_one_direction(mpi: Mpi, tmp_path: Path, strategy: str) -> None:
    """MPICH 4.0's MPI_Neighbor_alltoallw loses blocks there, or never returns: it is right under Starling."""
    program = str(compile_c(mpi, HERE / "several_links.c", tmp_path))
    natively = printed_natively(mpi, 4, [program, "60", "4"], tmp_path)
    outcome, record = run_tuned(mpi, 4, [program, "60", "5"], strategy, tmp_path)
    assert outcome.stdout == natively  # also of blocks that MPICH 4.0's MPI_Neighbor_alltoall takes in reverse
    if strategy == "brute-force":
        tuned = {context.collective: context for context in record.contexts}
        assert sum(one.samples > 0 for one in tuned["neighbor_alltoallw"].candidates) > 1
