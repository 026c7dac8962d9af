/* What a communicator with many call keys costs: usage `keys KEYS CALLS [ROUNDS]`. Each of ROUNDS duplicates of
   MPI_COMM_WORLD, by default 9, is asked for allreduces of KEYS sizes, CALLS each in turn. Then they are freed. Rank 0
   prints the median of the bytes of heap that one took, the most that a rank took, and of the microseconds of
   MPI_Comm_free. None is freed before the last is measured: malloc counts memory that it keeps for the next blocks of
   the same size as used, so that a communicator that follows a freed one seems to take less. */
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
  MPI_Comm comms[most_rounds];
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[round]);
    MPI_Barrier(MPI_COMM_WORLD);
    const double before = (double)mallinfo2().uordblks;
    for (int call = 0; call < calls; ++call)
      for (int key = 0; key < keys; ++key) MPI_Allreduce(from, into, 64 * (key + 1), MPI_DOUBLE, MPI_SUM, comms[round]);
    double bytes = (double)mallinfo2().uordblks - before, most = 0;
    MPI_Allreduce(&bytes, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    taken[round] = most;
  }
  for (int round = 0; round < rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Comm_free(&comms[round]);
    freeing[round] = (MPI_Wtime() - start) * 1e6;
  }
  qsort(taken, (size_t)rounds, sizeof(double), ascending);
  qsort(freeing, (size_t)rounds, sizeof(double), ascending);
  if (rank == 0) printf("%.0f %.1f\n", taken[rounds / 2], freeing[rounds / 2]);
  MPI_Finalize();
  return 0;
}
