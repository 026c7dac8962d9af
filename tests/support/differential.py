"""Random collectives compared with the MPI library's own results, by ways that are chosen in rounds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from starling.records.record import RunRecord
from support.mpis import ROOT, Mpi, compile_cxx
from support.tuned import run_tuned


def differential(mpi: Mpi, folder: Path) -> str:
    """The program that compares, tests/mpi/differential.cpp, compiled into `folder`."""
    return str(compile_cxx(mpi, ROOT / "tests/mpi/differential.cpp", folder, [f"-I{ROOT / 'include'}"]))


def rounds_of(names: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    """Rounds that together have every name once, at most one of each collective in each."""
    rounds = max(map(len, names.values()))
    return [{of: known[i] for of, known in names.items() if i < len(known)} for i in range(rounds)]


MOST_ROUNDS = 16
"""Of a job: a record has room for what so many tell."""


def run_rounds(
    mpi: Mpi,
    ranks: int,
    argv: Sequence[str],
    rounds: Sequence[Mapping[str, str]],
    folder: Path,
    env: Mapping[str, str] | None = None,
) -> set[tuple[str, str]]:
    """Chooses the ways of each round; the algorithms that served several ranks, with their collectives.

    Many rounds in one job, for most of a short one's time is its start and its end. The seed of the cases depends on
    the number of a job's first round. The record must say of each way that it carried out the blocking calls that it
    did not refuse.
    """
    served = Counter[tuple[str, str]]()
    for first in range(0, len(rounds), MOST_ROUNDS):
        some = rounds[first : first + MOST_ROUNDS]
        ways = folder / "ways"
        ways.write_text("".join(" ".join(f"{of}:{way}" for of, way in wanted.items()) + "\n" for wanted in some))
        line = [*argv, "--seed", str(100 * ranks + first), "--ways", str(ways)]
        outcome, record = run_tuned(mpi, ranks, line, "native", folder, env, timeout=600)
        counted = _counted(outcome.stdout)
        assert set(counted) == {way for wanted in some for way in wanted.items()}
        assert +counted == _recorded(record)
        served += counted
    return {(collective, name.partition("?")[0]) for collective, name in served}


def _counted(stdout: str) -> Counter[tuple[str, str]]:
    """The blocking calls that each way carried out among several ranks, as the program counted them."""
    counted = Counter[tuple[str, str]]()
    for collective, way, number in re.findall(r"^(\w+):(\S+) (\d+) \d+$", stdout, re.MULTILINE):
        counted[collective, way] += int(number)
    return counted


def _recorded(record: RunRecord) -> Counter[tuple[str, str]]:
    """The calls of each way but native, all of which were chosen."""
    assert record.left_out is None
    samples = Counter[tuple[str, str]]()
    for context in record.contexts:
        assert context.candidates_left_out == 0
        if context.stage != "pass-through":
            assert sum(one.samples for one in context.candidates) == context.calls
        for one in context.candidates:
            assert one.eligible or one.reason, f"{context.collective}:{one.public_name} is refused without a reason"
            if one.name != "native":
                samples[context.collective, one.public_name] += one.samples
    return +samples
