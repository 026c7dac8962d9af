/* The micro-benchmark of STAR-MPI (Faraj, Yuan and Lowenthal 2006, figure 4): a loop of computation that takes about
 * five times as long as the MPI_Alltoall after it. Arguments: bytes of a block, iterations, and how many times as long.
 */
#include <mpi.h>
#include <stdlib.h>

static volatile double sink;

static void compute(long steps) {
  double x = 1;
  for (long i = 0; i < steps; ++i) x = x * 1.0000001 + 1e-9;
  sink = x;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int bytes = argc > 1 ? atoi(argv[1]) : 65536;
  const int iterations = argc > 2 ? atoi(argv[2]) : 500;
  const double factor = argc > 3 ? atof(argv[3]) : 5;
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char* from = calloc((size_t)ranks, (size_t)bytes);
  char* to = calloc((size_t)ranks, (size_t)bytes);

  /* How many steps take as long as the collective, `factor` times; by PMPI, so that nothing is tuned yet. */
  const long trial = 1000000;
  double collective = PMPI_Wtime();
  for (int i = 0; i < 20; ++i) PMPI_Alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, MPI_COMM_WORLD);
  collective = (PMPI_Wtime() - collective) / 20;
  double computation = PMPI_Wtime();
  compute(trial);
  computation = PMPI_Wtime() - computation;
  double steps = factor * collective / computation * (double)trial;
  PMPI_Bcast(&steps, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);

  for (int i = 0; i < iterations; ++i) {
    compute((long)steps);
    MPI_Alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, MPI_COMM_WORLD);
  }
  free(from);
  free(to);
  MPI_Finalize();
  return 0;
}
