/* Calls on a handle whose communicator was freed. The program's error handler returns; then the handle is that of a new
 * communicator, with fewer ranks. Rank 0 prints how often the handler was called for each kind of call, and how many
 * results on the new communicator were wrong. */
#include <mpi.h>
#include <stdio.h>

enum { kinds = 5, rounds = 30 };

static int handler_calls;

static void on_error(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  ++handler_calls;
}

static void call_on(MPI_Comm stale, int kind) {
  int one = 1, sum = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  switch (kind) {
    case 0: MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, stale); break;
    case 1: MPI_Barrier(stale); break;
    case 2: MPI_Neighbor_allgather(&one, 1, MPI_INT, &sum, 1, MPI_INT, stale); break;
    case 3: MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, stale, &request); break;
    default: MPI_Comm_free(&stale); break;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, wrong = 0, reused = 0, calls[kinds] = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  for (int kind = 0; kind < kinds; ++kind) {
    MPI_Comm stale, comm, new_one;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    stale = comm;
    MPI_Comm_free(&comm);
    handler_calls = 0;
    call_on(stale, kind);
    calls[kind] = handler_calls;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &new_one);
    reused += new_one == stale;
    for (int i = 0; i < rounds; ++i) {
      int mine = rank == 0 ? ranks - 1 : 1, sum = 0;
      MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, new_one);
      wrong += sum != ranks - 1;
    }
    MPI_Comm_free(&new_one);
  }
  if (rank == 0)
    printf("the handler was called %d %d %d %d %d times, the handle was used again %d times, %d wrong\n", calls[0],
           calls[1], calls[2], calls[3], calls[4], reused, wrong);
  fflush(stdout);
  return MPI_Finalize();
}
