/* A program that makes and frees communicators, each with a call of a new size: `sizes_come_and_go COMMUNICATORS`.
 * Rank 0 prints by how many KiB its heap grew in the second half. */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long heap_kib(void) {
  const struct mallinfo2 all = mallinfo2();
  return (long)((all.uordblks + all.hblkhd) / 1024);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int communicators = argc > 1 ? atoi(argv[1]) : 0;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double* data = calloc((size_t)communicators + 1, sizeof *data);
  long half_way = 0;
  for (int i = 1; i <= communicators; ++i) {
    if (i == communicators / 2) half_way = heap_kib();
    MPI_Comm one;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Bcast(data, i, MPI_DOUBLE, 0, one);
    MPI_Comm_free(&one);
  }
  if (rank == 0) printf("%ld\n", heap_kib() - half_way);
  fflush(stdout);
  free(data);
  return MPI_Finalize();
}
