"""The MPI library's own algorithms as ways: which there are, that what is asked for runs, and that it is right."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from starling.algorithms import repository
from support.differential import differential, rounds_of, run_rounds
from support.mpis import ROOT, Mpi, compile_c, debian_mpis, installed_mpis, mpi_named, run_ranks
from support.processes import Outcome
from support.tuned import library, preloaded, run_tuned, tuned_spy

HERE = Path(__file__).parent
PATIENCE = 60.0
"""Seconds after which a run counts as hung."""
FEATURES = {
    "allreduce": {"openmpi": {"native_ring", "native_rabenseifner"}, "mpich": {"native_recursive_doubling"}},
    "bcast": {"openmpi": {"native_chain?segment=8192,fanout=4", "native_basic"}, "mpich": {"native_binomial"}},
    "alltoall": {"openmpi": {"native_pairwise", "native_linear_sync"}, "mpich": {"native_brucks", "native_pairwise"}},
    "barrier": {"openmpi": {"native_tree"}, "mpich": {"native_nb"}},
}
"""Some that every release has."""
WRONG = {"native_modified_bruck", "native_noncommutative"}
"""Some that give wrong results or end the job: see src/runtime/execution/library_selection.cpp."""


class Trace(NamedTuple):
    """What one way left behind."""

    hash: str
    """Of the result: it shows the order of additions."""
    sent: int
    """Messages that rank 0 sent by UCX; 0 where the library does not use it."""
    refusal: str


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("library_algorithms")


def switchable() -> list[Mpi]:
    return [mpi for mpi in installed_mpis() if mpi.flavour in ("openmpi", "mpich")]


def program(mpi: Mpi, folder: Path) -> str:
    options = [f"-I{ROOT / 'include'}", "-rdynamic", "-ldl"]
    return str(compile_c(mpi, HERE / "library_algorithms.c", folder, options))


def run(mpi: Mpi, ranks: int, arguments: list[str], folder: Path, env: dict[str, str] | None = None) -> Outcome:
    settings = {"STARLING_STRATEGY": "native", "STARLING_HISTORY": "off", **(env or {})}
    surroundings = {**preloaded(mpi, folder, [library(mpi)]), **settings}
    return run_ranks(mpi, ranks, [program(mpi, folder), *arguments], surroundings, PATIENCE).check()


def offered(mpi: Mpi, folder: Path, env: dict[str, str] | None = None) -> dict[str, list[str]]:
    """The library's own algorithms by collective."""
    found: dict[str, list[str]] = {}
    settings = {"STARLING_LIBRARY": "1", **(env or {})}
    for line in run(mpi, 1, ["ways", *repository.listing()["collectives"]], folder, settings).stdout.splitlines():
        collective, _, name = line.partition(":")
        if name.startswith("native_"):
            found.setdefault(collective, []).append(name)
    return found


def traces(mpi: Mpi, ranks: int, ways: list[str], folder: Path, env: dict[str, str] | None = None) -> dict[str, Trace]:
    found = {}
    settings = {"STARLING_LIBRARY": "1", **(env or {})}
    for line in run(mpi, ranks, ["traces", *ways], folder, settings).stdout.splitlines():
        name, hashed, sent, *refusal = line.split(" ")
        found[name] = Trace(hashed, int(sent), " ".join(refusal).strip())
    assert list(found) == ways
    return found


@pytest.mark.parametrize("mpi", switchable(), ids=str)
def test_they_are_listed(mpi: Mpi, folder: Path) -> None:
    names = offered(mpi, folder)
    for collective, expected in FEATURES.items():
        assert expected[mpi.flavour] <= set(names[collective])
    assert not WRONG & set(names["alltoall"] + names["reduce_scatter"])
    assert "native_adapt" not in names["reduce"], "it ends some jobs"
    for collective, known in names.items():
        assert len(set(known)) == len(known), collective


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_every_one_gives_what_the_mpi_library_gives(mpi: Mpi, folder: Path) -> None:
    names = offered(mpi, folder)
    rounds = rounds_of(names)
    ran: set[tuple[str, str]] = set()
    argv = [differential(mpi, folder), "--cases", "15"]
    for ranks, first in ((4, 0), (5, 0), (8, 1), (7, 1)):
        ran |= run_rounds(mpi, ranks, argv, rounds[first::2], folder, {"STARLING_LIBRARY": "1"})
    asked = {(collective, one.partition("?")[0]) for collective, known in names.items() for one in known}
    # These need several nodes, or exactly two ranks, and communicators of two are few.
    special = {one for one in asked if re.search("native_(smp|han|two_proc)$", one[1])}
    assert asked - special <= ran


@pytest.mark.parametrize("name", ["openmpi4", "openmpi5"])
def test_open_mpi_runs_what_is_asked_for(name: str, folder: Path, tmp_path: Path) -> None:
    """Its algorithms are functions that the loader binds when they are first called."""
    mpi = mpi_named(name)
    asked = {
        "allreduce:native_ring": "allreduce_intra_ring",
        "allgather:native_bruck": "allgather_intra_bruck",
        "alltoall:native_pairwise": "alltoall_intra_pairwise",
        "barrier:native_tree": "barrier_intra_tree",
        "bcast:native_split_binary_tree?segment=8192": "bcast_intra_split_bintree",
        "reduce:native_rabenseifner": "reduce_intra_redscat_gather",
    }

    def called(ways: list[str], where: str) -> set[str]:
        log = tmp_path / where
        traces(mpi, 4, ways, folder, {"LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": str(log)})
        text = "".join(one.read_text(errors="replace") for one in tmp_path.glob(f"{where}.*"))
        return set(re.findall(r"symbol `ompi_coll_base_(\w+)'", text))

    natively = called([f"{way.partition(':')[0]}:native" for way in asked], "native")
    selected = called(list(asked), "selected")
    for way, function in asked.items():
        assert any(one.startswith(function) for one in selected - natively), f"{way}: {sorted(selected - natively)}"


@pytest.mark.parametrize("name", ["openmpi4", "openmpi5"])
def test_open_mpi_gets_the_values_that_are_asked_for(name: str, folder: Path) -> None:
    mpi = mpi_named(name)
    names = offered(mpi, folder)
    spy = tuned_spy(folder)
    functions = {
        "bcast:chain": ("bcast_intra_chain", ("segment", "fanout")),
        "bcast:pipeline": ("bcast_intra_pipeline", ("segment",)),
        "bcast:binomial": ("bcast_intra_binomial", ("segment",)),
        "reduce:chain": ("reduce_intra_chain", ("segment", "fanout")),
        "reduce:pipeline": ("reduce_intra_pipeline", ("segment",)),
        "reduce:in_order_binary": ("reduce_intra_in_order_binary", ("segment",)),
    }
    asked = [
        (collective, way)
        for collective in ("bcast", "reduce")
        for way in names[collective]
        if f"{collective}:{way.partition('?')[0].removeprefix('native_')}" in functions
    ]
    assert len(asked) > 2 * len(functions)
    ways = [":".join(one) for one in asked]
    settings = {"STARLING_STRATEGY": "native", "STARLING_LIBRARY": "1", "STARLING_HISTORY": "off"}
    surroundings = {"LD_PRELOAD": f"{library(mpi)}:{spy}", **settings}
    told = run_ranks(mpi, 4, [program(mpi, folder), "traces", *ways], surroundings, PATIENCE).check().stderr
    called = {tuple(line.split()[1:]) for line in told.splitlines() if line.startswith("with ")}
    for collective, way in asked:
        algorithm, _, bound = way.removeprefix("native_").partition("?")
        function, parameters = functions[f"{collective}:{algorithm}"]
        values = dict(pair.split("=") for pair in bound.split(","))
        assert tuple(values) == parameters
        wanted = [value.replace("none", "0") for value in values.values()]
        first = 1 if collective == "bcast" else 3
        assert any(one[0] == function and list(one[first : first + len(wanted)]) == wanted for one in called), way


def test_mpich_4_runs_what_is_asked_for(folder: Path) -> None:
    """By the number of messages of rank 0 of 8: p-1, p-1 and a local one, or log p."""
    ways = [
        "allgather:native_ring",
        "allgather:native_brucks",
        "alltoall:native_brucks",
        "alltoall:native_pairwise",
        "alltoall:native_scattered",
    ]
    found = traces(mpi_named("mpich4"), 8, ways, folder, {"MPIR_CVAR_NOLOCAL": "1"})
    assert [found[way].sent for way in ways] == [7, 3, 3, 7, 8]


def test_mpich_5_runs_what_is_asked_for(folder: Path) -> None:
    """By the order of additions on 6 ranks."""
    ways = [
        "allreduce:native_recursive_doubling",
        "allreduce:native_recursive_multiplying?k=4",
        "allreduce:native_tree?k=2,chunk=none",
        "allreduce:native_tree?k=4,chunk=none",
        "allreduce:native_ring",
    ]
    found = traces(mpi_named("mpich5"), 6, ways, folder)
    assert len({trace.hash for trace in found.values()}) == len(ways)


@pytest.mark.parametrize("mpi", switchable(), ids=str)
def test_the_librarys_own_choice_stays_as_it_was(mpi: Mpi, folder: Path) -> None:
    plainly = run(mpi, 6, ["traces", "allreduce:native", "reduce:native"], folder).stdout
    other = "allreduce:native_ring" if mpi.name != "mpich4" else "allreduce:native_nb"
    ways = ["allreduce:native", "reduce:native"]
    env = {"STARLING_LIBRARY": "1"}
    after = run(mpi, 6, ["traces", other, "reduce:native_binomial", *ways], folder, env).stdout
    assert after.splitlines()[2:] == plainly.splitlines()


@pytest.mark.parametrize("ranks", [4, 5, 8])
@pytest.mark.parametrize("name", ["openmpi4", "openmpi5"])
def test_open_mpi_chooses_as_without_dynamic_rules_for_the_programs_communicators(
    name: str, ranks: int, folder: Path
) -> None:
    """By the functions that ranks call, those of bcast with their segment."""
    mpi = mpi_named(name)
    collectives = ("allgather", "allreduce", "alltoall", "barrier", "bcast", "gather", "reduce", "reduce_scatter")
    calls = [f"{collective}:{size}" for collective in collectives for size in (8, 1000, 20000, 300000)]
    orders = str(compile_c(mpi, HERE / "orders.c", folder, ["-rdynamic", "-ldl"]))
    spy = tuned_spy(folder)

    def called(first: list[Path], env: dict[str, str]) -> Counter[str]:
        preload = {"LD_PRELOAD": ":".join(map(str, [*first, spy]))}
        told = run_ranks(mpi, ranks, [orders, *calls], {**preload, **env}, PATIENCE).check().stderr
        words = [line.split() for line in told.splitlines() if line.startswith(("called ", "with bcast"))]
        return Counter(" ".join(line[:3]) for line in words)

    plainly = called([], {})
    assert len(plainly) > 8
    settings = {"STARLING_STRATEGY": "native", "STARLING_LIBRARY": "1", "STARLING_HISTORY": "off"}
    tuned = called([library(mpi)], settings)
    assert not plainly - tuned, "at some size another is chosen"
    assert (tuned - plainly).total() < plainly.total() / 2, "ranks agree in MPI_Init and MPI_Finalize"


def test_what_the_user_has_set_is_set_again(folder: Path) -> None:
    mpi = mpi_named("mpich5")
    users = {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "ring", "MPIR_CVAR_DEVICE_COLLECTIVES": "none"}
    found = traces(mpi, 6, ["allreduce:native", "allreduce:native_ring"], folder, users)
    assert found["allreduce:native"].hash == found["allreduce:native_ring"].hash
    again = traces(mpi, 6, ["allreduce:native_recursive_multiplying?k=4", "allreduce:native"], folder, users)
    assert again["allreduce:native"].hash == found["allreduce:native_ring"].hash


@pytest.mark.parametrize("level", ["funneled", "serialized"])
@pytest.mark.parametrize("mpi", switchable(), ids=str)
def test_the_program_still_gets_the_thread_level_that_mpi_provides(mpi: Mpi, level: str, folder: Path) -> None:
    plainly = run(mpi, 1, ["level", level], folder).stdout
    assert run(mpi, 1, ["level", level], folder, {"STARLING_LIBRARY": "1"}).stdout == plainly


@pytest.mark.parametrize("name", ["openmpi4", "openmpi5"])
def test_open_mpi_need_not_load_all_its_components(name: str, folder: Path) -> None:
    """As it does for MPI_T, while all ranks wait. The algorithms are there all the same."""
    forced = {"STARLING_STRATEGY": "forced:allreduce:native_ring"}
    assert run(mpi_named(name), 1, ["tool"], folder, forced).stdout == "not started\n"
    assert "native_ring" in offered(mpi_named(name), folder)["allreduce"]


@pytest.mark.parametrize("mpi", switchable(), ids=str)
def test_with_several_threads_there_are_none(mpi: Mpi, folder: Path) -> None:
    forced = {"STARLING_STRATEGY": "forced:allreduce:native_ring"}
    told = run(mpi, 2, ["threads"], folder, forced).stderr
    if "several threads" not in told:
        pytest.fail(f"{mpi} said: {told}")
    assert "the program runs natively" in told


@pytest.mark.parametrize("variable", ["use_dynamic_rules=0", "allreduce_algorithm=4"])
def test_open_mpi_keeps_to_what_the_user_has_set(variable: str, folder: Path) -> None:
    """Rules that are off stay off, and what does nothing without them does not begin to act."""
    mpi = mpi_named("openmpi4")
    name, _, value = variable.partition("=")
    env = {f"OMPI_MCA_coll_tuned_{name}": value}
    assert offered(mpi, folder, env) == {}
    plainly = run(mpi, 6, ["traces", "allreduce:native"], folder, env).stdout
    assert run(mpi, 6, ["traces", "allreduce:native"], folder, {**env, "STARLING_LIBRARY": "1"}).stdout == plainly


@pytest.mark.parametrize("where", ["named", "home"])
def test_open_mpi_keeps_to_what_a_file_of_parameters_sets(where: str, folder: Path, tmp_path: Path) -> None:
    mpi = mpi_named("openmpi4")
    file = tmp_path / ".openmpi/mca-params.conf"
    file.parent.mkdir()
    file.write_text("# a comment\n  coll_tuned_allreduce_algorithm = 4\n")
    env = {"OMPI_MCA_mca_base_param_files": str(file)} if where == "named" else {"HOME": str(tmp_path)}
    assert offered(mpi, folder, env) == {}
    plainly = run(mpi, 6, ["traces", "allreduce:native"], folder, env).stdout
    assert run(mpi, 6, ["traces", "allreduce:native"], folder, {**env, "STARLING_LIBRARY": "1"}).stdout == plainly
    file.write_text("#coll_tuned_allreduce_algorithm = 4\nbtl_base_warn_component_unused = 0\n")
    assert offered(mpi, folder, env) != {}


def test_they_are_candidates_where_the_user_wants_them(folder: Path) -> None:
    mpi = mpi_named("openmpi4")
    argv = [differential(mpi, folder), "--seed", "1", "--cases", "60", "--mode", "repeat"]
    for wanted in ({"STARLING_LIBRARY": "1"}, {}):
        _, record = run_tuned(mpi, 4, argv, "star-basic", folder, {"STARLING_ITER": "1", **wanted})
        names = {one.name for context in record.contexts for one in context.candidates}
        assert any(name.startswith("native_") for name in names) == bool(wanted)


def test_what_cannot_serve_is_refused_with_a_reason(folder: Path) -> None:
    found = traces(mpi_named("openmpi4"), 3, ["alltoall:native_two_proc", "allgather:native_neighbor"], folder)
    assert found["alltoall:native_two_proc"].refusal == "needs 2 ranks"
    assert found["allgather:native_neighbor"].refusal == "needs an even number of ranks"


def test_an_unknown_one_is_told_with_those_there_are(folder: Path) -> None:
    forced = {"STARLING_STRATEGY": "forced:allreduce:native_rung"}
    told = run(mpi_named("openmpi4"), 1, ["ways"], folder, forced).stderr
    assert "no algorithm native_rung for allreduce; it has native_basic_linear, " in told
