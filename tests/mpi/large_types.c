/* Types made with large counts, gapless and plain: only large-count functions may ask MPI how they were made. Prints
 * how many results are wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { calls = 60 };

static int rank, ranks;

static long wrong_with(MPI_Datatype type) {
  int* all = malloc(2 * sizeof(int) * (size_t)ranks);
  long wrong = 0;
  for (int call = 0; call < calls; ++call) {
    const int mine[2] = {rank, rank + call};
    MPI_Allgather(mine, 1, type, all, 1, type, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; ++i) wrong += all[2 * i] != i || all[2 * i + 1] != i + call;
  }
  free(all);
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Datatype pair, copy, again;
  MPI_Type_contiguous_c(2, MPI_INT, &pair);
  MPI_Type_dup(pair, &copy);
  MPI_Type_contiguous(1, copy, &again);
  MPI_Datatype* const types[] = {&pair, &copy, &again};
  long wrong = 0, all = 0;
  for (int i = 0; i < 3; ++i) {
    MPI_Type_commit(types[i]);
    wrong += wrong_with(*types[i]);
  }
  MPI_Reduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) MPI_Type_free(types[i]);
  if (rank == 0) printf("%ld wrong\n", all);
  return MPI_Finalize();
}
