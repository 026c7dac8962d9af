/* Makes so many small allreduces in a row. many_reductions CALLS */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double sum = 0;
  const double one = 1;
  for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; --i)
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
