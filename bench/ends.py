"""What Starling costs at a program's beginning and end: MPI_Init, MPI_Finalize, and the length of its record.

    python bench/ends.py [--json FILE] [--quick]

Runs on Debian's Open MPI and MPICH. Compared runs are interleaved; figures are medians with the quartiles.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from figures import HERE, Spread

from starling.records import record
from support.mpis import Mpi, compile_c, debian_mpis, run_ranks
from support.tuned import library, preloaded

RANKS = 16
HISTORY = 16_000_000
"""Bytes of records in the history that is read."""
MANY = 5460
"""Call keys of the program with the longest record."""
EMPTY = "empty history"
FULL = "history of 16 MB"


@dataclass(frozen=True)
class Ends:
    """Milliseconds of MPI_Init and MPI_Finalize on rank 0."""

    mpi: str
    ranks: int
    mode: str
    init: Spread
    finalize: Spread


@dataclass(frozen=True)
class Length:
    """Bytes of the record of a program with many call keys, and milliseconds of its MPI_Finalize."""

    mpi: str
    keys: int
    bytes: int
    contexts: int
    left_out: int
    finalize: float


class Program:
    """The program that times its ends, under one MPI."""

    def __init__(self, mpi: Mpi, folder: Path) -> None:
        """Compiles it."""
        self._mpi = mpi
        self._folder = folder
        self._program = str(compile_c(mpi, HERE / "startup.c", folder))

    def times(self, ranks: int, sizes: int, settings: Mapping[str, str] | None) -> tuple[float, float]:
        """Milliseconds of both ends, with a call for each of so many sizes in between; without settings, no preload."""
        first = [] if settings is None else [library(self._mpi)]
        env = {**preloaded(self._mpi, self._folder, first), **(settings or {})}
        done = run_ranks(self._mpi, ranks, [self._program, str(sizes)], env, 300).check()
        init, finalize = map(float, done.stdout.split())
        return 1e3 * init, 1e3 * finalize

    def compared(self, ranks: int, rounds: int, modes: Mapping[str, dict[str, str] | None]) -> list[Ends]:
        """Every mode in turn, `rounds` times. An empty history is made empty again each time."""
        found: dict[str, list[tuple[float, float]]] = {mode: [] for mode in modes}
        for _ in range(rounds):
            for mode, settings in modes.items():
                if mode == EMPTY and settings is not None:
                    for path in Path(settings["STARLING_HISTORY"]).glob("*"):
                        path.unlink()
                found[mode].append(self.times(ranks, 0, settings))
        return [
            Ends(self._mpi.name, ranks, mode, *(Spread.of(ends) for ends in zip(*times, strict=True)))
            for mode, times in found.items()
        ]

    def length(self, keys: int) -> Length:
        """The record of a run with so many call keys."""
        path = self._folder / "long.json"
        settings = {"STARLING_HISTORY": "off", "STARLING_RECORD": str(path), "STARLING_SIZES": str(keys)}
        _, finalize = self.times(2, keys, settings)
        whole = record.read(path)[0]
        left_out = whole.left_out.contexts if whole.left_out else 0
        return Length(self._mpi.name, keys, path.stat().st_size, len(whole.contexts), left_out, finalize)

    def history(self, keys: int) -> Path:
        """A history of HISTORY bytes: copies of the record of a run with so many call keys."""
        folder = self._folder / "full"
        settings = {"STARLING_HISTORY": str(folder), "STARLING_SIZES": str(keys), "STARLING_ITER": "1"}
        for _ in range(3):  # so that candidates are measured, in each run with the history of those before
            self.times(2, keys, settings)
        (last,) = sorted(folder.glob("2*.json"))[-1:]
        text = last.read_text()
        for number in range(HISTORY // len(text)):
            (folder / f"20240101T000000-copy-{number}.json").write_text(text)
        return folder


def shown(ends: Sequence[Ends]) -> None:
    """Prints a line for each mode, and the additional time of both ends over the first."""
    first = ends[0]
    for one in ends:
        more = one.init.median + one.finalize.median - first.init.median - first.finalize.median
        print(
            f"{one.mpi:10} {one.ranks:3} ranks  {one.mode:18} MPI_Init {one.init.show(1):>26}  "
            f"MPI_Finalize {one.finalize.show(1):>24}  together {more:+.1f}"
        )


def main() -> None:
    """Measures, prints, and writes the figures as JSON if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    parser.add_argument("--quick", action="store_true", help="few rounds, few keys: to see that it works")
    options = parser.parse_args()
    rounds = 2 if options.quick else 9
    ends: list[Ends] = []
    lengths: list[Length] = []
    print("milliseconds on rank 0: median [quartiles]")
    with tempfile.TemporaryDirectory() as name:
        for mpi in debian_mpis():
            folder = Path(name) / mpi.name
            folder.mkdir()
            program = Program(mpi, folder)
            empty = {"STARLING_HISTORY": str(folder / "empty")}
            off = {"STARLING_HISTORY": "off"}
            full = {"STARLING_HISTORY": str(program.history(20 if options.quick else 200))}
            listed = {**off, "STARLING_LIBRARY": "1"}
            modes = {"no preload": None, "no history": off, "library algorithms": listed, EMPTY: empty}
            ends += program.compared(RANKS, rounds, modes)
            shown(ends[-len(modes) :])
            ends += program.compared(2, rounds, {EMPTY: empty, FULL: full})
            shown(ends[-2:])
            lengths.append(program.length(MANY // 10 if options.quick else MANY))
            one = lengths[-1]
            print(
                f"{one.mpi:10} {one.keys} call keys: a record of {one.bytes} bytes with {one.contexts} contexts, "
                f"sums of {one.left_out} more; MPI_Finalize {one.finalize:.1f}"
            )
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        figures = {"ends": [asdict(one) for one in ends], "lengths": [asdict(one) for one in lengths]}
        options.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
