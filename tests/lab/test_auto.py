"""`auto` where ranks come late: on a simulated cluster, whose times repeat, and with real MPI on a lab."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.labs import OURS, STARLING, lab, lab_up, machine, on_lab
from starling.records import record
from starling.records.record import Context
from support.mpis import ROOT, Mpi, compile_c, installed_mpis

PREFIX = f"{OURS}a"
HOSTS = 4
BLOCK = 65536
TRANSFER = (HOSTS - 1) * BLOCK * 8 / 100e6
"""Seconds in which a host's link of 100 Mbit/s carries what it must receive: no way is faster."""
CALLS = 100
"""Of few agreements all may find the same rank late by chance."""
PAUSES = (15, 150)
"""Milliseconds: about the time of a collective, and ten times that."""
LATE = ROOT / "tests/lab/late.c"
WHO = pytest.mark.parametrize("who", [2, -1], ids=["always-the-same", "a-random-one"])
TUNED = {"STAKE": "0", "PROBE": "start", "ONLY": "ring,gather_bcast"}
"""The late rank's own calls are short, since some of the data is there before it is, and hardly at stake: what is tried
here must not depend on that."""


def allgathers(path: Path) -> Context:
    found, _ = record.read(path)
    (context,) = (one for one in found.contexts if one.collective == "allgather")
    return context


def learnt(context: Context) -> dict[str, float]:
    """Seconds of each candidate that was tried."""
    return {one.name: one.agreed_s for one in context.candidates if one.agreed_s is not None}


def simulated(path: Path, ranks: int, program: Path, words: list[str], **settings: str) -> Context:
    """What `auto` records of the allgathers of a program on simulated hosts."""
    asked = ("--platform", f"single:{ranks}", "--ranks", str(ranks), "--strategy", "auto", "--record", str(path))
    env = os.environ | {f"STARLING_{name}": value for name, value in settings.items()}
    lab("simulate", *asked, "--", str(program), *words, env=env).check()
    return allgathers(path)


@WHO
@pytest.mark.parametrize("pause", PAUSES)
def test_what_is_learnt_has_no_pause_in_it(pause: int, who: int, tmp_path: Path) -> None:
    words = [str(CALLS), str(BLOCK), str(pause), str(who)]
    context = simulated(tmp_path / "record.json", HOSTS, LATE, words, **TUNED)
    times = learnt(context)
    assert context.winner in {"native", "ring"}
    assert set(times) > {"native"}, "nothing else was tried"
    assert times[context.winner] < 1.15 * TRANSFER, times  # links carry 94 % of their rate
    assert max(times.values()) < 1.7 * TRANSFER, times
    arrivals = context.arrivals
    assert arrivals is not None
    assert arrivals.slowest_s is not None
    assert arrivals.fastest_s is not None
    assert arrivals.slowest_s - arrivals.fastest_s == pytest.approx(pause / 1000, rel=0.02)
    assert arrivals.fastest_s < 1.15 * TRANSFER
    last = {one.rank: one.calls for one in arrivals.last}
    assert set(last) == ({who} if who >= 0 else set(range(HOSTS)))


def test_where_ranks_begin_together_the_slowest_rank_counts(tmp_path: Path) -> None:
    """An allreduce before each allgather: nobody comes late to that, so no time in it is waiting for late ranks.

    Native's allgather of three ranks lets them go one by one, and they wait for the last one in the allreduce.
    """
    program = ROOT / "examples/power_iteration/power_iteration.c"
    context = simulated(tmp_path / "record.json", 3, program, ["60"], BUDGET="0")
    assert context.arrivals is not None
    slowest, mean = context.arrivals.slowest_s or 0.0, context.arrivals.mean_s or 0.0
    assert learnt(context) == {"native": pytest.approx(slowest, rel=0.01)}
    assert mean < 0.95 * slowest, "nothing is shown where ranks leave together"


@pytest.fixture(scope="module")
def hosts() -> Iterator[None]:
    """A lab of four hosts on a switch."""
    before = machine()
    lab("down", "--prefix", PREFIX)
    lab_up("--prefix", PREFIX, f"single:{HOSTS}", "--no-check")
    yield
    lab("down", "--prefix", PREFIX).check()
    assert machine() == before


@pytest.mark.links
@pytest.mark.usefixtures("hosts")
@WHO
@pytest.mark.parametrize("mpi", [mpi for mpi in installed_mpis() if mpi.name in {"openmpi4", "mpich5"}], ids=str)
def test_a_late_rank_is_no_slow_algorithm(mpi: Mpi, tmp_path: Path, who: int) -> None:
    """Of three ways, `gather_bcast` sends twice as much over the link of one host: it takes twice as long.

    With its pauses a call takes ten times TRANSFER for most ranks; a busy machine may take twice TRANSFER without them.
    """
    pause = max(PAUSES) / 1000
    path = tmp_path / "record.json"
    program = compile_c(mpi, LATE, tmp_path)
    options = ["--record", str(path), "--history", "off", "--strategy", "auto"]
    tuned = ["env", *(f"STARLING_{name}={value}" for name, value in TUNED.items()), *STARLING, "run", *options, "--"]
    calls = str(CALLS if who < 0 else 40)
    line = [*tuned, mpi.launcher[0], "-n", str(HOSTS), str(program), calls, str(BLOCK), str(max(PAUSES)), str(who)]
    outcome = on_lab(mpi, PREFIX, [], line)
    outcome.check()
    context = allgathers(path)
    times = learnt(context)
    assert context.winner in {"native", "ring"}, outcome.report()
    assert times[context.winner] < pause / 2, times
    assert times.get("gather_bcast", 1) > times[context.winner], times
    arrivals = context.arrivals
    assert arrivals is not None
    assert arrivals.slowest_s is not None
    assert arrivals.fastest_s is not None
    assert arrivals.slowest_s > arrivals.fastest_s + pause / 2, arrivals
    assert arrivals.waiting > 0.5, arrivals
    last = {one.rank: one.calls for one in arrivals.last}
    if who >= 0:
        assert last.get(who, 0) > 0.8 * sum(last.values()), arrivals
    else:
        assert len(last) > 1, arrivals
