/* Neighbourhood collectives in which the first rank has nothing to send and no usable datatype for it: none, or one
 * that is not committed. Prints how many results are wrong. */
#include <mpi.h>
#include <stdio.h>

enum { calls = 60 };

static int rank, ranks, wrong;
static MPI_Comm line;
static int neighbours[2];

/* Each of the other ranks sends its number along the line. */
static void gather_without(MPI_Datatype type) {
  const int starts[2] = {0, 1};
  int counts[2];
  for (int i = 0; i < 2; ++i) counts[i] = neighbours[i] > 0;
  for (int call = 0; call < calls; ++call) {
    const int mine = rank + call;
    int got[2] = {-1, -1};
    MPI_Neighbor_allgatherv(&mine, rank > 0, rank > 0 ? MPI_INT : type, got, counts, starts, MPI_INT, line);
    for (int i = 0; i < 2; ++i) wrong += got[i] != (counts[i] > 0 ? neighbours[i] + call : -1);
  }
}

static void exchange_nothing(void) {
  for (int call = 0; call < calls; ++call) {
    int nothing[2];
    MPI_Neighbor_alltoall(nothing, 0, rank > 0 ? MPI_INT : MPI_DATATYPE_NULL, nothing, 0, MPI_INT, line);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int ends = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &ends, 0, &line);
  MPI_Comm_rank(line, &rank);
  MPI_Cart_shift(line, 0, 1, &neighbours[0], &neighbours[1]);
  MPI_Datatype uncommitted;
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
  gather_without(MPI_DATATYPE_NULL);
  gather_without(uncommitted);
  exchange_nothing();
  MPI_Type_free(&uncommitted);
  MPI_Comm_free(&line);
  int all_wrong;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", all_wrong);
  return MPI_Finalize();
}
