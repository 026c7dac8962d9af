/* A program that exchanges halos by MPI_Neighbor_alltoall and MPI_Neighbor_alltoallw on a ring: halo_calls CALLS. Also
 * makes one call that MPI refuses. Prints how many results were wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 64 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, wrong = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int periodic = 1;
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
  MPI_Comm_rank(ring, &rank);
  const int back = (rank + ranks - 1) % ranks, front = (rank + 1) % ranks;
  int column[most][most];
  MPI_Datatype one_column;
  MPI_Type_vector(most, 1, most, MPI_INT, &one_column);
  MPI_Type_commit(&one_column);
  for (int call = 0; call < atoi(argv[1]); ++call) {
    int sent[2] = {1000 * call + 10 * rank, 1000 * call + 10 * rank + 1}, received[2] = {-1, -1};
    MPI_Neighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, ring);
    wrong += received[0] != 1000 * call + 10 * back + 1 || received[1] != 1000 * call + 10 * front;

    for (int i = 0; i < most; ++i)
      for (int j = 0; j < most; ++j) column[i][j] = j == 1 || j == most - 2 ? call + 100 * rank + i + j : -1;
    const int counts[2] = {1, 1};
    const MPI_Aint from[2] = {sizeof(int), (most - 2) * sizeof(int)}, into[2] = {0, (most - 1) * sizeof(int)};
    const MPI_Datatype types[2] = {one_column, one_column};
    MPI_Neighbor_alltoallw(column, counts, from, types, column, counts, into, types, ring);
    for (int i = 0; i < most; ++i) {
      wrong += column[i][0] != call + 100 * back + i + most - 2 || column[i][most - 1] != call + 100 * front + i + 1;
      wrong += column[i][1] != call + 100 * rank + i + 1 || column[i][2] != -1;
    }
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int count = 0, place = 0;
  int nothing;
  wrong += MPI_Neighbor_alltoallv(&count, &count, &place, MPI_INT, &nothing, &count, &place, MPI_INT, MPI_COMM_WORLD) ==
           MPI_SUCCESS;
  int all = 0;
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", all);
  MPI_Type_free(&one_column);
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return 0;
}
