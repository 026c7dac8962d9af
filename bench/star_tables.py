"""STAR-MPI's tables 1 and 3 to 7 (Faraj, Yuan and Lowenthal 2006), copied from the paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

TOPOLOGIES = {"a": "single:16", "b": "star:4x8"}
"""Figure 3, 100 Mbit/s Ethernet; the star of the four switches of (b) is our guess, as the figure is lost."""
OTHER = {"a": "b", "b": "a"}
KIB = 1024


class Selected(NamedTuple):
    """A row of table 1, topology (a): of basic and enhanced AEOS the calls and ms of Measure_Select, and the winner."""

    collective: str
    bytes: int
    calls: tuple[int, int]
    ms: tuple[int, int]
    winners: tuple[str, str]


TABLE_1 = (
    Selected("alltoall", 2 * KIB, (90, 50), (2181, 1183), ("simple", "simple")),
    Selected("alltoall", 128 * KIB, (90, 60), (31953, 19018), ("ring light", "pair light")),
    Selected("allgather", 2 * KIB, (120, 60), (2055, 1229), ("simple", "simple")),
    Selected("allgather", 128 * KIB, (120, 60), (41233, 18335), ("TSLR", "TSLR")),
    Selected("allreduce", 2 * KIB, (200, 110), (2413, 1571), ("Rab1-2D", "Rab1-2D")),
    Selected("allreduce", 128 * KIB, (200, 110), (25319, 7895), ("Rab1-3D", "Rab1-Bruck")),
)


class Application(NamedTuple):
    """A row of tables 2 to 5: the collective of a program and its calls, what each system used, the program's seconds.

    `calls` are its iterations, each of which is taken for one call. `untuned_s` is STAR' of table 5, without overhead.
    """

    program: str
    topology: str
    collective: str
    bytes: int
    calls: int
    star: str
    static: str
    mpich: str
    star_s: float
    static_s: float
    mpich_s: float
    untuned_s: float | None = None


LAMMPS = ("allreduce", 42384, 10000)
"""The paper's 42382 bytes are no whole number of elements."""
LIGHT, MPI = "pair with light barrier", "pair with MPI barrier"
TUNED = "tuned pair with N MPI barrier"
TABLES_3_AND_4 = (
    Application("FFTW", "a", "alltoall", 141376, 500, LIGHT, MPI, "pair", 350.8, 519.6, 578.6),
    Application("FFTW", "b", "alltoall", 33856, 500, LIGHT, TUNED, "pair", 636.3, 778.0, 838.1),
    Application("LAMMPS", "a", *LAMMPS, "Rab1-ring light", "Rab1-tuned", "MPICH Rab.", 9780, 9515, 11040, 9420),
    Application("LAMMPS", "b", *LAMMPS, "Rab1-rdb", "Rab2-(tuned, tuned)", "MPICH Rab.", 1991, 2432, 3696),
    Application("NTUBE", "a", "allgatherv", 256000, 1000, "TSLR", MPI, "logical ring", 568.0, 725.0, 566.0),
    Application("NTUBE", "b", "allgatherv", 128000, 1000, "TSLR", "TSLR", "logical ring", 758.4, 601.0, 3860, 601.0),
    Application("NBODY", "a", "allgather", 20000, 1000, "simple", "TSLR", "rdb", 4002, 4268, 4304),
    Application("NBODY", "b", "allgather", 32000, 1000, "TSLR", "TSLR", "logical ring", 2167, 2120, 2946, 2120),
)


class PerCall(NamedTuple):
    """A row of tables 6 and 7, milliseconds a call: of MPICH, of STAR while it tries and afterwards, of its overheads.

    `choosing` is O_MS^a, `slow` O_MS^c, `monitoring` O_MA.
    """

    collective: str
    topology: str
    bytes: int
    mpich: float
    trying: float
    settled: float
    choosing: float
    slow: float
    monitoring: float


TABLES_6_AND_7 = tuple(
    PerCall(collective, topology, size * KIB, *ms, *overheads)
    for collective, topology, rows, parts in (
        (
            "alltoall",
            "a",
            ((32.0, 46.4, 27.0), (305.7, 192.1, 114.6), (519.4, 658.7, 498.6)),
            ((0.04, 46.4, 0.01), (0.35, 191.8, 0.06), (1.60, 657.1, 0.30)),
        ),
        (
            "alltoall",
            "b",
            ((324.0, 366.4, 323.2), (1493, 1366, 1108), (6079, 7154, 5716)),
            ((0.01, 366.4, 0.4), (0.01, 1366.0, 1.4), (0.01, 7153.9, 5.8)),
        ),
        (
            "allgather",
            "a",
            ((31.8, 46.0, 25.5), (111.6, 147.2, 104.5), (446.0, 596.8, 416.9)),
            ((0.01, 45.9, 0.03), (0.01, 147.2, 0.1), (0.7, 596.1, 0.2)),
        ),
        (
            "allgather",
            "b",
            ((87.8, 293.8, 58.66), (1532, 1232, 542), (6432, 5037, 2004)),
            ((0.01, 293.8, 0.08), (0.01, 1232, 0.8), (0.01, 5037.0, 0.6)),
        ),
        (
            "allreduce",
            "a",
            ((5.9, 12.0, 4.6), (18.7, 24.4, 18.6), (68.3, 95.5, 68.4)),
            ((0.02, 12.0, 0.02), (0.01, 24.39, 0.03), (0.01, 95.4, 0.05)),
        ),
        (
            "allreduce",
            "b",
            ((18.4, 26.4, 9.68), (82.0, 76.8, 34.3), (335.4, 250, 128.6)),
            ((0.05, 26.3, 0.03), (0.15, 76.5, 0.07), (0.5, 249.5, 0.20)),
        ),
    )
    for size, ms, overheads in zip((16, 64, 256), rows, parts, strict=True)
)


def cells(topology: str) -> Iterator[tuple[str, int]]:
    """Collectives and sizes of tables 3, 4 and 6 on a topology."""
    for call in TABLES_6_AND_7:
        if call.topology == topology:
            yield call.collective, call.bytes
    for application in TABLES_3_AND_4:
        if application.topology == topology:
            yield application.collective, application.bytes
