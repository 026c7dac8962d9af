"""Every algorithm on real MPI libraries: random collectives give what the MPI library itself gives."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

import pytest

from starling.record import RunRecord
from support.mpis import Mpi, compile_cxx, debian_mpis, run_ranks
from support.tuned import candidates, preloaded, run_tuned

SOURCE = Path(__file__).parent / "differential.cpp"
RANKS = (4, 5, 7, 8)
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
    return str(compile_cxx(mpi, SOURCE, folder))


def forced_lists() -> list[str]:
    """Strategies that together force every candidate of every collective, one of each collective at a time."""
    rounds = zip_longest(*([f"{collective}:{name}" for name in names] for collective, names in candidates().items()))
    return ["forced:" + ",".join(item for item in items if item is not None) for items in rounds]


def forced_in(strategy: str, collective: str) -> str | None:
    """The candidate that a list of `forced_lists` forces for a collective."""
    for name in candidates().get(collective, ()):
        if f"{collective}:{name}" in split(strategy):
            return name
    return None


def split(strategy: str) -> list[str]:
    """The items of a forced list; commas within parameters do not part it."""
    items: list[str] = []
    for piece in strategy.removeprefix("forced:").split(","):
        if ":" in piece:
            items.append(piece)
        else:
            items[-1] += f",{piece}"
    return items


def used_where_eligible(record: RunRecord, strategy: str) -> set[tuple[str, str]]:
    """The forced candidates that ran among several ranks; asserts that they ran wherever they could."""
    used = set()
    for context in record.contexts:
        wanted = forced_in(strategy, context.collective)
        if wanted is None or context.stage == "pass-through":
            continue
        (forced,) = (one for one in context.candidates if one.public_name == wanted)
        if not forced.eligible:
            assert forced.reason, f"{context.collective}:{wanted} is refused without a reason"
            assert context.winner == "native"
            continue
        assert context.winner == wanted
        assert forced.samples == context.calls
        if context.ranks > 1:
            used.add((context.collective, wanted.partition("?")[0]))
    return used


def test_the_program_agrees_with_itself_without_starling(mpi: Mpi, program: str, folder: Path) -> None:
    for ranks in RANKS:
        run_ranks(mpi, ranks, [program, "--seed", str(ranks), "--cases", "200"], preloaded(mpi, folder)).check()


@pytest.mark.parametrize("ranks", RANKS)
def test_every_algorithm_gives_what_the_mpi_library_gives(mpi: Mpi, program: str, folder: Path, ranks: int) -> None:
    used: set[tuple[str, str]] = set()
    for number, strategy in enumerate(forced_lists()):
        argv = [program, "--seed", str(100 * ranks + number), "--cases", "150", *FAVOURED]
        _, record = run_tuned(mpi, ranks, argv, strategy, folder)
        used |= used_where_eligible(record, strategy)
    every = {(collective, name.partition("?")[0]) for collective, names in candidates().items() for name in names}
    if ranks in {4, 8}:
        assert used == every


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


@pytest.mark.parametrize("strategy", ["star-basic", forced_lists()[0]])
def test_communicators_may_come_and_go(mpi: Mpi, program: str, folder: Path, strategy: str) -> None:
    argv = [program, "--seed", "3", "--cases", "400", "--mode", "churn", *FAVOURED]
    run_tuned(mpi, 4, argv, strategy, folder, {"STARLING_ITER": "2"})


@pytest.mark.parametrize("strategy", ["star-basic", forced_lists()[-1]])
def test_threads_may_call_at_once_on_communicators_of_their_own(
    mpi: Mpi, program: str, folder: Path, strategy: str
) -> None:
    argv = [program, "--seed", "5", "--cases", "150", "--mode", "threads", *FAVOURED]
    run_tuned(mpi, 4, argv, strategy, folder, {"STARLING_ITER": "2"})
