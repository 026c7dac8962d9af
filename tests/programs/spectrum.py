"""An mpi4py program: power spectrum of a signal whose samples lie on all ranks. Prints exact integers only."""

import sys

import numpy as np
from mpi4py import MPI  # type: ignore[import-not-found,unused-ignore]

ROUNDS = 300
BLOCK = 256


def main() -> None:
    """Sums, exchanges and spreads integers by buffer and by pickle."""
    comm = MPI.COMM_WORLD
    rank, ranks = comm.Get_rank(), comm.Get_size()
    check = 0
    for i in range(ROUNDS):
        outgoing = np.arange(BLOCK * ranks, dtype=np.int64) * (rank + 1) + i
        incoming = np.empty_like(outgoing)
        comm.Alltoall(outgoing, incoming)
        power = incoming * incoming % 10007
        total = np.empty_like(power)
        comm.Allreduce(power, total, op=MPI.SUM)
        comm.Allreduce(MPI.IN_PLACE, total, op=MPI.MAX)
        gathered = np.empty(BLOCK * ranks * ranks, dtype=np.int64)
        comm.Allgather(total, gathered)
        first = gathered[:BLOCK].copy()
        comm.Bcast(first, root=i % ranks)
        check = (31 * check + int(first.sum()) + int(gathered[-1])) % 1000003
    words = comm.allgather({"rank": rank, "check": check})
    if rank == 0:
        checks = sorted({word["check"] for word in words})
        sys.stdout.write(f"mpi4py {ranks} ranks, checksums {checks}\n")


main()
