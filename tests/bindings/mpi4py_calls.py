"""An mpi4py program: collectives on buffers, with counts and displacements, blocking and not, each result checked."""

from __future__ import annotations

from array import array

from mpi4py import MPI  # type: ignore[import-not-found,unused-ignore]

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
ring = comm.Create_cart([size], periods=[True])
ones = [1] * size
places = list(range(size))
gathered = [100 * r for r in range(size)]
exchanged = [100 * r + rank for r in range(size)]
left, right = (rank - 1) % size, (rank + 1) % size


def ints(*values: int) -> array[int]:
    """A buffer with these numbers."""
    return array("i", values)


mine = ints(*(100 * rank + j for j in range(size)))
first = mine[:1]
total = ints(0)
for _ in range(10):
    comm.Allreduce([ints(rank + 1), MPI.INT], [total, MPI.INT])
assert total == ints(size * (size + 1) // 2)

for root in range(3):
    told = ints(10 + rank)
    comm.Bcast([told, MPI.INT], root=root)
    assert told == ints(10 + root)

got = ints(*[-1] * size)
comm.Allgatherv([first, MPI.INT], [got, ones, places, MPI.INT])
assert got.tolist() == gathered

comm.Alltoallv([mine, ones, places, MPI.INT], [got, ones, places, MPI.INT])
assert got.tolist() == exchanged

bytes_ = [4 * place for place in places]
got = ints(*[-1] * size)
comm.Alltoallw([mine, ones, bytes_, [MPI.INT] * size], [got, ones, bytes_, [MPI.INT] * size])
assert got.tolist() == exchanged

got = ints(*[-1] * size)
comm.Gatherv([first, MPI.INT], [got, ones, places, MPI.INT] if rank == 1 else None, root=1)
assert rank != 1 or got.tolist() == gathered

one = ints(-1)
comm.Scatterv([mine, ones, places, MPI.INT] if rank == 1 else None, [one, MPI.INT], root=1)
assert one == ints(100 + rank)

comm.Reduce_scatter([mine, MPI.INT], [one, MPI.INT], ones)
assert one == ints(sum(exchanged))

for _ in range(2):
    got = ints(*[-1] * size)
    comm.Ialltoallv([mine, ones, places, MPI.INT], [got, ones, places, MPI.INT]).Wait()
    assert got.tolist() == exchanged

two = ints(-1, -1)
ring.Neighbor_alltoallv([mine, [1, 1], [0, 1], MPI.INT], [two, [1, 1], [0, 1], MPI.INT])
assert two == ints(100 * left + 1, 100 * right)

# Between two groups only the root has counts, and a rank of the other group may have the root's number.
half = comm.Split(rank // (size // 2))
groups = half.Create_intercomm(0, comm, 0 if rank >= size // 2 else size // 2)
if rank < size // 2:
    root = MPI.ROOT if half.rank == 1 else MPI.PROC_NULL
    halves = ints(*[-1] * half.size)
    groups.Gatherv(None, [halves, [1] * half.size, list(range(half.size)), MPI.INT], root)
    assert root != MPI.ROOT or halves.tolist() == list(range(half.size))
else:
    groups.Gatherv([ints(half.rank), MPI.INT], None, 1)

comm.Ibarrier().Wait()
if rank == 0:
    print(f"all right on {size}", flush=True)  # noqa: T201
