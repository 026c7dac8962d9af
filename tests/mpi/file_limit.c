/* Calls of a program that may make no file of more than half a kilobyte since MPI_Init. */
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const struct rlimit small = {512, 512};
  if (setrlimit(RLIMIT_FSIZE, &small) != 0) return 1;
  int rank, sum;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int call = 0; call < 200; ++call) MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0) printf("%d\n", sum);
  return 0;
}
