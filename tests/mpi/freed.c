/* What MPI_Comm_free has to do for a communicator with many call keys, of which many candidates were tried: usage
   `freed KEYS CALLS ROUNDS`. In each round a duplicate of MPI_COMM_WORLD is asked for allreduces of KEYS sizes, CALLS
   each in turn, and freed. Rank 0 prints the most blocks that MPI_Comm_free allocated and freed there in any round, and
   the most bytes that it unmapped on any rank. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { most_keys = 64 };

static _Thread_local int counts = 0; /* not what progress threads do */
static _Thread_local double blocks = 0, unmapped = 0;

/* These stand before the C library's, also for the preloaded library. */
void* __libc_malloc(size_t bytes);
void __libc_free(void* at);

void* malloc(size_t bytes) {
  blocks += counts;
  return __libc_malloc(bytes);
}

void free(void* at) {
  if (at != NULL) blocks += counts;
  __libc_free(at);
}

int munmap(void* at, size_t bytes) {
  if (counts) unmapped += (double)bytes;
  return (int)syscall(SYS_munmap, at, bytes);
}

int main(int argc, char** argv) {
  const int keys = argc > 1 ? atoi(argv[1]) : 0, calls = argc > 2 ? atoi(argv[2]) : 0;
  const int rounds = argc > 3 ? atoi(argv[3]) : 0;
  if (keys < 1 || keys > most_keys || calls < 1) return 2;
  static double from[1 << 12], into[1 << 12];
  double most_blocks = 0, most_unmapped = 0;
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int call = 0; call < calls; ++call)
      for (int key = 0; key < keys; ++key) MPI_Allreduce(from, into, 64 * (key + 1), MPI_DOUBLE, MPI_SUM, comm);
    blocks = unmapped = 0;
    counts = 1;
    MPI_Comm_free(&comm);
    counts = 0;
    if (blocks > most_blocks) most_blocks = blocks;
    if (unmapped > most_unmapped) most_unmapped = unmapped;
  }
  double of_any = 0;
  MPI_Reduce(&most_unmapped, &of_any, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.0f %.0f\n", most_blocks, of_any);
  MPI_Finalize();
  return 0;
}
