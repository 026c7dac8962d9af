/* The first collective calls of a program in a thread with a small stack. Prints how many sums are wrong. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { calls = 200, stack_bytes = 24 << 10 };

static int rank, ranks, wrong;

static void* sum(void* nothing) {
  for (int call = 0; call < calls; ++call) {
    const int mine = rank + call;
    int all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += all != ranks * (ranks - 1) / 2 + ranks * call;
  }
  return nothing;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  pthread_attr_t small;
  pthread_attr_init(&small);
  if (pthread_attr_setstacksize(&small, stack_bytes) != 0) return 1;
  pthread_t thread;
  if (pthread_create(&thread, &small, sum, NULL) != 0) return 1;
  pthread_join(thread, NULL);
  if (rank == 0) printf("%d wrong\n", wrong);
  return MPI_Finalize();
}
