/* How long each MPI_Comm_free takes where all call keys are new and the record has no room for all of them: usage
   `frees COMMUNICATORS KEYS`. Each of COMMUNICATORS duplicates of MPI_COMM_WORLD is asked for broadcasts of KEYS sizes
   of its own, twice, and freed. Rank 0 prints the microseconds of processor time that each MPI_Comm_free took there. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

int main(int argc, char** argv) {
  const int communicators = argc > 1 ? atoi(argv[1]) : 2000, keys = argc > 2 ? atoi(argv[2]) : 16;
  if (communicators < 1 || keys < 1 || communicators > (1 << 24) / keys) return 2;
  char* data = calloc((size_t)communicators * (size_t)keys + 1, 1);
  double* freeing = malloc((size_t)communicators * sizeof *freeing);
  int rank = 0;
  if (data == NULL || freeing == NULL) return 3;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < communicators; ++i) {
    MPI_Comm one;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    for (int call = 0; call < 2; ++call)
      for (int key = 0; key < keys; ++key) MPI_Bcast(data, 1 + (i * keys) + key, MPI_BYTE, 0, one);
    MPI_Barrier(one);
    const double start = microseconds();
    MPI_Comm_free(&one);
    freeing[i] = microseconds() - start;
  }
  if (rank == 0)
    for (int i = 0; i < communicators; ++i) printf("%.1f\n", freeing[i]);
  MPI_Finalize();
  free(freeing);
  free(data);
  return 0;
}
