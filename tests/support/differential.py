"""Random collectives compared with the MPI library's own results, by ways that are chosen in rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from pathlib import Path

from starling.records.record import Context
from support.mpis import ROOT, Mpi, compile_cxx
from support.tuned import run_tuned


def differential(mpi: Mpi, folder: Path) -> str:
    """The program that compares, tests/mpi/differential.cpp, compiled into `folder`."""
    return str(compile_cxx(mpi, ROOT / "tests/mpi/differential.cpp", folder, [f"-I{ROOT / 'include'}"]))


def rounds_of(names: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    """Rounds that together have every name, one of each collective in each."""
    rounds = max(map(len, names.values()))
    return [{collective: known[i % len(known)] for collective, known in names.items()} for i in range(rounds)]


MOST_ROUNDS = 8
"""Of a job: what a record tells of so many is not shortened yet."""


def run_rounds(
    mpi: Mpi,
    ranks: int,
    argv: Sequence[str],
    rounds: Sequence[Mapping[str, str]],
    folder: Path,
    env: Mapping[str, str] | None = None,
) -> set[tuple[str, str]]:
    """Chooses the ways of each round; the algorithms that served several ranks, with their collectives.

    Many rounds in one job, for most of a short one's time is its start and its end. The seed of the cases is the
    number of a job's first round. What was chosen must have carried out the calls wherever eligible, and have a reason
    elsewhere.
    """
    served = set()
    for first in range(0, len(rounds), MOST_ROUNDS):
        some = rounds[first : first + MOST_ROUNDS]
        ways = folder / "ways"
        ways.write_text("".join(" ".join(f"{of}:{way}" for of, way in wanted.items()) + "\n" for wanted in some))
        line = [*argv, "--seed", str(100 * ranks + first), "--ways", str(ways)]
        _, record = run_tuned(mpi, ranks, line, "native", folder, env, timeout=600)
        assert record.left_out is None
        asked = {way for wanted in some for way in wanted.items()}
        for context in record.contexts:
            if context.stage == "forced":
                served |= _served(context, asked)
    return served


def _served(context: Context, asked: Set[tuple[str, str]]) -> set[tuple[str, str]]:
    assert context.candidates_left_out == 0
    native, *chosen = context.candidates
    assert native.name == "native"
    assert sum(one.samples for one in context.candidates) == context.calls
    assert native.samples == 0 or not all(one.eligible for one in chosen)
    for one in chosen:
        assert (context.collective, one.public_name) in asked
        assert one.eligible or one.reason, f"{context.collective}:{one.public_name} is refused without a reason"
        assert (one.samples > 0) == one.eligible, f"{context.collective}:{one.public_name}"
    return {(context.collective, one.name) for one in chosen if one.eligible and context.ranks > 1}
