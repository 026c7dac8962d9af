/* An error handler that frees the communicator of the error, makes another one, and uses it. Rank 0 prints how many
 * results were wrong. */
#include <mpi.h>
#include <stdio.h>

static MPI_Comm current, other = MPI_COMM_NULL;
static int wrong, handler_calls;

static void on_error(MPI_Comm* comm, int* error, ...) {
  (void)error;
  MPI_Comm dead = *comm;
  if (dead != current) return;
  ++handler_calls;
  current = MPI_COMM_NULL;
  MPI_Comm_free(&dead);
  MPI_Comm_dup(MPI_COMM_SELF, &other);
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, other);
  wrong += sum != 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(on_error, &handler);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < 20; ++round) {
    int ranks, one = 1, sum = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &current);
    MPI_Comm_set_errhandler(current, handler);
    MPI_Comm_size(current, &ranks);
    for (int i = 0; i <= round % 4; ++i) {
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, current);
      wrong += sum != ranks;
    }
    double data[2] = {1, 1};
    MPI_Bcast(data, rank == 0 ? 2 : 1, MPI_DOUBLE, 0, current); /* too long for the others */
    if (other != MPI_COMM_NULL) MPI_Comm_free(&other);
    if (current != MPI_COMM_NULL) MPI_Comm_free(&current);
  }
  int mine[2] = {wrong, handler_calls}, all[2];
  PMPI_Reduce(mine, all, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("the handler was called %d times, %d wrong\n", all[1], all[0]);
  MPI_Errhandler_free(&handler);
  return MPI_Finalize();
}
