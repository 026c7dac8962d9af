/* Nanoseconds of one MPI_Allreduce of 8 bytes: overhead WARM_UP CALLS BLOCKS self|world. Rank 0 prints one figure a
 * block. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void calls(int count, MPI_Comm comm) {
  double in = 1, out = 0;
  for (int i = 0; i < count; ++i) MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 5) MPI_Abort(MPI_COMM_WORLD, 2);
  int warm_up = atoi(argv[1]), count = atoi(argv[2]), blocks = atoi(argv[3]);
  MPI_Comm comm = strcmp(argv[4], "self") ? MPI_COMM_WORLD : MPI_COMM_SELF;
  calls(warm_up, comm);
  for (int block = 0; block < blocks; ++block) {
    double start = PMPI_Wtime();
    calls(count, comm);
    double seconds = PMPI_Wtime() - start;
    if (rank == 0) printf("%.2f\n", seconds / count * 1e9);
  }
  MPI_Finalize();
  return 0;
}
