/* A program that loads a GPU's runtime library on one rank: `gpu LIBRARY before` loads it before the first collective,
 * `gpu LIBRARY after` between the sums and the gathers. Rank 0 prints how many results were wrong. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { calls = 40 };

static int rank, ranks, wrong;

static void load(const char* library) {
  if (rank != 1 || dlopen(library, RTLD_NOW | RTLD_GLOBAL)) return;
  fprintf(stderr, "%s\n", dlerror());
  MPI_Abort(MPI_COMM_WORLD, 3);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const int is_before = strcmp(argv[2], "before") == 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (is_before) load(argv[1]);
  for (int i = 0; i < calls; ++i) {
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += sum != ranks * (ranks - 1) / 2;
  }
  if (!is_before) load(argv[1]);
  for (int i = 0; i < calls; ++i) {
    int everyone[64];
    MPI_Allgather(&rank, 1, MPI_INT, everyone, 1, MPI_INT, MPI_COMM_WORLD);
    for (int peer = 0; peer < ranks; ++peer) wrong += everyone[peer] != peer;
  }
  int all;
  PMPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", all);
  fflush(stdout);
  return MPI_Finalize();
}
