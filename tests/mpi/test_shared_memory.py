"""Memory that ranks of a node share: progress of MPI meanwhile, what happens without it, and what is left of it."""

from __future__ import annotations

import fcntl
import os
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from starling.records.record import RunRecord
from support.mpis import Mpi, compile_c, debian_mpis, installed_mpis, mpi_named, run_ranks
from support.processes import Outcome
from support.tuned import library, on_hosts_of, on_hosts_of_two, preloaded, printed_natively, run_tuned

SOURCE = Path(__file__).parent / "shared_memory.c"
NODE_MEMORY = Path(__file__).parent / "node_memory.c"
FORCED = "forced:barrier:shared,bcast:shared,allreduce:shared"
COLLECTIVES = (
    "barrier bcast reduce allreduce allgather allgatherv gather gatherv scatter scatterv alltoall alltoallv "
    "reduce_scatter reduce_scatter_block scan exscan"
).split()
EVERYTHING = "forced:" + ",".join(f"{one}:shared" for one in COLLECTIVES)
ONCE = tuple(one for one in COLLECTIVES if one not in ("barrier", "reduce"))
COPIED_ONCE = "forced:" + ",".join(f"{one}:shared" + ("?copies=once" if one in ONCE else "") for one in COLLECTIVES)
LEAST_COPIED_ONCE = 64 << 10
"""Smaller blocks go natively then."""
WHOLE = "shared?part=whole,copies=twice"
"""The allreduce of these."""
SOME_BYTES = 1 << 20
SOME = str(SOME_BYTES)
"""The largest calls of most tests here, in bytes."""
LEAST_IN_PLACE = 8 << 20
"""Bytes of one publication that its reader copies from the publisher's memory."""
LARGE = str(LEAST_IN_PLACE)
IN_FRONT = 1 << 10
"""More bytes than the first rank finds memory for besides its own part: what stands in front of the parts of all."""
ONLY_LARGE = f"{1 << 19}-{LARGE}"


@pytest.fixture(params=debian_mpis(), ids=str)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    found: Mpi = request.param
    return found


@pytest.fixture
def program(mpi: Mpi, tmp_path: Path) -> str:
    return str(compile_c(mpi, SOURCE, tmp_path))


@pytest.fixture
def checked(mpi: Mpi, tmp_path: Path) -> str:
    return str(compile_c(mpi, NODE_MEMORY, tmp_path, ["-rdynamic", "-O3"]))


def bytes_read(outcome: Outcome) -> dict[int, int]:
    """What rank 0 has read of other processes' memory, by the bytes of the calls."""
    return {int(size): read for size, read in numbers(outcome).items() if size.isdigit()}


def numbers(outcome: Outcome) -> dict[str, int]:
    """What rank 0 has printed."""
    pairs = (line.partition(": ") for line in outcome.stdout.splitlines())
    return {name: int(number) for name, colon, number in pairs if colon}


def notes(record: RunRecord, name: str = "shared", least: int = 0) -> set[str]:
    """The notes of the forced candidates, which all ran with calls of so many bytes and more."""
    ran = [one for context in record.contexts for one in context.candidates if one.name == name and one.samples]
    winners = {context.winner for context in record.contexts if context.bytes is None or context.bytes >= least}
    assert {one.partition("?")[0] for one in winners} == {name}
    return {one.note for one in ran}


def shared_files() -> set[Path]:
    """Files of Starling's in shared memory."""
    return set((Path("/dev") / "shm").glob("starling-*"))


def is_held(file: Path) -> bool:
    """Whether it belongs to a job that goes on: its maker holds its lock for as long as it has a name."""
    try:
        with file.open("rb") as opened:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (FileNotFoundError, BlockingIOError):
        return True
    return False


@pytest.fixture
def left() -> Callable[[], set[Path]]:
    """Tells which files jobs that have ended since the test began have left."""
    before = shared_files()
    return lambda: {one for one in shared_files() - before if not is_held(one)}


@pytest.mark.parametrize("strategy", [EVERYTHING, "brute-force"])
def test_elements_may_become_larger_than_pieces_and_lie_far_apart(mpi: Mpi, tmp_path: Path, strategy: str) -> None:
    argv = [str(compile_c(mpi, Path(__file__).parent / "other_elements.c", tmp_path))]
    assert printed_natively(mpi, 2, argv, tmp_path) == "0 wrong\n"
    outcome, _ = run_tuned(mpi, 2, argv, strategy, tmp_path)
    assert outcome.stdout == "0 wrong\n", outcome.report()


def test_a_rank_that_waits_lets_mpi_make_progress(mpi: Mpi, program: str, tmp_path: Path) -> None:
    _, record = run_tuned(mpi, 3, [program, "late"], FORCED, tmp_path)
    assert {context.winner for context in record.contexts} >= {"shared?copies=twice", "shared?k=2"}


def test_a_rank_that_is_ahead_waits_for_room(mpi: Mpi, program: str, tmp_path: Path) -> None:
    _, record = run_tuned(mpi, 3, [program, "ahead"], FORCED, tmp_path)
    (context,) = (one for one in record.contexts if one.collective == "bcast")
    assert (context.winner, context.calls) == ("shared?copies=twice", 201)


def test_making_the_segment_is_in_no_calls_time(mpi: Mpi, program: str, tmp_path: Path) -> None:
    _, record = run_tuned(mpi, 3, [program, "late"], FORCED, tmp_path)
    made = [one.setup_s for context in record.contexts for one in context.candidates if one.setup_s is not None]
    assert len(made) == 1, "the first candidate that shares memory makes it for all"
    assert made[0] > 0


def test_where_a_rank_cannot_share_memory_all_go_natively(
    mpi: Mpi, program: str, tmp_path: Path, left: Callable[[], set[Path]]
) -> None:
    _, record = run_tuned(mpi, 3, [program, "refused"], FORCED, tmp_path)
    (context,) = (one for one in record.contexts if one.collective == "allreduce")
    assert context.winner == "native"
    (forced,) = (one for one in context.candidates if one.public_name == WHOLE)
    assert forced.reason is not None
    assert forced.reason == "ranks of a node cannot share memory: one can open no more files"
    assert [one.why for one in context.decisions][1:] == [f"it cannot serve here: {forced.reason}"]
    assert not left()


LITTLE_MEMORY = """
printf 'MemAvailable: 8000 kB\\n' >$0 && mount --bind $0 /proc/meminfo && exec "$@"
"""


def test_what_is_shared_leaves_most_of_the_memory_that_is_available(mpi: Mpi, program: str, tmp_path: Path) -> None:
    # A segment of three ranks has 0.83 MiB: two have less than a quarter of 8 MB, three more.
    argv = [*in_own_mounts(LITTLE_MEMORY)[:-1], str(tmp_path / "meminfo"), program, "many"]
    _, record = run_tuned(mpi, 3, argv, FORCED, tmp_path)
    (context,) = (one for one in record.contexts if one.collective == "allreduce")
    (forced,) = (one for one in context.candidates if one.public_name == WHOLE)
    assert forced.samples == 3, "on the first two communicators and on the last, when these are freed"
    too_much = "ranks of a node cannot share memory: it would take more than a quarter of what is available"
    assert forced.note == f"not on every communicator: {too_much}"


def test_what_a_process_shares_is_bounded(mpi: Mpi, program: str, tmp_path: Path) -> None:
    _, record = run_tuned(mpi, 3, [program, "many"], FORCED, tmp_path)
    (context,) = (one for one in record.contexts if one.collective == "allreduce")
    samples = {one.public_name: one.samples for one in context.candidates if one.samples}
    assert set(samples) == {"native", WHOLE}
    # A segment of three ranks has 0.83 MiB of 256; the last call is made when all others are freed.
    assert 290 < samples[WHOLE] < 360


@pytest.mark.parametrize(
    ("most", "ranks", "calls", "says"),
    [
        ("0", 3, 0, "STARLING_SHARED_MEMORY is 0: ranks of a node share none"),
        ("1", 3, 2, "ranks of a node may share no more than 1 MiB"),  # on the first communicator, and on the last one
        ("1", 4, 0, "ranks of a node may share no more than 1 MiB"),
    ],
)
def test_a_user_bounds_what_a_process_shares(
    mpi: Mpi, program: str, most: str, ranks: int, calls: int, says: str, tmp_path: Path
) -> None:
    _, record = run_tuned(mpi, ranks, [program, "many"], FORCED, tmp_path, {"STARLING_SHARED_MEMORY": most})
    (context,) = (one for one in record.contexts if one.collective == "allreduce")
    (forced,) = (one for one in context.candidates if one.public_name == WHOLE)
    assert forced.samples == calls
    if calls > 0:
        assert (forced.eligible, forced.note) == (True, f"not on every communicator: {says}")
    else:
        assert forced.reason == says
    assert [one.why for one in context.decisions if one.why.endswith(f"cannot serve here: {says}")]


def test_nodes_of_different_sizes_have_a_segment_each(mpi: Mpi, program: str, tmp_path: Path) -> None:
    forced = "forced:barrier:two_level?inner=shared,bcast:two_level?inner=shared"
    _, record = run_tuned(mpi, 5, on_hosts_of_two([program, "late"]), forced, tmp_path)
    (context,) = (one for one in record.contexts if one.collective == "bcast")
    assert context.winner == "two_level?inner=shared,outer=binomial"


def test_nothing_is_left_when_a_rank_is_killed(
    mpi: Mpi, program: str, tmp_path: Path, left: Callable[[], set[Path]]
) -> None:
    settings = {"STARLING_STRATEGY": FORCED, "STARLING_HISTORY": "off", "STARLING_PLATFORM": "nodes"}
    outcome = run_ranks(mpi, 3, [program, "killed"], {**preloaded(mpi, tmp_path, [library(mpi)]), **settings})
    assert outcome.status != 0
    assert not left()


@pytest.mark.parametrize(("ranks", "largest"), [(2, LEAST_IN_PLACE), (3, LEAST_IN_PLACE)])
def test_large_data_is_copied_once(mpi: Mpi, checked: str, tmp_path: Path, ranks: int, largest: int) -> None:
    outcome, record = run_tuned(mpi, ranks, [checked, str(largest), "reads"], EVERYTHING, tmp_path)
    assert notes(record) == {""}
    # At least half of what rank 0 gets in the alltoalls of so many bytes, for their writers may help; those of more
    # than two ranks have several readers.
    read = bytes_read(outcome)
    assert max(read) >= LEAST_IN_PLACE
    assert all(read[size] >= (ranks - 1) * size for size in read if size >= LEAST_IN_PLACE)
    assert all(read[size] < 1000 for size in read if size < LEAST_IN_PLACE), "no more than whether they may"


@pytest.mark.parametrize("other", [one for one in installed_mpis() if one not in debian_mpis()], ids=str)
def test_other_libraries_share_memory_too(other: Mpi, tmp_path: Path) -> None:
    checked = str(compile_c(other, NODE_MEMORY, tmp_path, ["-rdynamic", "-O3"]))
    for ways, least in ((EVERYTHING, 0), (COPIED_ONCE, LEAST_COPIED_ONCE)):
        outcome, record = run_tuned(other, 3, [checked, SOME, "reads"], ways, tmp_path)
        assert notes(record, least=least) == {""}
        assert (max(bytes_read(outcome).values()) > SOME_BYTES) == (ways == COPIED_ONCE)


@pytest.mark.parametrize("ranks", [2, 3])
def test_data_is_copied_once_where_the_candidate_says_so(mpi: Mpi, checked: str, tmp_path: Path, ranks: int) -> None:
    size = 1 << 19
    outcome, record = run_tuned(mpi, ranks, [checked, f"{size}-{size}", "reads"], COPIED_ONCE, tmp_path)
    won = {one.collective: one.winner for one in record.contexts if one.bytes in (size, None)}
    assert {won[one] for one in ONCE} == {"shared?copies=once", "shared?part=whole,copies=once"}
    assert notes(record, least=LEAST_COPIED_ONCE) == {""}
    assert bytes_read(outcome)[size] >= (ranks - 1) * size


def test_a_rank_that_waits_copies_for_its_reader(mpi: Mpi, checked: str, tmp_path: Path) -> None:
    outcome, record = run_tuned(mpi, 2, [checked, ONLY_LARGE, "slowly"], COPIED_ONCE, tmp_path)
    assert notes(record, least=LEAST_COPIED_ONCE) == {""}
    # Of the root's bcasts and scatters at least the last part of one.
    assert numbers(outcome)["written"] >= LEAST_COPIED_ONCE
    assert numbers(outcome)["refused"] == 0


def test_where_ranks_may_not_write_readers_copy_alone(mpi: Mpi, checked: str, tmp_path: Path) -> None:
    outcome, record = run_tuned(mpi, 2, [checked, ONLY_LARGE, "only-reads"], COPIED_ONCE, tmp_path)
    assert notes(record, least=LEAST_COPIED_ONCE) == {""}
    assert numbers(outcome)["written"] < 1000, "no more than what MPI finds out by itself"
    # Once for each communicator and reader: what was refused is not tried again.
    assert numbers(outcome)["refused"] == 1


@pytest.mark.parametrize(("sizes", "ways"), [(LARGE, EVERYTHING), (ONLY_LARGE, COPIED_ONCE)], ids=["twice", "once"])
def test_what_cannot_be_read_is_asked_for(mpi: Mpi, checked: str, tmp_path: Path, sizes: str, ways: str) -> None:
    for what in ("partly", "secret", "changes"):
        outcome, record = run_tuned(mpi, 3, [checked, sizes, what], ways, tmp_path)
        assert notes(record, least=LEAST_COPIED_ONCE) == {""}, what
        assert max(bytes_read(outcome).values()) > 0 or what == "secret"


def test_where_ranks_may_not_read_each_other_large_data_is_copied_twice(mpi: Mpi, checked: str, tmp_path: Path) -> None:
    for what, why in (("refuses", "does not let ranks read"), ("others", "cannot find each other's processes")):
        outcome, record = run_tuned(mpi, 3, [checked, LARGE, what], EVERYTHING, tmp_path)
        (note,) = notes(record)
        assert note.startswith("large data is copied twice: ")
        assert why in note
        assert max(bytes_read(outcome).values()) < 1000, "no more than whether they may"


def test_a_rank_that_dies_in_a_large_call_ends_the_job(
    mpi: Mpi, checked: str, tmp_path: Path, left: Callable[[], set[Path]]
) -> None:
    settings = {"STARLING_STRATEGY": EVERYTHING, "STARLING_HISTORY": "off", "STARLING_PLATFORM": "nodes"}
    outcome = run_ranks(mpi, 2, [checked, LARGE, "killed"], {**preloaded(mpi, tmp_path, [library(mpi)]), **settings})
    assert outcome.status != 0
    assert not left()


@pytest.mark.parametrize("killed", ["killed", "reader-killed"])
@pytest.mark.parametrize("ways", [EVERYTHING, COPIED_ONCE], ids=["twice", "once"])
def test_a_death_that_no_launcher_sees_ends_the_job(
    mpi: Mpi, checked: str, tmp_path: Path, ways: str, killed: str
) -> None:
    # The launcher's child, a shell, lives on. Natively such a job hangs. What the other ranks say goes to a file, for
    # MPICH's launcher may lose it when they end the job.
    rank = 0 if killed == "killed" else 2
    said = tmp_path / "said"
    goes_on = f'test "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" != {rank} && exec "$@" 2>>{shlex.quote(str(said))}'
    unseen = ["sh", "-c", f'{goes_on}; "$@"; exec sleep 1000', "sh", checked, LARGE, killed]
    settings = {"STARLING_STRATEGY": ways, "STARLING_HISTORY": "off", "STARLING_PLATFORM": "nodes"}
    outcome = run_ranks(mpi, 3, unseen, {**preloaded(mpi, tmp_path, [library(mpi)]), **settings})
    assert outcome.status != 0
    assert f"rank {rank} has ended in the middle of a call" in said.read_text()


def test_each_rank_finds_memory_for_its_own_part(mpi: Mpi, checked: str, tmp_path: Path) -> None:
    ranks = 3
    outcome, _ = run_tuned(mpi, ranks, [checked, "1", "reads"], EVERYTHING, tmp_path)
    told = numbers(outcome)
    share = told["shared"] / ranks
    assert share - IN_FRONT < told["found at least"] <= told["found at most"] < share + IN_FRONT


WITHOUT_SHM = {"OMPI_MCA_btl": "tcp,self"}
"""Lets Open MPI do without shared memory of its own."""
_SMALL_SHM = 'mount -t tmpfs -o size=64k none /dev/shm && exec "$@"'
_NO_SHM = """
new=$(mktemp -d) && mount -t tmpfs none $new && mkdir $new/pts && mount --bind /dev/pts $new/pts &&
for one in full null ptmx random tty urandom zero; do
  touch $new/$one && mount --bind /dev/$one $new/$one || exit
done &&
mount --rbind $new /dev && exec "$@"
"""


def in_own_mounts(script: str) -> list[str]:
    """What stands before a launcher to change its mounts. As root."""
    return ["unshare", "--mount", "sh", "-c", script, "sh"]


@pytest.mark.parametrize("script", [_SMALL_SHM, _NO_SHM], ids=["full", "missing"])
def test_the_folder_of_shared_memory_is_needed_only_where_anonymous_files_are_refused(
    tmp_path: Path, script: str
) -> None:
    # Only Open MPI: over TCP MPICH 4 hangs in MPI_Finalize now and then, and MPICH 5 needs the folder; both without
    # Starling too.
    mpi = mpi_named("openmpi4")
    checked = str(compile_c(mpi, NODE_MEMORY, tmp_path, ["-rdynamic", "-O3"]))
    before = in_own_mounts(script)
    outcome, record = run_tuned(mpi, 2, [checked, SOME, "reads"], EVERYTHING, tmp_path, WITHOUT_SHM, before=before)
    assert notes(record) == {""}
    assert max(bytes_read(outcome).values()) > 0
    argv = [checked, SOME, "reads", "no-memfd"]
    _, record = run_tuned(mpi, 2, argv, EVERYTHING, tmp_path, WITHOUT_SHM, before=before)
    for context in record.contexts:
        assert context.winner == "native"
        (reason,) = {one.reason for one in context.candidates if one.name == "shared" and one.reason}
        assert reason.startswith("ranks of a node cannot share memory: the system has none")


def test_a_named_file_serves_where_anonymous_ones_are_refused(
    mpi: Mpi, checked: str, tmp_path: Path, left: Callable[[], set[Path]]
) -> None:
    outcome, record = run_tuned(mpi, 2, [checked, SOME, "reads", "no-memfd"], EVERYTHING, tmp_path)
    assert notes(record) == {""}
    assert max(bytes_read(outcome).values()) > 0
    assert not left()


def test_ranks_in_namespaces_of_their_own_copy_twice(tmp_path: Path, left: Callable[[], set[Path]]) -> None:
    # Only Open MPI, without its shared memory: it takes ranks whose processes have one number for one process, and
    # MPICH 4 with UCX hangs in MPI_Finalize; both without Starling too.
    openmpi = mpi_named("openmpi4")
    program = str(compile_c(openmpi, NODE_MEMORY, tmp_path, ["-rdynamic"]))
    argv = ["unshare", "--ipc", "--pid", "--fork", "--kill-child", program, SOME, "reads"]
    outcome, record = run_tuned(openmpi, 3, argv, EVERYTHING, tmp_path, WITHOUT_SHM)
    (note,) = notes(record)
    assert "in PID namespaces of their own" in note
    assert max(bytes_read(outcome).values()) < 1000
    assert not left()


@pytest.mark.parametrize(
    ("forced", "name", "why"),
    [
        (EVERYTHING, "shared", "needs all ranks on one node"),
        ("forced:bcast:two_level?inner=shared", "two_level", "each rank is alone on its node"),
    ],
)
def test_a_rank_alone_on_its_node_shares_nothing(
    mpi: Mpi, checked: str, tmp_path: Path, forced: str, name: str, why: str
) -> None:
    _, record = run_tuned(mpi, 3, on_hosts_of(1, [checked, SOME, "reads"]), forced, tmp_path)
    refused = [one for context in record.contexts for one in context.candidates if one.name == name]
    assert {one.reason for one in refused} == {why}
    assert {context.winner for context in record.contexts} == {"native"}


def test_ranks_ask_which_processors_they_may_use(mpi: Mpi, checked: str, tmp_path: Path) -> None:
    first = str(min(os.sched_getaffinity(0)))
    outcome, record = run_tuned(mpi, 3, ["taskset", "--cpu-list", first, checked, SOME, "reads"], EVERYTHING, tmp_path)
    assert notes(record) == {""}
    assert "processors: 1" in outcome.stdout.splitlines(), "in MPI_Init"
