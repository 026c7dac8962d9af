/* Calls MPI for the last time while the program's static objects are destroyed. Prints whether the sum was right. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int is_right(void) {
  int rank, ranks, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum == ranks * (ranks - 1) / 2;
}

static void last(void) {
  int rank, right = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 50; ++i) right = is_right() && right;
  if (rank == 0) printf("the last sums are %s\n", right ? "right" : "wrong");
  MPI_Finalize();
}

int main(int argc, char** argv) {
  atexit(last);
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 50; ++i)
    if (!is_right()) return 1;
  return 0;
}
