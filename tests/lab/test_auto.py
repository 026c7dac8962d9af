"""`auto` on a lab: what it learns where ranks come late."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.labs import OURS, STARLING, lab, lab_up, machine, on_lab
from starling.records import record
from support.mpis import ROOT, Mpi, compile_c, installed_mpis

pytestmark = pytest.mark.alone

PREFIX = f"{OURS}a"
HOSTS = 4
BLOCK = 65536
TRANSFER = (HOSTS - 1) * BLOCK * 8 / 100e6
"""Seconds in which a host's link of 100 Mbit/s carries what it must receive: no way is faster."""
PAUSES = (15, 150)
"""Milliseconds: about the time of a collective, and ten times that."""


@pytest.fixture(scope="module", autouse=True)
def hosts() -> Iterator[None]:
    """A lab of four hosts on a switch."""
    before = machine()
    lab("down", "--prefix", PREFIX)
    lab_up("--prefix", PREFIX, f"single:{HOSTS}")
    yield
    lab("down", "--prefix", PREFIX).check()
    assert machine() == before


@pytest.fixture(params=[mpi for mpi in installed_mpis() if mpi.name in {"openmpi4", "mpich5"}], ids=str)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    """Two MPIs that a lab supports."""
    found: Mpi = request.param
    return found


@pytest.mark.parametrize("who", [2, -1], ids=["always-the-same", "a-random-one"])
@pytest.mark.parametrize("pause", PAUSES)
def test_a_late_rank_is_no_slow_algorithm(mpi: Mpi, tmp_path: Path, pause: int, who: int) -> None:
    """Of three ways, `gather_bcast` sends twice as much over the link of one host: it takes twice as long.

    What was learnt has no pause in it, which would be 1 or 10 times TRANSFER in addition. It may be less than TRANSFER:
    some of the data is there before the late rank is. The late rank's own calls are then so short that 40 of them are
    hardly at stake: what is tried here must not depend on that.
    """
    path = tmp_path / "record.json"
    program = compile_c(mpi, ROOT / "tests/lab/late.c", tmp_path)
    only = "ring,gather_bcast"
    options = ["--record", str(path), "--history", "off", "--probe", "start", "--strategy", "auto", "--only", only]
    tuned = ["env", "STARLING_STAKE=0", *STARLING, "run", *options, "--"]
    calls = "40" if who >= 0 else "100"  # of few agreements all may find the same rank late by chance
    line = [*tuned, mpi.launcher[0], "-n", str(HOSTS), str(program), calls, str(BLOCK), str(pause), str(who)]
    outcome = on_lab(mpi, PREFIX, [], line)
    outcome.check()
    found, _ = record.read(path)
    (context,) = (one for one in found.contexts if one.collective == "allgather")
    assert context.winner in {"native", "ring"}, outcome.report()
    times = {one.name: one.agreed_s for one in context.candidates if one.agreed_s is not None}
    assert times[context.winner] < 1.7 * TRANSFER, times
    assert times.get("gather_bcast", 1) > times[context.winner], times
    arrivals = context.arrivals
    assert arrivals is not None
    assert arrivals.slowest_s is not None
    assert arrivals.fastest_s is not None
    assert arrivals.slowest_s > arrivals.fastest_s
    if pause == max(PAUSES):
        assert arrivals.waiting > 0.5, arrivals
        last = {one.rank: one.calls for one in arrivals.last}
        if who >= 0:
            assert last.get(who, 0) > 0.8 * sum(last.values()), arrivals
        else:
            assert len(last) > 1, arrivals


def test_where_ranks_begin_together_the_slowest_rank_counts(mpi: Mpi, tmp_path: Path) -> None:
    """An allreduce before each allgather: nobody comes late to that, so no time in it is waiting for late ranks.

    Open MPI's allgather of four ranks lets them go one by one, and they wait for the last one in the allreduce.
    """
    path = tmp_path / "record.json"
    program = compile_c(mpi, ROOT / "examples/power_iteration/power_iteration.c", tmp_path)
    tuned = [*STARLING, "run", "--record", str(path), "--history", "off", "--budget", "0%", "--"]
    outcome = on_lab(mpi, PREFIX, [], [*tuned, mpi.launcher[0], "-n", str(HOSTS), str(program), "60"])
    outcome.check()
    found, _ = record.read(path)
    (context,) = (one for one in found.contexts if one.collective == "allgather")
    native = context.candidate("native")
    assert native is not None
    assert native.agreed_s is not None
    assert context.arrivals is not None
    slowest, mean = context.arrivals.slowest_s or 0.0, context.arrivals.mean_s or 0.0
    assert native.agreed_s > 0.9 * slowest, outcome.report()
    assert mpi.name != "openmpi4" or mean < 0.85 * slowest, "nothing is shown where ranks leave together"
