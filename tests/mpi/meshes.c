/* Allgathers on as many duplicates of MPI_COMM_WORLD as the argument says, then broadcasts and allgathers in turn on
 * the first of them. Rank 0 prints how many results were wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 256, turns = 3 };

static MPI_Comm all[most];
static int everyone[64];
static int rank, ranks, wrong;

static void gather(MPI_Comm comm) {
  MPI_Allgather(&rank, 1, MPI_INT, everyone, 1, MPI_INT, comm);
  for (int peer = 0; peer < ranks; ++peer) wrong += everyone[peer] != peer;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int used = argc == 2 ? atoi(argv[1]) : 0;
  if (used < 1 || used > most) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < used; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &all[i]);
    gather(all[i]);
  }
  for (int root = 0; root < turns * ranks; ++root) {
    int word = rank == root % ranks ? 17 + root : -1;
    MPI_Bcast(&word, 1, MPI_INT, root % ranks, all[0]);
    wrong += word != 17 + root;
    if (root % ranks == 0) gather(all[0]);
  }
  int sum;
  PMPI_Reduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", sum);
  fflush(stdout);
  return MPI_Finalize();
}
