/* What a communicator with many call keys costs: usage `keys KEYS CALLS [ROUNDS]`. A duplicate of MPI_COMM_WORLD is
   asked for allreduces of KEYS sizes, CALLS each in turn; rank 0 prints the bytes of heap that this took for good, the
   most that a rank took, and the microseconds of MPI_Comm_free, the median of ROUNDS such communicators, by default
   9. */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_rounds = 9, most_keys = 64 };

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  const int keys = argc > 1 ? atoi(argv[1]) : 16, calls = argc > 2 ? atoi(argv[2]) : 400;
  const int rounds = argc > 3 ? atoi(argv[3]) : most_rounds;
  if (keys < 1 || keys > most_keys || calls < 1 || rounds < 1 || rounds > most_rounds) return 2;
  static double from[1 << 12], into[1 << 12];
  double taken[most_rounds], freeing[most_rounds];
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Barrier(MPI_COMM_WORLD);
    const double before = (double)mallinfo2().uordblks;
    for (int call = 0; call < calls; ++call)
      for (int key = 0; key < keys; ++key) MPI_Allreduce(from, into, 64 * (key + 1), MPI_DOUBLE, MPI_SUM, comm);
    double bytes = (double)mallinfo2().uordblks - before, most = 0;
    MPI_Allreduce(&bytes, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    taken[round] = most;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Comm_free(&comm);
    freeing[round] = (MPI_Wtime() - start) * 1e6;
  }
  qsort(taken, (size_t)rounds, sizeof(double), ascending);
  qsort(freeing, (size_t)rounds, sizeof(double), ascending);
  if (rank == 0) printf("%.0f %.1f\n", taken[rounds / 2], freeing[rounds / 2]);
  MPI_Finalize();
  return 0;
}
