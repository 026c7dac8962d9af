// Ends at the same time as others: waits before MPI_Finalize until a pipe is opened for writing. at_once PIPE STATUS
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  int rank, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int mine = rank + 1;
  for (int i = 0; i < 5; ++i) MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %d\n", sum);
  fflush(stdout);
  if (open(argv[1], O_RDONLY) < 0) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Finalize();
  return atoi(argv[2]);
}
