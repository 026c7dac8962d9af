"""Exported settings, loaded by the MPI library that they are for, without Starling: the algorithms named are used."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from starling.commands.cli import app
from support.mpis import Mpi, compile_c, installed_mpis, mpi_named, run_ranks
from support.processes import Outcome
from support.tables import choice, data
from support.tuned import preloaded, tuned_spy

HERE = Path(__file__).parent
OPEN_MPIS = [mpi for mpi in installed_mpis() if mpi.flavour == "openmpi"]


def library_of(mpi: Mpi) -> str:
    return "/usr/lib/x86_64-linux-gnu/libmpich.so.12" if mpi.prefix is None else str(mpi.prefix / "lib/libmpi.so.12")


MPICHS = [mpi for mpi in installed_mpis() if mpi.flavour == "mpich"]
WITH_RADIX = [mpi for mpi in MPICHS if b"MPIR_Allreduce_intra_recexch\0" in Path(library_of(mpi)).read_bytes()]
INTEL = [mpi for mpi in installed_mpis() if mpi.flavour == "intel"]
"""An optional peer: where it is not installed, its test is absent."""


def export(folder: Path, table: dict[str, Any], to: str, *more: str) -> Path:
    """The file that the command writes, and everything in it is expressed."""
    source, output = folder / "table.json", folder / f"exported-{to}"
    source.write_text(json.dumps(table))
    done = CliRunner().invoke(app, ["export", str(source), "--to", to, "-o", str(output), *more])
    assert done.exit_code == 0, done.output
    assert "left out" not in done.stderr
    return output


def carried_out(mpi: Mpi, folder: Path, env: Mapping[str, str], *calls: str, ranks: int) -> Outcome:
    """What a program says of calls like `allreduce:96`: of each a fingerprint of its sums, and how many messages."""
    program = compile_c(mpi, HERE / "orders.c", folder, ["-rdynamic", "-ldl"])
    return run_ranks(mpi, ranks, [str(program), *calls], {**preloaded(mpi, folder), **env}).check()


def run(mpi: Mpi, folder: Path, env: Mapping[str, str], *calls: str, ranks: int = 4) -> tuple[dict[str, str], set[str]]:
    """Fingerprints of the orders in which sums were made, and which functions of Open MPI say that they were called."""
    outcome = carried_out(mpi, folder, env, *calls, ranks=ranks)
    called = {line.split()[1] for line in outcome.stderr.splitlines() if line.startswith("called ")}
    return {line.split()[0]: line.split()[1] for line in outcome.stdout.splitlines()}, called


RULED = (
    choice(
        "allreduce", 4, (0, 100, "native_recursive_doubling"), (100, 1000, "native_ring"), (1000, None, "rabenseifner")
    ),
    choice("allgather", 4, (0, 100, "bruck"), (100, None, "native_ring")),
    choice("alltoall", 4, (0, 100, "native_modified_bruck"), (100, 1000, "native"), (1000, None, "native_pairwise")),
    choice("barrier", 4, (0, None, "native_double_ring")),
    choice("bcast", 4, (0, 100, "native_chain?segment=1024"), (100, None, "native_scatter_allgather_ring")),
    choice("gather", 4, (0, None, "native_binomial")),
    choice(
        "reduce",
        4,
        (0, 100, "native_pipeline?segment=1024"),
        (100, 1000, "native_in_order_binary?segment=none"),
        (1000, None, "native_binomial"),
    ),
    choice("reduce_scatter", 4, (0, 100, "native_ring"), (100, None, "native_recursive_halving")),
)
CALLED = (
    {
        "allreduce:96": "allreduce_intra_recursivedoubling",
        "allgather:96": "allgather_intra_bruck",
        "alltoall:96": "alltoall_intra_bruck",
        "barrier:0": "barrier_intra_doublering",
        "bcast:96": "bcast_intra_chain",
        "gather:400": "gather_intra_binomial",
        "reduce:96": "reduce_intra_pipeline",
        "reduce_scatter:96": "reduce_scatter_intra_ring",
    },
    {
        "allreduce:100": "allreduce_intra_ring",
        "allgather:100": "allgather_intra_ring",
        "alltoall:1000": "alltoall_intra_pairwise",
        "bcast:100": "bcast_intra_scatter_allgather_ring",
        "reduce:100": "reduce_intra_in_order_binary",
        "reduce_scatter:100": "reduce_scatter_intra_basic_recursivehalving",
    },
    {"allreduce:4000": "allreduce_intra_redscat_allgather", "reduce:1000": "reduce_intra_binomial"},
)
"""The calls of each job, with the functions that they lead to: of each collective there is one."""


def spied(mpi: Mpi, folder: Path, rules: Path, *calls: str, ranks: int = 4) -> set[str]:
    env = {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        "OMPI_MCA_coll_tuned_dynamic_rules_filename": str(rules),
        "OMPI_MCA_coll": "^han,adapt",
        "LD_PRELOAD": str(tuned_spy(folder)),
    }
    own = tuple(f"{call.partition(':')[0]}_intra" for call in calls)
    return {name for name in run(mpi, folder, env, *calls, ranks=ranks)[1] if name.startswith(own)}


@pytest.mark.parametrize("mpi", OPEN_MPIS, ids=str)
def test_open_mpi_calls_the_algorithms_of_the_rules_at_their_sizes(mpi: Mpi, tmp_path: Path) -> None:
    rules = export(tmp_path, data(*RULED), "openmpi-rules")
    for calls in CALLED:
        assert spied(mpi, tmp_path, rules, *calls) == set(calls.values())


@pytest.mark.parametrize("mpi", OPEN_MPIS, ids=str)
def test_open_mpi_decides_by_itself_on_communicators_that_no_entry_is_near(mpi: Mpi, tmp_path: Path) -> None:
    far = data(choice("allreduce", 32, (0, None, "native_ring")))
    near = data(choice("allreduce", 2, (0, None, "native_ring")))
    assert "allreduce_intra_ring" not in spied(mpi, tmp_path, export(tmp_path, far, "openmpi-rules"), "allreduce:96")
    assert "allreduce_intra_ring" in spied(mpi, tmp_path, export(tmp_path, near, "openmpi-rules"), "allreduce:96")
    above = spied(mpi, tmp_path, export(tmp_path, near, "openmpi-rules"), "allreduce:96", ranks=5)
    assert "allreduce_intra_ring" not in above


def selected(mpi: Mpi, folder: Path, file: Path, *calls: str, ranks: int = 5) -> dict[str, str]:
    off = {f"MPIR_CVAR_{one}_DEVICE_COLLECTIVE": "0" for one in ("ALLREDUCE", "REDUCE", "REDUCE_SCATTER")}
    env = {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": str(file), **off}
    return run(mpi, folder, env, *calls, ranks=ranks)[0]


@pytest.mark.parametrize("mpi", MPICHS, ids=str)
def test_mpich_uses_what_its_selection_file_says(mpi: Mpi, tmp_path: Path) -> None:
    calls = ("reduce_scatter:96", "reduce_scatter:8000", "reduce:96", "reduce:8000", "allreduce:96")

    def fingerprints(*intervals: tuple[int, int | None, str], reduce: str = "native_binomial") -> dict[str, str]:
        whole = data(
            choice("reduce_scatter", 5, *intervals),
            choice("reduce", 5, (0, 100, "native"), (100, None, reduce)),
            choice("bcast", 5, (0, None, "native_scatter_ring_allgather")),
            flavour="mpich",
        )
        file = export(tmp_path, whole, "mpich-json", "--library", library_of(mpi))
        return selected(mpi, tmp_path, file, *calls)

    pairwise = fingerprints((0, None, "native_pairwise"))
    halving = fingerprints((0, None, "native_recursive_halving"), reduce="native_reduce_scatter_gather")
    both = fingerprints((0, 100, "native_pairwise"), (100, None, "native_recursive_halving"))
    for call in ("reduce_scatter:96", "reduce_scatter:8000"):
        assert pairwise[call] != halving[call]
    assert both["reduce_scatter:96"] == pairwise["reduce_scatter:96"]
    assert both["reduce_scatter:8000"] == halving["reduce_scatter:8000"]
    assert pairwise["reduce:8000"] != halving["reduce:8000"], "binomial, and scatter with gather"
    assert pairwise["reduce:96"] == halving["reduce:96"], "native for both"
    assert len({one["allreduce:96"] for one in (pairwise, halving, both)}) == 1, "what no rule names stays as it was"


@pytest.mark.parametrize("way", ["recursive_multiplying", "recexch"])
@pytest.mark.parametrize("mpi", WITH_RADIX, ids=str)
def test_mpich_takes_the_radix_of_an_algorithm_from_its_selection_file(mpi: Mpi, way: str, tmp_path: Path) -> None:
    found = set()
    for radix in (2, 4):
        whole = data(choice("allreduce", 8, (0, None, f"native_{way}?k={radix}")), flavour="mpich")
        file = export(tmp_path, whole, "mpich-json", "--library", library_of(mpi))
        found.add(selected(mpi, tmp_path, file, "allreduce:96", ranks=8)["allreduce:96"])
    assert len(found) == 2


@pytest.mark.parametrize("mpi", WITH_RADIX, ids=str)
def test_mpich_takes_trees_from_its_selection_file(mpi: Mpi, tmp_path: Path) -> None:
    """As by their variables, which is told by the order of additions."""
    found = {}
    for radix in (2, 4):
        whole = data(choice("allreduce", 6, (0, None, f"native_tree?k={radix},chunk=none")), flavour="mpich")
        file = export(tmp_path, whole, "mpich-json", "--library", library_of(mpi))
        found[radix] = selected(mpi, tmp_path, file, "allreduce:96", ranks=6)["allreduce:96"]
        variables = {"INTRA_ALGORITHM": "tree", "TREE_KVAL": str(radix), "DEVICE_COLLECTIVE": "0"}
        env = {f"MPIR_CVAR_ALLREDUCE_{name}": value for name, value in variables.items()}
        assert found[radix] == run(mpi, tmp_path, env, "allreduce:96", ranks=6)[0]["allreduce:96"]
    assert found[2] != found[4]
    for way in ("native_tree?k=4", "native_pipelined_tree?k=2,chunk=8192"):
        whole = data(choice("bcast", 6, (0, None, way)), flavour="mpich")
        file = export(tmp_path, whole, "mpich-json", "--library", library_of(mpi))
        assert way.partition("?")[0].removeprefix("native_") in file.read_text()
        env = {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": str(file), "MPIR_CVAR_BCAST_DEVICE_COLLECTIVE": "0"}
        assert run(mpi, tmp_path, env, "bcast:96", "bcast:80000", ranks=6)


@pytest.mark.parametrize("mpi", MPICHS, ids=str)
def test_mpich_selects_by_itself_on_communicators_that_no_entry_is_near(mpi: Mpi, tmp_path: Path) -> None:
    def fingerprint(ranks: int, way: str) -> str:
        whole = data(choice("reduce_scatter", ranks, (0, None, way)), flavour="mpich")
        file = export(tmp_path, whole, "mpich-json", "--library", library_of(mpi))
        return selected(mpi, tmp_path, file, "reduce_scatter:96")["reduce_scatter:96"]

    own = fingerprint(5, "native_recursive_halving")  # MPICH's own choice for this size
    assert fingerprint(32, "native_pairwise") == own
    assert fingerprint(2, "native_pairwise") == own
    assert fingerprint(3, "native_pairwise") != own


@pytest.mark.parametrize("mpi", MPICHS, ids=str)
def test_mpich_keeps_an_algorithm_from_operators_and_ranks_that_it_cannot_serve(mpi: Mpi, tmp_path: Path) -> None:
    """Recursive doubling of allgather needs a power of two of ranks: at 5 the program still ends with right results."""
    whole = data(
        choice("allgather", 4, (0, None, "native_recursive_doubling")),
        choice("bcast", 4, (0, None, "native_scatter_recursive_doubling_allgather")),
        choice("allreduce", 4, (0, None, "native_reduce_scatter_allgather")),
        flavour="mpich",
    )
    file = export(tmp_path, whole, "mpich-json", "--library", library_of(mpi))
    off = {f"MPIR_CVAR_{one}_DEVICE_COLLECTIVE": "0" for one in ("ALLREDUCE", "ALLGATHER", "BCAST")}
    env = {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": str(file), **off}
    for ranks in (4, 5):
        found, _ = run(mpi, tmp_path, env, "allgather:96", "bcast:4000", "allreduce:4", "allreduce:4000", ranks=ranks)
        plain, _ = run(mpi, tmp_path, off, "allgather:96", "bcast:4000", "allreduce:4", "allreduce:4000", ranks=ranks)
        assert found["allreduce:4"] == plain["allreduce:4"], "fewer elements than ranks"


SCANS = [(mpi, "scan", "native_smp") for mpi in MPICHS]
REDUCTIONS = [(mpi, "allreduce", "native_k_reduce_scatter_allgather?k=2") for mpi in WITH_RADIX]


@pytest.mark.parametrize(("mpi", "collective", "way"), [*SCANS, *REDUCTIONS], ids=str)
def test_mpich_keeps_the_order_of_ranks_with_any_algorithm(mpi: Mpi, collective: str, way: str, tmp_path: Path) -> None:
    whole = data(choice(collective, 4, (0, None, way)), flavour="mpich")
    file = export(tmp_path, whole, "mpich-json", "--library", library_of(mpi))
    env = {
        "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": str(file),
        f"MPIR_CVAR_{collective.upper()}_DEVICE_COLLECTIVE": "0",
    }
    program = compile_c(mpi, HERE / "in_order.c", tmp_path)
    for ranks in (3, 4):
        run_ranks(mpi, ranks, [str(program)], {**preloaded(mpi, tmp_path), **env}).check()


def assigned(file: Path) -> dict[str, str]:
    lines = [line.removeprefix("export ") for line in file.read_text().splitlines() if not line.startswith("#")]
    return dict("".join(shlex.split(line)).split("=", 1) for line in lines)


@pytest.mark.parametrize("mpi", MPICHS, ids=str)
def test_mpich_uses_what_its_variables_say(mpi: Mpi, tmp_path: Path) -> None:
    found = set()
    for way in ("native_pairwise", "native_recursive_halving"):
        whole = data(choice("reduce_scatter", 5, (0, None, way)), flavour="mpich")
        env = assigned(export(tmp_path, whole, "mpich-env"))
        found.add(run(mpi, tmp_path, env, "reduce_scatter:96", ranks=5)[0]["reduce_scatter:96"])
    assert len(found) == 2


FEW_MESSAGES, MORE_MESSAGES = (
    {"allgather": "brucks", "allreduce": "recursive_doubling", "alltoall": "brucks", "bcast": "binomial"},
    {
        "allgather": "ring",
        "allreduce": "reduce_scatter_allgather",
        "alltoall": "pairwise",
        "bcast": "scatter_ring_allgather",
    },
)
"""Algorithms of MPICH. With the first, rank 0 of 8 sends 3 messages: the logarithm of the ranks."""
MORE = {"allgather": 7, "allreduce": 6, "alltoall": 7, "bcast": 10}
FEW = dict.fromkeys(MORE, 3)


def sent(folder: Path, env: Mapping[str, str], size: int) -> dict[str, int]:
    """How many messages rank 0 of 8 sends with Debian's MPICH in each collective, without shared memory."""
    calls = [f"{collective}:{size}" for collective in MORE]
    outcome = carried_out(mpi_named("mpich4"), folder, {"MPIR_CVAR_NOLOCAL": "1", **env}, *calls, ranks=8)
    return {line.partition(":")[0]: int(line.split()[2]) for line in outcome.stdout.splitlines()}


def of_mpich(below: Mapping[str, str], above: Mapping[str, str]) -> dict[str, Any]:
    """A table with one way of each collective below 100 bytes, and one from there on."""
    return data(
        *(choice(one, 8, (0, 100, f"native_{below[one]}"), (100, None, f"native_{above[one]}")) for one in MORE),
        flavour="mpich",
        version="4.0.2",
    )


@pytest.mark.parametrize("few_first", [True, False])
def test_mpich_4_changes_its_algorithms_at_the_sizes_of_a_selection_file(few_first: bool, tmp_path: Path) -> None:
    below, above = (FEW_MESSAGES, MORE_MESSAGES) if few_first else (MORE_MESSAGES, FEW_MESSAGES)
    library = library_of(mpi_named("mpich4"))
    file = export(tmp_path, of_mpich(below, above), "mpich-json", "--library", library)
    env = {f"MPIR_CVAR_{one.upper()}_DEVICE_COLLECTIVE": "0" for one in MORE}
    env["MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"] = str(file)
    assert sent(tmp_path, env, 99) == (FEW if few_first else MORE)
    assert sent(tmp_path, env, 100) == (MORE if few_first else FEW)


def test_mpich_4_uses_what_its_variables_say_for_any_size(tmp_path: Path) -> None:
    for algorithms, expected in ((FEW_MESSAGES, FEW), (MORE_MESSAGES, MORE)):
        env = assigned(export(tmp_path, of_mpich(algorithms, algorithms), "mpich-env"))
        assert sent(tmp_path, env, 100) == expected


@pytest.mark.parametrize("mpi", INTEL, ids=str)
def test_intel_mpi_uses_what_its_variables_say(mpi: Mpi, tmp_path: Path) -> None:
    def fingerprints(*choices: dict[str, Any]) -> dict[str, str]:
        env = assigned(export(tmp_path, data(*choices, flavour="intel"), "impi-env"))
        calls = ("allreduce:96", "allreduce:8000", "reduce_scatter:96", "reduce_scatter:8000")
        return run(mpi, tmp_path, env, *calls, ranks=5)[0]

    basic, _ = run(mpi, tmp_path, {"I_MPI_ADJUST_ALLREDUCE": "0"}, "allreduce:96", ranks=5)
    ring = fingerprints(choice("allreduce", 5, (0, None, "ring")), choice("reduce_scatter", 5, (0, None, "pairwise")))
    both = fingerprints(
        choice("allreduce", 5, (0, 1000, "native"), (1000, None, "ring")),
        choice("reduce_scatter", 5, (0, 2000, "recursive_halving"), (2000, None, "pairwise")),
    )
    numbered = fingerprints(
        choice("allreduce", 5, (0, 1000, "native_adjust_0"), (1000, None, "native_adjust_8")),
        choice("reduce_scatter", 5, (0, 2000, "native_adjust_1"), (2000, None, "native_adjust_2")),
    )
    assert numbered == both, "the same algorithms by Intel's own numbers"
    assert ring["allreduce:96"] != basic["allreduce:96"]
    assert both["allreduce:96"] == basic["allreduce:96"]
    assert both["allreduce:8000"] == ring["allreduce:8000"]
    assert both["reduce_scatter:96"] != ring["reduce_scatter:96"]
    assert both["reduce_scatter:8000"] == ring["reduce_scatter:8000"]
