/* Error handlers of the program: `handlers frees` has one that frees the communicator on which the error happened, and
 * `handlers returns` one that does nothing. Each of many communicators gets some correct calls, then one that the MPI
 * library refuses on all ranks. Rank 0 prints how often the handler was called, and how many results were wrong. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { rounds = 60, wrong_calls = 5 };

static int handler_calls, wrong;
static MPI_Comm current;

static void on_error(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  ++handler_calls;
}

static void on_error_free(MPI_Comm* comm, int* error, ...) {
  MPI_Comm dead = *comm;
  on_error(comm, error);
  if (dead != current) return; /* called again for a freed communicator, or for another one */
  current = MPI_COMM_NULL;
  MPI_Comm_free(&dead);
}

static void right_calls(MPI_Comm comm, int calls) {
  int ranks, one = 1;
  MPI_Comm_size(comm, &ranks);
  for (int i = 0; i < calls; ++i) {
    int sum = 0, said = i;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Bcast(&said, 1, MPI_INT, i % ranks, comm);
    wrong += sum != ranks || said != i;
  }
}

/* Every MPI library refuses each of these calls before it sends anything. */
static void wrong_call(MPI_Comm comm, int which, MPI_Datatype uncommitted) {
  int data[8] = {0}, result[8];
  switch (which) {
    case 0: MPI_Allreduce(data, result, 2, MPI_INT, MPI_OP_NULL, comm); break;
    case 1: MPI_Allreduce(data, result, 2, MPI_FLOAT, MPI_BAND, comm); break;
    case 2: MPI_Bcast(data, 2, MPI_INT, 999, comm); break;
    case 3: MPI_Bcast(data, 2, uncommitted, 0, comm); break;
    default: MPI_Allreduce(data, data, 2, MPI_INT, MPI_SUM, comm); break;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  const int frees = strcmp(argv[1], "frees") == 0;
  MPI_Errhandler handler;
  MPI_Datatype uncommitted;
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
  MPI_Comm_create_errhandler(frees ? on_error_free : on_error, &handler);
  if (!frees) MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler); /* Open MPI reports aliased buffers to this one */
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm_dup(MPI_COMM_WORLD, &current);
    MPI_Comm_set_errhandler(current, handler);
    right_calls(current, round % 7);
    /* Open MPI may call the handler of MPI_COMM_WORLD, where a handler that frees must do nothing. */
    wrong_call(current, round % (frees ? wrong_calls - 1 : wrong_calls), uncommitted);
    if (current == MPI_COMM_NULL) continue;
    right_calls(current, 3);
    MPI_Comm_free(&current);
  }
  int rank, mine[2] = {handler_calls, wrong}, all[2];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Reduce(mine, all, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("the handlers were called %d times, %d wrong\n", all[0], all[1]);
  fflush(stdout);
  MPI_Type_free(&uncommitted);
  return MPI_Finalize();
}
