/* Nanoseconds of one MPI_Allreduce where calls take turns over 16 duplicates of MPI_COMM_SELF and 12 sizes of 8 to 96
 * bytes: mixed_keys ROUNDS BLOCKS. Prints one figure a block, after one block that does not count. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { communicators = 16, sizes = 12 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const int rounds = atoi(argv[1]), blocks = atoi(argv[2]);
  MPI_Comm comms[communicators];
  double in[sizes] = {1}, out[sizes];
  for (int i = 0; i < communicators; ++i) MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
  for (int block = -1; block < blocks; ++block) {
    double start = PMPI_Wtime();
    for (int round = 0; round < rounds; ++round)
      for (int size = 1; size <= sizes; ++size)
        for (int i = 0; i < communicators; ++i) MPI_Allreduce(in, out, size, MPI_DOUBLE, MPI_SUM, comms[i]);
    double seconds = PMPI_Wtime() - start;
    if (block >= 0) printf("%.2f\n", seconds / rounds / sizes / communicators * 1e9);
  }
  for (int i = 0; i < communicators; ++i) MPI_Comm_free(&comms[i]);
  MPI_Finalize();
  return 0;
}
