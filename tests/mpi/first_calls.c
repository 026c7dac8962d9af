/* `first_calls SIZES`: an allreduce of each of so many sizes, and so as many first calls. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 4096 };

static double one[most], sum[most];

int main(int argc, char** argv) {
  int ranks, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int sizes = argc == 2 ? atoi(argv[1]) : 0;
  if (sizes < 1 || 64 * sizes > most) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int i = 0; i < most; ++i) one[i] = 1;
  for (int size = 1; size <= sizes; ++size) {
    MPI_Allreduce(one, sum, 64 * size, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 64 * size; ++i) wrong += sum[i] != ranks;
  }
  MPI_Finalize();
  return wrong != 0;
}
