"""The tables of docs/results/simulated.md, from the measurements of simulated.py."""

from __future__ import annotations

from collections.abc import Sequence

import smpi_peers
import star_tables

from starling.measured import Measurement
from starling.report import human_bytes

ITERATIONS = 10
"""Calls that STAR-MPI gives each candidate. Here it was one: simulated times do not vary."""
SLOWER = 1.05


class Found:
    """What was measured, by cell."""

    def __init__(self, some: Sequence[Measurement]) -> None:
        self._of = {(one.platform, one.what, one.bytes, one.how): one for one in some}

    def one(self, platform: str, collective: str, size: int, how: str) -> Measurement | None:
        """The measurement, where there is one."""
        return self._of.get((platform, collective, size, how))

    def ms(self, platform: str, collective: str, size: int, how: str) -> float | None:
        """Milliseconds of a call."""
        one = self.one(platform, collective, size, how)
        return 1e3 * one.seconds[0] if one else None


def _text(value: float | None) -> str:
    return "" if value is None else f"{value:#.3g}".rstrip(".") if value < 1000 else f"{value:.0f}"


def _row(*cells: object) -> None:
    print(f"| {' | '.join(str(cell) for cell in cells)} |")


def _head(*cells: str) -> None:
    print()
    _row(*cells)
    _row(*("---" for _ in cells))


def table_1(found: Found) -> None:
    """Basic against enhanced."""
    _head("collective", "size", "tuner", "paper: calls, ms", "winner", "here: calls, ms", "winner")
    for row in star_tables.TABLE_1:
        for i, strategy in enumerate(("star-basic", "star")):
            one = found.one("single:16", row.collective, row.bytes, strategy)
            if one:
                calls, ms = ITERATIONS * one.notes["tried"], 1e3 * ITERATIONS * one.notes["trying_s"]
                here = (f"{calls}, {ms:.0f}", one.notes["winner"])
            else:
                here = ("", "")
            paper = f"{row.calls[i]}, {row.ms[i]}"
            _row(row.collective, human_bytes(row.bytes), strategy, paper, row.winners[i], *here)


def tables_3_and_4(found: Found) -> None:
    """Algorithms chosen at the sizes of the programs."""
    columns = ("program", "T.", "collective", "size", "paper: STAR", "MPICH", "program MPICH / STAR")
    _head(*columns, "here: `star`", "native / `star`")
    for row in star_tables.TABLES_3_AND_4:
        platform = star_tables.TOPOLOGIES[row.topology]
        one = found.one(platform, row.collective, row.bytes, "star")
        native = found.ms(platform, row.collective, row.bytes, "native mpich")
        here = (one.notes["winner"], _text(native / (1e3 * one.seconds[0]))) if one and native else ("", "")
        paper = (row.star, row.mpich, f"{row.mpich_s / row.star_s:.2f}")
        _row(row.program, f"({row.topology})", row.collective, row.bytes, *paper, *here)


def table_6(found: Found) -> None:
    """Time a call."""
    _head(
        "collective", "T.", "size", *(f"{name}: paper / here" for name in ("MPICH", "trying", "settled")), "`star` uses"
    )
    for row in star_tables.TABLE_6:
        platform = star_tables.TOPOLOGIES[row.topology]
        native = found.ms(platform, row.collective, row.bytes, "native mpich")
        one = found.one(platform, row.collective, row.bytes, "star")
        trying = 1e3 * one.notes["trying_s"] / one.notes["tried"] if one else None
        settled = 1e3 * one.seconds[0] if one else None
        pairs = ((row.mpich, native), (row.trying, trying), (row.settled, settled))
        cells = (f"{_text(paper)} / {_text(here)}" for paper, here in pairs)
        winner = one.notes["winner"] if one else ""
        _row(row.collective, f"({row.topology})", human_bytes(row.bytes), *cells, winner)


def peers(found: Found) -> None:
    """Ours by SMPI's: how many are alike, and every one that is slower."""
    ratios = {}
    for platform in smpi_peers.PLATFORMS:
        for collective, pairs in smpi_peers.PEERS.items():
            for ours, theirs in pairs.items():
                for size in (0,) if collective == "barrier" else smpi_peers.SIZES:
                    mine = found.ms(platform, collective, size, ours)
                    other = found.ms(platform, collective, size, f"smpi {theirs}")
                    if mine and other:
                        ratios[platform, collective, size, ours, theirs] = (mine / other, mine, other)
    _head("collective", "cases", "ours faster by 5 %", "within 5 %", "slower", "least", "most")
    for collective in smpi_peers.PEERS:
        of_one = sorted(ratio for (_, name, *_), (ratio, *_) in ratios.items() if name == collective)
        if of_one:
            faster, slower = sum(one < 1 / SLOWER for one in of_one), sum(one > SLOWER for one in of_one)
            counts = (len(of_one), faster, len(of_one) - faster - slower, slower)
            _row(collective, *counts, f"{of_one[0]:.2f}", f"{of_one[-1]:.2f}")
    _head("collective", "ours", "SMPI's", "platform", "size", "ours, ms", "SMPI's, ms", "ratio")
    for (platform, collective, size, ours, theirs), (ratio, mine, other) in ratios.items():
        if ratio > SLOWER:
            cells = (platform, human_bytes(size), _text(mine), _text(other), f"{ratio:.2f}")
            _row(collective, ours, theirs, *cells)


def scale(some: Sequence[Measurement]) -> None:
    """Microseconds by ranks, full trunks / a quarter."""
    of_scale = [one for one in some if one.notes.get("part") == "scale"]
    all_ranks = sorted({one.ranks for one in of_scale})
    _head("collective", "size", "candidate", *(f"{ranks}" for ranks in all_ranks))
    for what, size, how in dict.fromkeys((one.what, one.bytes, one.how) for one in of_scale):
        cells = []
        for ranks in all_ranks:
            times = [
                f"{1e6 * one.seconds[0]:.0f}"
                for one in of_scale
                if (one.what, one.bytes, one.how, one.ranks) == (what, size, how, ranks)
            ]
            cells.append(" / ".join(times))
        _row(what, human_bytes(size or 0), how, *cells)


def print_tables(some: Sequence[Measurement]) -> None:
    """All of them, in Markdown."""
    found = Found(some)
    table_1(found)
    tables_3_and_4(found)
    table_6(found)
    peers(found)
    scale(some)
