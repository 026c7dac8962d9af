/* What a profile costs a call: profile_cost CALLS BLOCKS
   Blocks of MPI_Allreduce, which a preloaded library sees, and of PMPI_Allreduce, which it does not, take turns. Rank 0
   prints the nanoseconds of a call in each pair of blocks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  int calls = atoi(argv[1]), blocks = atoi(argv[2]), rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double in = 1, out;
  for (int block = -1; block < blocks; ++block) { /* the first one warms up */
    double start = PMPI_Wtime();
    for (int i = 0; i < calls; ++i) MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double middle = PMPI_Wtime();
    for (int i = 0; i < calls; ++i) PMPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double end = PMPI_Wtime();
    if (rank == 0 && block >= 0) printf("%.2f %.2f\n", (middle - start) / calls * 1e9, (end - middle) / calls * 1e9);
  }
  MPI_Finalize();
  return 0;
}
