/* Each collective with data of two sizes, then without data. Prints how many results are wrong. */
#include <mpi.h>
#include <stdio.h>

enum { most = 64 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, faults = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const MPI_Comm all = MPI_COMM_WORLD;
  const MPI_Datatype type = MPI_INT;
  const int counts[] = {8, 2, 0, 0};
  for (int round = 0; round < 4; ++round) {
    const int count = counts[round];
    int from[most], to[most];
    for (int i = 0; i < most; ++i) from[i] = to[i] = 1;
    MPI_Bcast(from, count, type, 0, all);
    MPI_Gather(from, count, type, to, count, type, 0, all);
    MPI_Scatter(from, count, type, to, count, type, 0, all);
    MPI_Allgather(from, count, type, to, count, type, all);
    MPI_Alltoall(from, count, type, to, count, type, all);
    MPI_Reduce(from, to, count, type, MPI_PROD, 0, all);
    MPI_Scan(from, to, count, type, MPI_PROD, all);
    MPI_Reduce_scatter_block(from, to, count, type, MPI_PROD, all);
    MPI_Allreduce(from, to, count, type, MPI_SUM, all);
    for (int i = 0; i < most; ++i) faults += to[i] != (i < count ? ranks : 1);
  }
  if (rank == 0) printf("%d faults\n", faults);
  MPI_Finalize();
  return 0;
}
