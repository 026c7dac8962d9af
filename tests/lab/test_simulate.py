"""The simulated cluster: Starling is in it, times repeat to the last digit, results are right, mistakes are told."""

import json
import math
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from lab.labs import BLOCK, SOURCE, lab, said
from starling.lab import simulation, simulator
from starling.lab.simulation import SOURCE as BENCHMARK
from starling.lab.simulation import Case
from starling.networks import platform_file
from starling.records import record
from support import tables
from support.mpis import ROOT, Mpi, compile_c, debian_mpis, run_ranks
from support.tuned import candidates, library, preloaded

PROGRAMS = Path(__file__).parent / "programs"
RATE = 0.94 * 100e6
"""Bits per second that a program gets of a link of a short name."""
UNFIT = "shared|domains|levels?|multilane"
"""Simulated ranks have no memory to share, and here a node each."""
BY_MESSAGES = {of: [one for one in names if not re.search(UNFIT, one)] for of, names in candidates().items()}
FORCED = "forced:" + ",".join(f"{collective}:{names[-1]}" for collective, names in BY_MESSAGES.items() if names)
"""One candidate of every collective that Starling has algorithms for."""


def results(*options: str) -> list[dict[str, Any]]:
    """What the benchmark prints as JSON."""
    found: list[dict[str, Any]] = json.loads(lab("simulate", "--json", *options).check().stdout)["results"]
    return found


def every_collective() -> list[str]:
    """The options that ask for all of them."""
    names = (name for name in candidates() if name != "alltoallw")
    return [word for name in names for word in ("--collective", name)]


def test_calls_are_intercepted_and_times_repeat_to_the_last_digit() -> None:
    asked = ("--platform", "star:2x4", "--ranks", "8", "--collective", "alltoall", "--size", "64KiB")
    names = ("native", "ring", "ring_mpi_barrier")
    strategies = ("native", *(f"forced:alltoall:{name}" for name in names[1:]))
    options = [word for strategy in strategies for word in ("--strategy", strategy)]
    first, second = (results(*asked, *options) for _ in range(2))
    assert first == second
    assert [one["winner"] for one in first] == list(names)
    assert first[2]["median_s"] > first[1]["median_s"]  # the algorithm that was forced did the work: barriers take time
    fastest_possible = 4 * 4 * BLOCK * 8 / RATE  # what the 4 hosts of one switch have for those of the other
    assert all(one["median_s"] > fastest_possible for one in first)
    assert first[1]["median_s"] < 1.6 * fastest_possible


def test_tuning_finds_what_is_fastest_there() -> None:
    native, tuned = results("--platform", "star:2x4", "--ranks", "8", "--collective", "allgather", "--size", "64KiB")
    assert (native["strategy"], tuned["strategy"]) == ("native", "star-basic")
    assert tuned["candidates"][tuned["winner"]] < 1.05 * min(tuned["candidates"].values())
    assert len(tuned["candidates"]) > 5
    assert tuned["median_s"] <= native["median_s"]


@pytest.mark.parametrize("strategy", ["native", FORCED])
def test_every_collective_is_right(strategy: str) -> None:
    found = results(
        "--platform", "tree:3x3", "--ranks", "9", "--size", "120", "--strategy", strategy, *every_collective()
    )
    assert len(found) == len(candidates()) - ("alltoallw" in candidates())
    if strategy != "native":
        assert sum(one["winner"] != "native" for one in found) > len(found) / 2


def test_who_is_done_early_begins_early_where_ranks_compute_between_calls(tmp_path: Path) -> None:
    network = platform_file.platform("single:4")
    program = simulation.compiled(tmp_path, os.environ, print)
    case, strategy = Case("bcast", BLOCK), "forced:bcast:chain?segment=none"
    together, computing = (
        simulation.job(
            program, network, network.hosts, 4, [case], strategy, 2, os.environ, print, computation=seconds, warmup=3
        )[0]
        for seconds in (0, 1)
    )
    assert together.winner == computing.winner == "chain?segment=none"
    hop = BLOCK * 8 / RATE
    assert together.median > 3 * hop  # all three, one after the other
    assert computing.median < 2.1 * hop  # each rank begins as its predecessor has the message: it receives and sends


def test_all_messages_of_a_host_share_the_rate_of_its_memory() -> None:
    ranks = 16
    on_one = ("--platform", "single:1", "--ranks", str(ranks), "--ranks-per-host", str(ranks))
    asked = (*on_one, "--collective", "alltoall", "--size", "64KiB", "--strategy", "forced:alltoall:ring")
    without, abundant, scarce = (
        results(*asked, *options)[0]["median_s"]
        for options in ((), ("--memory-rate", "10tbit"), ("--memory-rate", "80gbit"))
    )
    assert abundant == without
    moved = ranks * (ranks - 1) * BLOCK * 8 / (0.94 * 80e9)
    assert without < moved < scarce < without + moved


def test_256_ranks_on_a_fat_tree() -> None:
    asked = ("--platform", "fattree:16x16", "--rate", "10gbit", "--ranks", "256")
    (found,) = results(*asked, "--calls", "1", "--strategy", "forced:allreduce:recursive_doubling")
    assert found["winner"] == "recursive_doubling"
    assert 8 * 10e-6 < found["median_s"] < 1e-3  # 8 steps over two links or four


def test_many_barriers_take_one_communicator() -> None:
    asked = ("--platform", "single:131", "--ranks", "131", "--collective", "alltoall", "--size", "8", "--calls", "1")
    (found,) = results(*asked, "--strategy", "forced:alltoall:ring_mpi_barrier")
    assert found["winner"] == "ring_mpi_barrier"


def test_a_program_runs_on_the_hosts_of_the_platform(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    asked = ("--platform", "single:4", "--ranks", "4", "--strategy", "forced:alltoall:pair", "--record", str(path))
    outcome = lab("simulate", *asked, "--order", "random", "--", str(SOURCE), str(BLOCK), "2")
    found = said(outcome)
    assert sorted(found["hosts"]) == ["h0", "h1", "h2", "h3"]
    assert found["hosts"] != ["h0", "h1", "h2", "h3"]
    assert found["ranks_per_node"] == ["1"]
    assert float(found["alltoall"][0]) > 3 * BLOCK * 8 / RATE
    seen, _ = record.read(path)
    assert (seen.run.ranks, seen.run.nodes, seen.run.mpi_flavour) == (4, 4, "smpi")
    assert seen.run.program == f"{SOURCE.stem} {BLOCK} 2"
    assert [one.winner for one in seen.contexts if one.collective == "alltoall"] == ["pair"]


@pytest.mark.parametrize(
    ("collective", "slow", "left_at", "of_way"),
    [
        ("allreduce", "ring", 54 + 48, 48 + 16),  # two controls, and a contest of few spells
        # Of these, which ranks may leave early, the time from call to call tells, with the second between calls.
        ("bcast", "chain?segment=none", 54 + 128, 48 + 64),
        ("reduce", "chain?segment=none", 54 + 128, 48 + 64),
        ("scan", "pipeline?segment=8", 54 + 128, 48 + 64),
    ],
)
def test_a_way_of_a_table_that_is_much_slower_than_native_is_left_to_native(
    collective: str, slow: str, left_at: int, of_way: int, tmp_path: Path
) -> None:
    table, path = tmp_path / "table.json", tmp_path / "record.json"
    chosen = tables.choice(collective, 4, (0, None, slow), nodes=4)
    table.write_text(json.dumps(tables.data(chosen, flavour="smpi", version="3.0", machine="here")))
    asked = ("--platform", "single:4", "--ranks", "4", "--strategy", "table", "--record", str(path))
    settings = {"STARLING_TABLE": str(table), "STARLING_MACHINE": "here"}
    lab("simulate", *asked, "--", str(BENCHMARK), "0", "200", f"{collective}:64", env=os.environ | settings).check()
    (context,) = (one for one in record.read(path)[0].contexts if one.collective == collective)
    assert (context.winner, context.stage) == ("native", "native")
    assert [(one.call, one.from_, one.to) for one in context.decisions] == [(0, None, slow), (left_at, slow, "native")]
    assert context.decisions[1].why.startswith(f"native: {slow} takes ")
    assert {one.public_name: one.samples for one in context.candidates} == {"native": 200 - of_way, slow: of_way}


def test_slow_ways_of_one_loop_have_their_contests_one_after_the_other(tmp_path: Path) -> None:
    table, path = tmp_path / "table.json", tmp_path / "record.json"
    slow = {"bcast": "chain?segment=none", "reduce": "chain?segment=none", "scan": "pipeline?segment=8"}
    chosen = [tables.choice(collective, 4, (0, None, way), nodes=4) for collective, way in slow.items()]
    table.write_text(json.dumps(tables.data(*chosen, flavour="smpi", version="3.0", machine="here")))
    asked = ("--platform", "single:4", "--ranks", "4", "--strategy", "table", "--record", str(path))
    settings = {"STARLING_TABLE": str(table), "STARLING_MACHINE": "here"}
    program = Path(__file__).parent / "one_loop.c"
    lab("simulate", *asked, "--", str(program), "1000", env=os.environ | settings).check()
    contexts = {one.collective: one for one in record.read(path)[0].contexts}
    left = [contexts[collective].decisions[-1] for collective in slow]
    # The second and the third begin 80 and 160 calls after their second slower control.
    assert [(one.call, one.to) for one in left] == [
        (27 + 128, "native"),
        (57 + 80 + 64, "native"),
        (57 + 160 + 64, "native"),
    ]


@pytest.mark.parametrize(
    ("platform", "ranks_per_host", "calls", "most"),
    [("single:1", 2, 900, 1.05), ("single:1", 2, 1500, 1.05), ("single:8", 1, 300, 0.7)],
    ids=["too short to learn", "soon after it has learnt", "seconds on a cluster"],
)
def test_learning_from_nothing_costs_a_small_share_of_what_calls_took(
    platform: str, ranks_per_host: int, calls: int, most: float, tmp_path: Path
) -> None:
    network = platform_file.platform(platform)
    hosts = [host for host in network.hosts for _ in range(ranks_per_host)]
    program = simulation.compiled(tmp_path, os.environ, print)
    case = Case("bcast", BLOCK if ranks_per_host == 1 else 4 * BLOCK)
    native, auto = (
        simulation.job(program, network, hosts, len(hosts), [case], strategy, calls, os.environ, print, warmup=0)
        for strategy in ("native", "auto")
    )
    assert sum(auto[0].seconds) < most * sum(native[0].seconds)


@pytest.mark.parametrize(
    ("platform", "ranks_per_host", "most"),
    [("single:16", 1, 0.05), ("single:2", 1, 0.075), ("single:1", 2, 0.005), ("single:1", 16, 0.005)],
)
def test_a_probe_finds_what_messages_cost_in_a_short_time(
    platform: str, ranks_per_host: int, most: float, tmp_path: Path
) -> None:
    network = platform_file.platform(platform)
    hosts = [host for host in network.hosts for _ in range(ranks_per_host)]
    program, path = simulation.compiled(tmp_path, os.environ, print), tmp_path / "record.json"
    settings = {"STRATEGY": "auto", "PROBE": "start", "HISTORY": str(tmp_path / "history"), "RECORD": str(path)}
    env = os.environ | {f"STARLING_{name}": value for name, value in settings.items()}
    words = ["0", "1", "allreduce:8"]
    ended = simulator.run(program, words, network, hosts, len(hosts), env, capture=True, on_line=print)
    assert ended.status == 0, ended.complaint
    seconds = record.read(path)[0].run.probe_s
    assert seconds is not None
    assert seconds < most
    (kept,) = (tmp_path / "history").glob("*.network")
    found = json.loads(kept.read_text())
    overhead = float(simulator.MODEL["smpi/os"].split(":")[1])
    assert found["parameters"]["overhead_s"] == pytest.approx(overhead, rel=0.15), "ranks have a processor each"
    assert not found["parameters"]["large_take_turns"]
    if len(network.hosts) > 1:
        assert found["rate"] == pytest.approx(RATE, rel=0.01)
    else:
        loopback = 5e9
        assert found["parameters"]["memory_s_per_byte"] == pytest.approx(1 / loopback, rel=0.1)


@pytest.mark.parametrize(
    ("program", "words", "status", "says"),
    [
        ("waits_for_ever.c", [], 1, "the simulated program deadlocked: ranks wait for messages that nobody sends"),
        ("gives_up.c", [], 1, "the simulated program called MPI_Abort"),
        ("gives_up.c", ["7"], 7, ""),
    ],
)
def test_a_program_that_fails_is_told(program: str, words: list[str], status: int, says: str) -> None:
    outcome = lab("simulate", "--platform", "single:2", "--ranks", "2", "--", str(PROGRAMS / program), *words)
    assert outcome.status == status, outcome.report()
    assert outcome.stderr == (f"starling: {says}\n" if says else "")


def test_a_crash_of_simgrid_after_a_deadlock_is_not_told(tmp_path: Path) -> None:
    launcher = tmp_path / "smpirun"
    oops = "[1.0] ./src/kernel/EngineImpl.cpp:718: [ker_engine/CRITICAL] Oops! Deadlock detected, some activities are"
    launcher.write_text(f"#!/bin/sh\necho '{oops}' >&2\necho Segmentation fault. >&2\nexit 139\n")
    launcher.chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    asked = ("--platform", "single:2", "--ranks", "2", "--", str(PROGRAMS / "waits_for_ever.c"))
    outcome = lab("simulate", *asked, env=env)
    assert outcome.stderr == "starling: the simulated program deadlocked: ranks wait for messages that nobody sends\n"


@pytest.mark.parametrize("ranks", [3, 7])
def test_few_ranks_gather_large_blocks(ranks: int) -> None:
    size = 256 * 1024
    asked = ("--platform", f"single:{ranks}", "--ranks", str(ranks), "--collective", "gather", "--size", str(size))
    (found,) = results(*asked, "--strategy", "native", "--calls", "1")
    fastest_possible = (ranks - 1) * size * 8 / RATE  # over the root's link
    assert fastest_possible < found["median_s"] < 1.1 * fastest_possible


@pytest.mark.parametrize(
    ("ranks", "collective", "size"), [(3, "alltoall", 600), (7, "alltoall", 600), (65, "alltoallv", 1)]
)
def test_exchanges_by_pairs_take_any_number_of_ranks(ranks: int, collective: str, size: int) -> None:
    asked = ("--platform", f"single:{ranks}", "--ranks", str(ranks), "--collective", collective)
    (found,) = results(*asked, "--size", f"{size}KiB", "--strategy", "native", "--calls", "1")
    assert found["median_s"] > (ranks - 1) * size * 1024 * 8 / RATE


@pytest.mark.parametrize("mesh", ["2x3", "3x2", "2x9", "2x3x2"])
def test_groups_sum_vectors_that_are_shorter_than_a_row(mesh: str) -> None:
    ranks = math.prod(map(int, mesh.split("x")))
    asked = ("--platform", f"single:{ranks}", "--ranks", str(ranks), "--size", "4", "--calls", "1")
    (found,) = results(*asked, "--collective", "allreduce", "--strategy", f"forced:allreduce:groups?mesh={mesh}")
    assert found["winner"] == f"groups?mesh={mesh}"


def test_groups_gather_large_blocks_along_short_rows() -> None:
    mesh = "groups_leader?mesh=7x3"
    asked = ("--platform", "star:3x7", "--ranks", "21", "--collective", "alltoall", "--size", "8KiB", "--calls", "1")
    (found,) = results(*asked, "--strategy", f"forced:alltoall:{mesh}")
    assert found["winner"] == mesh


@pytest.mark.parametrize(
    "candidate", ["gather:groups", "reduce:groups", "allgather:groups_leader", "alltoall:groups_leader"]
)
def test_groups_take_a_mesh_whose_last_row_is_short(candidate: str) -> None:
    collective, _, name = candidate.partition(":")
    asked = ("--platform", "single:7", "--ranks", "7", "--collective", collective, "--size", "1KiB", "--calls", "1")
    (found,) = results(*asked, "--strategy", f"forced:{candidate}?mesh=3x3")
    assert found["winner"] == f"{name}?mesh=3x3"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--platform", "ring:4", "--ranks", "4"], "ring:4: neither a file nor a short name"),
        (["--platform", "single:4", "--ranks", "5"], "--ranks 5: the 4 hosts of single:4 take 4; give fewer"),
        (["--platform", "single:4", "--ranks", "4", "--size", "7"], "--size 7: no such size"),
        (["--platform", "single:4", "--ranks", "4", "--collective", "shout"], "--collective shout: no such collective"),
        (["--platform", "single:4", "--ranks", "4", "--strategy", "best"], "--strategy best: no such strategy"),
        (["--platform", "single:4", "--ranks", "4", "--latency", "soon"], "--latency: 'soon' is no latency"),
        (["--platform", "single:4", "--ranks", "4", "--", "absent.c"], "absent.c: no such file"),
        (["--platform", "single:4", "--ranks", "4", "--record", "r.json"], "--record: the benchmark leaves none; name"),
        (["--platform", "single:4", "--ranks", "4", "--calls", "2", "a.c"], "--calls: this is of the benchmark, which"),
        (["--platform", "single:4", "--ranks", "4", "--record", "no/r.json", "a.c"], "--record no/r.json: there is no"),
        (["--platform", "single:4", "--ranks", "4", "--", "/bin/true"], "/bin/true: Starling is not in it; link it by"),
        (
            ["--platform", "fattree:64x64", "--ranks", "4096", "--collective", "alltoall", "--size", "1M"],
            "the buffers of 4096 ranks take 3.277e+04 GiB",
        ),
    ],
)
def test_what_is_asked_wrongly_is_one_line(options: list[str], says: str) -> None:
    outcome = lab("simulate", *options)
    assert outcome.status == 2, outcome.report()
    assert outcome.stderr.startswith(f"starling: {says}"), outcome.report()
    assert outcome.stderr.count("\n") == 1
    assert outcome.stdout == ""


def test_without_simgrid_one_line_says_what_to_install(tmp_path: Path) -> None:
    env = {**os.environ, "PATH": str(tmp_path)}
    outcome = lab("simulate", "--platform", "single:2", "--ranks", "2", env=env)
    assert outcome.status == 2
    assert outcome.stderr == "starling: smpicc: not found; install SimGrid's SMPI: apt-get install libsimgrid-dev\n"


def test_a_program_that_does_not_compile_is_told(tmp_path: Path) -> None:
    source = tmp_path / "wrong.c"
    source.write_text("int main(void) { return nothing; }\n")
    outcome = lab("simulate", "--platform", "single:2", "--ranks", "2", "--", str(source))
    assert outcome.status == 1
    assert outcome.stderr.startswith("starling: smpicc: ")
    assert "wrong.c:1:" in outcome.stderr


def test_c_plus_plus_and_programs_that_are_linked_already(tmp_path: Path) -> None:
    source = tmp_path / "answer.cpp"
    source.write_text(
        "#include <mpi.h>\n#include <cstdio>\n"
        "int main(int argc, char** argv) { MPI_Init(&argc, &argv); int sum = 0, one = 21;\n"
        "MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); int rank = 0;\n"
        'MPI_Comm_rank(MPI_COMM_WORLD, &rank); if (rank == 0) std::printf("%d\\n", sum); MPI_Finalize(); }\n'
    )
    asked = ("simulate", "--platform", "single:2", "--ranks", "2", "--")
    assert lab(*asked, str(source)).check().stdout == "42\n"
    told = lab(*asked, "/bin/true").stderr
    program = tmp_path / "answer"
    options = told.rpartition("link it by: smpicc ... ")[2].split()
    smpicxx = shutil.which("smpicxx")
    assert smpicxx is not None
    subprocess.run([smpicxx, str(source), "-o", str(program), *options], check=True)
    assert lab(*asked, str(program)).check().stdout == "42\n"


@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_the_benchmark_runs_on_real_mpi(mpi: Mpi, tmp_path: Path) -> None:
    program = compile_c(mpi, ROOT / BENCHMARK, tmp_path)
    cases = [f"{name}:{120 if name != 'barrier' else 0}" for name in candidates() if name != "alltoallw"]
    env = {"STARLING_STRATEGY": FORCED, "STARLING_HISTORY": "off"}
    outcome = run_ranks(
        mpi, 4, [str(program), "1", "3", *cases], {**preloaded(mpi, tmp_path, [library(mpi)]), **env}
    ).check()
    found = json.loads(outcome.stdout)
    assert found["ranks"] == 4
    assert [f"{one['collective']}:{one['bytes']}" for one in found["cases"]] == cases
    assert all(0 < one["min_s"] <= one["median_s"] <= one["max_s"] for one in found["cases"])


def test_a_solver_with_patterns_comes_to_one_residual_by_messages_and_by_windows() -> None:
    solver = [str(ROOT / "examples/solver/solver.c"), *"5 4 3 12".split()]
    found = [
        json.loads(
            lab("simulate", "--platform", "star:2x4", "--ranks", "8", "--", *solver, f"forced:{name}").check().stdout
        )
        for name in ("Sendrecv_pair_pack", "WinfecePut_aao", "PostStartGet_pair")
    ]
    assert len({one["residual"] for one in found}) == 1
    assert len({one["seconds"] for one in found}) == len(found)
