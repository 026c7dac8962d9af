"""Running one unmodified program twice, without and with `starling run`, and what its record must show."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from starling.records.record import Context, RunRecord, read
from support.mpis import Mpi, run_ranks
from support.processes import Outcome
from support.tuned import preloaded

HERE = Path(__file__).parent
INPUTS = HERE / "inputs"
COMMAND = str(Path(sys.executable).with_name("starling"))
RANKS = 4
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""For programs that would start threads of their own on top of the ranks."""


@dataclass(frozen=True)
class Pair:
    """The same program without and with Starling."""

    plain: Outcome
    tuned: Outcome
    record: RunRecord

    def check_tuned(self, *collectives: str) -> None:
        """Asserts that each of the collectives was tuned: all its candidates measured, and one chosen."""
        for collective in collectives:
            contexts = [context for context in self.record.contexts if context.collective == collective]
            found = [(context.bytes, context.calls, context.stage, context.winner) for context in contexts]
            assert any(was_tuned(context) for context in contexts), f"{collective} was not tuned: {found}"


def was_tuned(context: Context) -> bool:
    """Whether more than one candidate was measured, and one chosen among them."""
    measured = [one for one in context.candidates if one.samples > 0]
    return context.stage == "monitor_adapt" and len(measured) > 1


def starling_run(record: Path, *flags: str) -> tuple[str, ...]:
    """What stands before the launcher line."""
    return (COMMAND, "run", "--strategy", "star-basic", "--history", "off", "--record", str(record), *flags, "--")


def run_pair(
    mpi: Mpi,
    argv: Sequence[str],
    folder: Path,
    env: Mapping[str, str] | None = None,
    timeout: float = 240,
    *,
    sleeping: bool = True,
) -> Pair:
    """Runs a program in folders of its own without and with Starling. A run that fails is an AssertionError.

    Where it waits most of the time, its ranks should not sleep.
    """
    record = folder / "record.json"
    surroundings = {**ONE_THREAD, "STARLING_ITER": "5", **preloaded(mpi, folder, sleeping=sleeping), **(env or {})}
    places = [folder / "plain", folder / "tuned"]
    for place in places:
        place.mkdir()
        for file in INPUTS.iterdir():
            (place / file.name).write_bytes(file.read_bytes())
    plain = run_ranks(mpi, RANKS, argv, surroundings, timeout, cwd=places[0]).check()
    tuned = run_ranks(mpi, RANKS, argv, surroundings, timeout, cwd=places[1], before=starling_run(record)).check()
    assert record.is_file(), f"no record\n{tuned.report()}"
    return Pair(plain, tuned, read(record)[0])
