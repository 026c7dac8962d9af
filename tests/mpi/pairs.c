/* Every pair of neighbouring ranks reduces on a communicator of its own, CALLS times, and all together once for each
   of SIZES sizes; each rank also talks to itself:  pairs CALLS SIZES */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int calls = argc > 1 ? atoi(argv[1]) : 1;
  int sizes = argc > 2 ? atoi(argv[2]) : 1;
  double* data = calloc((size_t)sizes + 1, sizeof *data);
  int rank;
  int i;
  MPI_Comm pair;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &pair);
  for (i = 0; i < calls; ++i) MPI_Allreduce(MPI_IN_PLACE, data, 1, MPI_DOUBLE, MPI_SUM, pair);
  MPI_Allreduce(MPI_IN_PLACE, data, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
  for (i = 1; i <= sizes; ++i) MPI_Bcast(data, i, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Comm_free(&pair);
  MPI_Finalize();
  if (rank == 0) printf("done\n");
  free(data);
  return 0;
}
