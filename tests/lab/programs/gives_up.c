/* Rank 1 ends the job by MPI_Abort, or, given a status, by itself. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1 && argc > 1) exit(atoi(argv[1]));
  if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
  return MPI_Finalize();
}
