/* How many communicators can still be made: `remaining N CALLS` makes N duplicates with a barrier on each, then CALLS
 * allgathers on each, and then as many communicators as possible. Rank 0 prints how many it got in all, and how many
 * results were wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 4096 };

static MPI_Comm taken[most];
static int everyone[64];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const int used = atoi(argv[1]), calls = atoi(argv[2]);
  int rank, ranks, count = 0, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (; count < used; ++count) {
    MPI_Comm_dup(MPI_COMM_WORLD, &taken[count]);
    MPI_Barrier(taken[count]);
  }
  for (int i = 0; i < used * calls; ++i) {
    MPI_Allgather(&rank, 1, MPI_INT, everyone, 1, MPI_INT, taken[i / calls]);
    for (int peer = 0; peer < ranks; ++peer) wrong += everyone[peer] != peer;
  }
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  while (count < most && MPI_Comm_dup(MPI_COMM_SELF, &taken[count]) == MPI_SUCCESS) ++count;
  int fewest;
  PMPI_Reduce(&count, &fewest, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d communicators, %d wrong\n", fewest, wrong);
  fflush(stdout);
  return MPI_Finalize();
}
