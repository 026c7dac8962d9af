/* Rank 0 sends more in an alltoallv than the others take, on a duplicate whose errors are returned. MPI_COMM_WORLD's
 * handler, which ends the job, has nothing to do with it. Rank 0 prints how many ranks got the error. */
#include <mpi.h>
#include <stdio.h>

enum { most = 64 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN);
  MPI_Comm_rank(dup, &rank);
  MPI_Comm_size(dup, &ranks);
  int gives[most], gets[most], places[most], sent[5 * most] = {0}, received[5 * most];
  for (int i = 0; i < ranks; ++i) {
    places[i] = 5 * i;
    gets[i] = 2;
    gives[i] = rank == 0 && i != 0 ? 5 : 2;
  }
  const int error = MPI_Alltoallv(sent, gives, places, MPI_INT, received, gets, places, MPI_INT, dup);
  int class = MPI_SUCCESS;
  MPI_Error_class(error, &class);
  const int mine = class == MPI_ERR_TRUNCATE;
  int all = 0;
  MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d of %d\n", all, ranks);
  MPI_Comm_free(&dup);
  MPI_Finalize();
  return 0;
}
