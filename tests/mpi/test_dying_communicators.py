"""Communicators that are used while they are being freed: the program's delete functions run collectives there."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.mpis import Mpi, compile_c, compile_fortran, debian_mpis, run_ranks
from support.tuned import preloaded, printed_natively, run_tuned

HERE = Path(__file__).parent
LEAK = 288
"""KiB more than natively: 36 communicators, and others inside them, that left 8 KiB each."""
BLOCKS_OF_A_KEY = 40
"""Blocks of memory that MPI_Comm_free allocates or frees for a key on rank 0: there are hundreds. A way that won with
communicators of its own has 34."""
SEGMENT = 256 << 10
"""Bytes: less than two ranks share."""
PATIENCE = 120.0
"""Seconds after which a run counts as hung."""
FORCED = "forced:allreduce:recursive_doubling,allgather:ring,bcast:binomial,barrier:dissemination"
CASES = (("before", "star-basic"), ("after", FORCED), ("mixed", "star-basic"), ("mixed", FORCED))
"""When the program sets its attribute (before the first collective, after it, or ranks differ), and the strategy."""


@pytest.mark.parametrize(("when", "strategy"), CASES)
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_delete_functions_may_run_collectives(mpi: Mpi, tmp_path: Path, when: str, strategy: str) -> None:
    program = str(compile_c(mpi, HERE / "dying.c", tmp_path))
    native = run_ranks(mpi, 4, [program, when], preloaded(mpi, tmp_path)).check().stdout.split()
    assert native[:2] == ["0", "wrong,"]
    grown = []
    for _ in range(2):
        outcome, record = run_tuned(mpi, 4, [program, when], strategy, tmp_path, {"STARLING_ITER": "1"}, PATIENCE)
        words = outcome.stdout.split()
        assert words[:2] == ["0", "wrong,"]
        grown.append(int(words[2]))
    # Pages that the MPI library takes late count in one run or the other, a leak in both.
    assert min(grown) < int(native[2]) + LEAK, f"memory grows with the number of communicators: {grown} KiB"
    sums = [context for context in record.contexts if context.collective == "allreduce"]
    assert any(one.samples for context in sums for one in context.candidates if one.name != "native")


def fortran_program(mpi: Mpi, folder: Path, binding: str) -> str:
    """The program that frees in Fortran, with the library in C."""
    library_in_c = compile_c(mpi, HERE / "dying.c", folder, ["-DFOR_FORTRAN", "-shared", "-fPIC"])
    in_c = library_in_c.rename(folder / "libdying.so")
    return str(
        compile_fortran(mpi, HERE / "dying.F90", folder, [f"-DBINDING_{binding}", "-Wl,--no-as-needed", str(in_c)])
    )


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("binding", ["MPI", "F08"])
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_communicators_that_fortran_frees_too(mpi: Mpi, tmp_path: Path, binding: str, when: str) -> None:
    program = fortran_program(mpi, tmp_path, binding)
    plain = run_ranks(mpi, 4, [program, when], preloaded(mpi, tmp_path), PATIENCE).check()
    assert plain.stdout.split() == ["0", "wrong"]
    for strategy in ("star-basic", FORCED):
        outcome, _ = run_tuned(mpi, 4, [program, when], strategy, tmp_path, {"STARLING_ITER": "1"}, PATIENCE)
        assert outcome.stdout.split() == ["0", "wrong"]


@pytest.mark.parametrize("strategy", ["native", "star-basic", "brute-force", "lottery"])
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_freeing_a_communicator_does_little_for_each_key(mpi: Mpi, tmp_path: Path, strategy: str) -> None:
    keys, calls, rounds = 8, 300, 3
    program = str(compile_c(mpi, HERE / "freed.c", tmp_path, ["-rdynamic"]))
    argv = [program, str(keys), str(calls), str(rounds)]
    plain = [int(one) for one in printed_natively(mpi, 2, argv, tmp_path, PATIENCE).split()]
    outcome, record = run_tuned(mpi, 2, argv, strategy, tmp_path, {}, PATIENCE)
    blocks, unmapped = (int(one) for one in outcome.stdout.split())
    assert blocks <= plain[0] + keys * BLOCKS_OF_A_KEY
    assert unmapped < plain[1] + SEGMENT, "to unmap memory that ranks share takes longer than all else"
    tuned = [context for context in record.contexts if context.calls > 1]
    assert [context.calls for context in tuned] == [calls * rounds] * keys, "the record has all the same"
    assert strategy == "native" or all(sum(one.samples > 0 for one in context.candidates) > 10 for context in tuned)


@pytest.mark.parametrize("source", ["unfreed.c", "unfreed.f90"])
@pytest.mark.parametrize("mpi", debian_mpis(), ids=str)
def test_a_communicator_that_could_not_be_freed_is_tuned_as_before(mpi: Mpi, tmp_path: Path, source: str) -> None:
    times = 20
    made = compile_c if source.endswith(".c") else compile_fortran
    argv = [str(made(mpi, HERE / source, tmp_path)), str(times)]
    plain = printed_natively(mpi, 2, argv, tmp_path)
    failed, _, wrong, _ = plain.split()
    assert (int(failed) > 0, int(wrong)) == (True, 0)
    outcome, record = run_tuned(mpi, 2, argv, FORCED, tmp_path, timeout=PATIENCE)
    assert outcome.stdout == plain
    sums = [context for context in record.contexts if context.collective == "allreduce"]
    assert sum(context.calls for context in sums) == 2 * times * int(failed)
    assert {context.winner for context in sums} == {"recursive_doubling"}
