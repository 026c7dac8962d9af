"""The tables of docs/results/simulated.md, from the measurements of simulated.py."""

from __future__ import annotations

import result_files
import smpi_peers
import star_tables
from markdown import number, origin, table

from starling.lab.measured import Measurement, Measurements
from starling.terminal.figures import human_bytes

ITERATIONS = 10
"""Calls that STAR-MPI gives each candidate. Here it was one: simulated times do not vary."""
SLOWER = 1.05


class Found:
    """What was measured, by cell."""

    def __init__(self, file: Measurements) -> None:
        self.some = file.measurements
        self._of = {(one.platform, one.what, one.bytes, one.how): one for one in self.some}

    def one(self, platform: str, collective: str, size: int, how: str) -> Measurement | None:
        """The measurement, where there is one."""
        return self._of.get((platform, collective, size, how))

    def ms(self, platform: str, collective: str, size: int, how: str) -> float | None:
        """Milliseconds of a call."""
        one = self.one(platform, collective, size, how)
        return 1e3 * one.seconds[0] if one else None

    def made(self, part: str) -> str:
        """When the measurements of a part of simulated.py were made."""
        return origin(one.made for one in self.some if one.notes.get("part") == part)


def _ratio(above: float | None, below: float | None) -> str:
    return f"{above / below:.2f}" if above and below else ""


def table_1(file: Measurements) -> str:
    """Basic against enhanced."""
    found, rows = Found(file), []
    for row in star_tables.TABLE_1:
        for i, strategy in enumerate(("star-basic", "star")):
            one = found.one("single:16", row.collective, row.bytes, strategy)
            paper = (f"{row.calls[i]}, {row.ms[i]}", row.winners[i])
            here: tuple[str, ...] = ()
            if one:
                calls, ms = ITERATIONS * one.notes["tried"], 1e3 * ITERATIONS * one.notes["trying_s"]
                here = (f"{calls}, {ms:.0f}", one.notes["winner"])
            rows.append((row.collective, human_bytes(row.bytes), strategy, *paper, *here))
    titles = ("collective", "size", "tuner", "paper: calls, ms", "winner", "here: calls, ms", "winner")
    return f"{table(titles, rows)}\n\n{found.made('star')}"


def tables_3_and_4(file: Measurements) -> str:
    """Algorithms chosen at the sizes of the programs."""
    found, rows = Found(file), []
    for row in star_tables.TABLES_3_AND_4:
        platform = star_tables.TOPOLOGIES[row.topology]
        cell = (platform, row.collective, row.bytes)
        one, mine = found.one(*cell, "star"), found.ms(*cell, "star")
        gains = (_ratio(found.ms(*cell, f"native {selector}"), mine) for selector in ("mpich", "ompi"))
        paper = (row.star, row.static, row.mpich, f"{row.mpich_s / row.star_s:.2f}")
        here = (one.notes["winner"] if one else "", *gains)
        rows.append((row.program, f"({row.topology})", row.collective, row.bytes, *paper, *here))
    titles = ("program", "T.", "collective", "size", "paper: STAR", "STATIC", "MPICH", "program MPICH / STAR")
    return table((*titles, "here: `star`", "`mpich` / `star`", "`ompi` / `star`"), rows)


def table_6(file: Measurements) -> str:
    """Time a call; the gain over both of SMPI's selectors."""
    found, rows = Found(file), []
    for row in star_tables.TABLES_6_AND_7:
        cell = (star_tables.TOPOLOGIES[row.topology], row.collective, row.bytes)
        mpich, ompi = (found.ms(*cell, f"native {selector}") for selector in ("mpich", "ompi"))
        one = found.one(*cell, "star")
        trying = 1e3 * one.notes["trying_s"] / one.notes["tried"] if one else None
        settled = found.ms(*cell, "star")
        pairs = ((row.mpich, mpich), (row.trying, trying), (row.settled, settled))
        told = [f"{number(paper)} / {number(here)}" for paper, here in pairs]
        gains = (_ratio(row.mpich, row.settled), _ratio(mpich, settled), _ratio(ompi, settled))
        place = (row.collective, f"({row.topology})", human_bytes(row.bytes))
        rows.append((*place, told[0], number(ompi), *told[1:], *gains, one.notes["winner"] if one else ""))
    titles = ("collective", "T.", "size", "MPICH: paper / here", "`ompi`", "trying: paper / here")
    more = ("settled: paper / here", "gain: paper", "over `mpich`", "over `ompi`", "`star` uses")
    return table((*titles, *more), rows)


def table_7(file: Measurements) -> str:
    """The cost of choosing, trying slow candidates and monitoring per call, milliseconds.

    Ranks agree equally often with one call of a candidate and with ten, so with ten the cost would be shared by ten
    times the calls made here.
    """
    found, rows = Found(file), []
    for row in star_tables.TABLES_6_AND_7:
        one = found.one(star_tables.TOPOLOGIES[row.topology], row.collective, row.bytes, "star")
        costs: tuple[float | None, ...] = (None, None, None)
        if one and "settled" in one.notes:
            notes = one.notes
            choosing = notes["bookkeeping_s"] / (ITERATIONS * notes["tried"])
            costs = (
                choosing,
                notes["trying_s"] / notes["tried"],
                notes["monitoring_s"] / (ITERATIONS * notes["settled"]),
            )
        here = (number(None if cost is None else 1e3 * cost) for cost in costs)
        paper = map(number, (row.choosing, row.slow, row.monitoring))
        told = (f"{theirs} / {ours}" for theirs, ours in zip(paper, here, strict=True))
        rows.append((row.collective, f"({row.topology})", human_bytes(row.bytes), *told))
    names = ("O_MS^a", "O_MS^c", "O_MA")
    return table(("collective", "T.", "size", *(f"{name}: paper / here" for name in names)), rows)


def table_5(file: Measurements) -> str:
    """Seconds of all calls of each program: by the tuner, by the candidate best elsewhere, natively, without trying."""
    found, rows = Found(file), []
    static = {(one.platform, one.what, one.bytes): one for one in measured_by_part(file, "static")}
    for row in star_tables.TABLES_3_AND_4:
        cell = (star_tables.TOPOLOGIES[row.topology], row.collective, row.bytes)
        one, fixed, mpich = found.one(*cell, "star"), static.get(cell), found.one(*cell, "native mpich")
        here: tuple[str, ...] = ()
        if one and fixed and mpich:
            tried, settled = ITERATIONS * one.notes["tried"], one.seconds[0]
            star = ITERATIONS * one.notes["trying_s"] + (row.calls - tried) * settled
            times = (star, *(row.calls * seconds for seconds in (fixed.seconds[0], mpich.seconds[0], settled)))
            here = (*map(number, times), one.notes["winner"], fixed.how.partition(" ")[2])
        paper = (row.star_s, row.static_s, row.mpich_s, row.untuned_s)
        rows.append((row.program, f"({row.topology})", row.calls, *map(number, paper), *here))
    names = ("STAR", "STATIC", "MPICH", "STAR'")
    titles = ("program", "T.", "calls", *(f"paper: {name}" for name in names), *(f"here: {name}" for name in names))
    return table((*titles, "`star` uses", "STATIC uses"), rows)


def measured_by_part(file: Measurements, part: str) -> list[Measurement]:
    """The measurements of a part of simulated.py."""
    return [one for one in file.measurements if one.notes.get("part") == part]


Peers = dict[tuple[str, str, int, str, str], tuple[float, float]]


def _peers(found: Found) -> Peers:
    """Milliseconds of ours and of SMPI's, by platform, collective, size and both names."""
    times = {}
    for platform in smpi_peers.PLATFORMS:
        for collective, pairs in smpi_peers.PEERS.items():
            for ours, theirs in pairs.items():
                for size in (0,) if collective == "barrier" else smpi_peers.SIZES:
                    mine = found.ms(platform, collective, size, ours)
                    other = found.ms(platform, collective, size, f"smpi {theirs}")
                    if mine and other:
                        times[platform, collective, size, ours, theirs] = (mine, other)
    return times


def peers(file: Measurements) -> str:
    """Our time / SMPI's: how many are equal. Raises MeasuredError where a collective has no pair."""
    found, rows = Found(file), []
    times = _peers(found)
    for collective in smpi_peers.PEERS:
        ratios = sorted(mine / other for (_, name, *_), (mine, other) in times.items() if name == collective)
        if not ratios:
            raise result_files.unmeasured(collective, "an algorithm that SMPI has too")
        faster, slower = sum(one < 1 / SLOWER for one in ratios), sum(one > SLOWER for one in ratios)
        counts = (len(ratios), faster, len(ratios) - faster - slower, slower)
        rows.append((collective, *counts, f"{ratios[0]:.2f}", f"{ratios[-1]:.2f}"))
    titles = ("collective", "cases", "ours faster by 5 %", "within 5 %", "slower", "least", "most")
    return f"{table(titles, rows)}\n\n{found.made('peers')}"


def slower_peers(file: Measurements) -> str:
    """Every case in which ours is slower than SMPI's by more than 5 %."""
    rows = [
        (collective, ours, theirs, platform, human_bytes(size), number(mine), number(other), f"{mine / other:.2f}")
        for (platform, collective, size, ours, theirs), (mine, other) in _peers(Found(file)).items()
        if mine / other > SLOWER
    ]
    return table(("collective", "ours", "SMPI's", "platform", "size", "ours, ms", "SMPI's, ms", "ratio"), rows)


def scale(file: Measurements) -> str:
    """Microseconds by ranks, full trunks / a quarter."""
    some = measured_by_part(file, "scale")
    all_ranks = sorted({one.ranks for one in some})
    rows = []
    for what, size, how in dict.fromkeys((one.what, one.bytes, one.how) for one in some):
        times: dict[int, list[str]] = {ranks: [] for ranks in all_ranks}
        for one in some:
            if (one.what, one.bytes, one.how) == (what, size, how):
                times[one.ranks].append(f"{1e6 * one.seconds[0]:.0f}")
        rows.append((what, human_bytes(size), how, *(" / ".join(of_ranks) for of_ranks in times.values())))
    titles = ("collective", "size", "candidate", *(str(ranks) for ranks in all_ranks))
    return f"{table(titles, rows)}\n\n{Found(file).made('scale')}"
