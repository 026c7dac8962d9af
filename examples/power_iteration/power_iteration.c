/* The largest eigenvalue of a cyclic second difference with a disturbance, by power iteration: every step each rank
 * gathers the whole vector, multiplies its own rows, and all agree on the norm.
 *
 *   mpirun -n 16 ./power_iteration [steps]
 *
 * Each rank has 8192 rows, so MPI_Allgather moves blocks of 64 KiB. Nothing here uses Starling.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 8192 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks, rank;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int steps = argc > 1 ? atoi(argv[1]) : 250;
  const long all = (long)rows * ranks;
  double* whole = malloc(sizeof(double) * (size_t)all);
  double* mine = malloc(sizeof(double) * rows);
  double norm = 0;
  for (int i = 0; i < rows; ++i) mine[i] = 1;
  for (int step = 0; step < steps; ++step) {
    MPI_Allgather(mine, rows, MPI_DOUBLE, whole, rows, MPI_DOUBLE, MPI_COMM_WORLD);
    double squares = 0;
    for (int i = 0; i < rows; ++i) {
      const long row = (long)rank * rows + i;
      const double around = whole[(row + 1) % all] + whole[(row + all - 1) % all];
      mine[i] = 2 * whole[row] - 0.5 * around + 1e-3 * sin((double)row);
      squares += mine[i] * mine[i];
    }
    MPI_Allreduce(&squares, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    norm = sqrt(norm);
    for (int i = 0; i < rows; ++i) mine[i] /= norm;
  }
  if (rank == 0) printf("norm %.12f after %d steps\n", norm, steps);
  free(whole);
  free(mine);
  MPI_Finalize();
  return 0;
}
