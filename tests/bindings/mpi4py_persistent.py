"""An mpi4py program: persistent collectives, each started twice, with other data the second time."""

from __future__ import annotations

from array import array

from mpi4py import MPI  # type: ignore[import-not-found,unused-ignore]

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
mine = array("i", [0])
total = array("i", [-1])
blocks = array("i", [-1] * size)

requests = (
    comm.Barrier_init(),
    comm.Allreduce_init([mine, MPI.INT], [total, MPI.INT]),
    comm.Allgather_init([mine, MPI.INT], [blocks, MPI.INT]),
)
for turn in range(2):
    mine[0] = rank + turn
    for one in requests:
        one.Start()
        one.Wait()
    assert blocks.tolist() == [other + turn for other in range(size)]
    assert total[0] == sum(blocks)
for one in requests:
    one.Free()

if rank == 0:
    print(f"all right on {size}", flush=True)  # noqa: T201
