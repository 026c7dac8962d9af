/* Threads make their first collectives at the same time, each on a communicator of its own. Argument: number of
 * threads. Rank 0 prints how many sums are wrong. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 16 };

static MPI_Comm comms[most];
static int ranks, faults[most];
static pthread_barrier_t all_there;

static void* sum(void* place) {
  const long mine = (long)place;
  int one = 1, all = 0;
  pthread_barrier_wait(&all_there);
  MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comms[mine]);
  faults[mine] = all != ranks;
  return NULL;
}

int main(int argc, char** argv) {
  int provided, rank, total = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const long threads = argc == 2 ? atol(argv[1]) : 0;
  if (provided != MPI_THREAD_MULTIPLE || threads < 1 || threads > most) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (long i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  pthread_barrier_init(&all_there, NULL, (unsigned)threads);
  pthread_t running[most];
  for (long i = 0; i < threads; ++i) pthread_create(&running[i], NULL, sum, (void*)i);
  for (long i = 0; i < threads; ++i) pthread_join(running[i], NULL);
  for (long i = 0; i < threads; ++i) {
    total += faults[i];
    MPI_Comm_free(&comms[i]);
  }
  if (rank == 0) printf("%d faults\n", total);
  MPI_Finalize();
  return 0;
}
