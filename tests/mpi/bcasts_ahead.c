/* The root makes short broadcasts, as many as the argument says, and then tells the other ranks, which begin theirs
   only then: a broadcast of some bytes need not wait for anybody. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int calls = argc > 1 ? atoi(argv[1]) : 1;
  int rank, size, wrong = 0, go = 0;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (rank != 0) MPI_Recv(&go, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < calls; i++) {
    double value = rank == 0 ? i : -1;
    MPI_Bcast(&value, 1, MPI_DOUBLE, 0, comm);
    wrong += value != i;
  }
  for (int other = 1; rank == 0 && other < size; other++) MPI_Send(&go, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
  MPI_Comm_free(&comm);
  if (wrong > 0) printf("rank %d: %d wrong\n", rank, wrong);
  MPI_Finalize();
  return wrong > 0;
}
