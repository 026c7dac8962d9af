"""What STAR-MPI's tables 1, 3, 4 and 6 say (Faraj, Yuan and Lowenthal 2006), typed in from the paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

TOPOLOGIES = {"a": "single:16", "b": "star:4x8"}
"""Figure 3, 100 Mbit/s Ethernet; that the four switches of (b) form a star is our guess, the figure being lost."""
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
    """A row of tables 2 to 4: the collective of a program, what each system used, and the program's seconds."""

    program: str
    topology: str
    collective: str
    bytes: int
    star: str
    mpich: str
    star_s: float
    mpich_s: float


LAMMPS_BYTES = 42384
"""The paper's 42382 is no whole number of elements."""
TABLES_3_AND_4 = (
    Application("FFTW", "a", "alltoall", 141376, "pair with light barrier", "pair", 350.8, 578.6),
    Application("FFTW", "b", "alltoall", 33856, "pair with light barrier", "pair", 636.3, 838.1),
    Application("LAMMPS", "a", "allreduce", LAMMPS_BYTES, "Rab1-ring with light barrier", "MPICH Rab.", 9780, 11040),
    Application("LAMMPS", "b", "allreduce", LAMMPS_BYTES, "Rab1-rdb", "MPICH Rab.", 1991, 3696),
    Application("NTUBE", "a", "allgatherv", 256000, "TSLR", "logical ring", 568.0, 566.0),
    Application("NTUBE", "b", "allgatherv", 128000, "TSLR", "logical ring", 758.4, 3860),
    Application("NBODY", "a", "allgather", 20000, "simple", "rdb", 4002, 4304),
    Application("NBODY", "b", "allgather", 32000, "TSLR", "logical ring", 2167, 2946),
)


class PerCall(NamedTuple):
    """A row of table 6: milliseconds a call of MPICH, and of STAR while it tries and afterwards."""

    collective: str
    topology: str
    bytes: int
    mpich: float
    trying: float
    settled: float


TABLE_6 = tuple(
    PerCall(collective, topology, size * KIB, *ms)
    for collective, topology, rows in (
        ("alltoall", "a", ((32.0, 46.4, 27.0), (305.7, 192.1, 114.6), (519.4, 658.7, 498.6))),
        ("alltoall", "b", ((324.0, 366.4, 323.2), (1493, 1366, 1108), (6079, 7154, 5716))),
        ("allgather", "a", ((31.8, 46.0, 25.5), (111.6, 147.2, 104.5), (446.0, 596.8, 416.9))),
        ("allgather", "b", ((87.8, 293.8, 58.66), (1532, 1232, 542), (6432, 5037, 2004))),
        ("allreduce", "a", ((5.9, 12.0, 4.6), (18.7, 24.4, 18.6), (68.3, 95.5, 68.4))),
        ("allreduce", "b", ((18.4, 26.4, 9.68), (82.0, 76.8, 34.3), (335.4, 250, 128.6))),
    )
    for size, ms in zip((16, 64, 256), rows, strict=True)
)


def cells(topology: str) -> Iterator[tuple[str, int]]:
    """Collectives and sizes of tables 3, 4 and 6 on a topology."""
    for call in TABLE_6:
        if call.topology == topology:
            yield call.collective, call.bytes
    for application in TABLES_3_AND_4:
        if application.topology == topology:
            yield application.collective, application.bytes
