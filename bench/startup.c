/* Times MPI_Init and MPI_Finalize:  startup SIZES
   makes an MPI_Allreduce of 1, 2, ..., SIZES doubles in between. Rank 0 prints the seconds of both. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char** argv) {
  int sizes = argc > 1 ? atoi(argv[1]) : 0;
  double* data = calloc((size_t)sizes + 1, sizeof *data);
  int rank;
  int size;
  double begin = now();
  MPI_Init(&argc, &argv);
  double init = now() - begin;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (size = 1; size <= sizes; ++size) MPI_Allreduce(MPI_IN_PLACE, data, size, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  begin = now();
  MPI_Finalize();
  if (rank == 0) printf("%.9f %.9f\n", init, now() - begin);
  free(data);
  return 0;
}
