/* A loop of a bcast, a reduce and a scan of 64 bytes, as often as the argument says. */
#include <mpi.h>
#include <stdlib.h>

enum { count = 8 };

int main(int argc, char** argv) {
  double some[count] = {0}, sums[count];
  MPI_Init(&argc, &argv);
  const int times = atoi(argv[1]);
  for (int time = 0; time < times; ++time) {
    MPI_Bcast(some, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Reduce(some, sums, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Scan(some, sums, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  return MPI_Finalize();
}
