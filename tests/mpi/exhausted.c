/* MPI has a limited number of communicators (MPICH 2048). `exhausted all`: the program takes nearly all of them on
 * every rank; `exhausted half`: all but one on the ranks of the first half. Then it sums and gathers; rank 0 prints how
 * many results are wrong. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { most = 4096, left = 100, calls = 40 };

static MPI_Comm taken[most];
static int everyone[64];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int half_only = argc > 1 && strcmp(argv[1], "half") == 0;
  MPI_Comm mine;
  MPI_Comm_split(MPI_COMM_WORLD, half_only ? rank / (ranks / 2) : 0, rank, &mine);
  MPI_Comm_set_errhandler(mine, MPI_ERRORS_RETURN);
  int count = 0;
  if (!half_only || rank < ranks / 2) {
    while (count < most && MPI_Comm_dup(mine, &taken[count]) == MPI_SUCCESS) ++count;
    const int freed = half_only ? 1 : left;
    for (int i = 0; i < freed; ++i) MPI_Comm_free(&taken[--count]);
  }
  long wrong = 0, all = 0;
  for (int i = 0; i < calls; ++i) {
    MPI_Allgather(&rank, 1, MPI_INT, everyone, 1, MPI_INT, MPI_COMM_WORLD);
    for (int peer = 0; peer < ranks; ++peer) wrong += everyone[peer] != peer;
  }
  /* More communicators in use than are left. */
  for (int i = 0; !half_only && i < 4 * count; ++i) {
    int one = 1, sum = 0;
    MPI_Comm comm = taken[i / 4];
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    wrong += sum != ranks;
  }
  MPI_Reduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%ld wrong with %d communicators\n", all, count);
  fflush(stdout);
  return MPI_Finalize();
}
