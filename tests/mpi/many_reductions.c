/* Makes so many allreduces of so many numbers in a row, of one if that is not told. many_reductions CALLS [NUMBERS] */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int numbers = argc > 2 ? atoi(argv[2]) : 1;
  double* const sums = calloc((size_t)numbers, sizeof *sums);
  double* const own = calloc((size_t)numbers, sizeof *own);
  for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; --i)
    MPI_Allreduce(own, sums, numbers, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  free(sums);
  free(own);
  MPI_Finalize();
  return 0;
}
