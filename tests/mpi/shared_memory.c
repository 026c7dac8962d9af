/* Collectives while ranks of a node share memory, by the first argument:
 *   late     rank 1 enters a broadcast while rank 0 is in a blocking send to it, for which rank 1 must make progress
 *   ahead    rank 0 broadcasts again and again before rank 1 begins, which waits until rank 0 can go on no more
 *   refused  on the last rank no file can be opened while the first call is made
 *   many     more communicators than there may be memory for, one call on each
 *   killed   the last rank kills itself when all have made a call */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { large = 1 << 22, many = 400, broadcasts = 200 };

static int sum_on_is_right(MPI_Comm comm, int ranks) {
  int one = 1;
  int sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum == ranks;
}

static int sum_is_right(int ranks) {
  return sum_on_is_right(MPI_COMM_WORLD, ranks);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  int right = 1;
  if (strcmp(argv[1], "late") == 0) {
    char* const data = calloc(large, 1);
    char told = 0;
    for (int turn = 0; turn < 5; ++turn) {
      MPI_Request request = MPI_REQUEST_NULL;
      if (rank == 1) MPI_Irecv(data, large, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 0) {
        memset(data, turn + 1, large);
        MPI_Send(data, large, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        told = (char)(turn + 1);
      }
      MPI_Bcast(&told, 1, MPI_CHAR, 0, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      right = right && told == turn + 1 && (rank > 1 || data[large - 1] == turn + 1);
    }
    free(data);
  } else if (strcmp(argv[1], "ahead") == 0) {
    int told = 0;
    int word = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Bcast(&told, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_Irecv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    /* Over when rank 0 lets MPI make progress, which it does as it waits. */
    if (rank == 1) MPI_Ssend(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int turn = 0; turn < broadcasts; ++turn) {
      if (rank == 0) told = turn;
      MPI_Bcast(&told, 1, MPI_INT, 0, MPI_COMM_WORLD);
      right = right && told == turn;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (strcmp(argv[1], "refused") == 0) {
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    const struct rlimit none = {0, files.rlim_max};
    if (rank == ranks - 1) setrlimit(RLIMIT_NOFILE, &none);
    right = sum_is_right(ranks);
    setrlimit(RLIMIT_NOFILE, &files);
    for (int turn = 0; turn < 10; ++turn) right = right && sum_is_right(ranks);
  } else if (strcmp(argv[1], "many") == 0) {
    MPI_Comm comms[many];
    for (int i = 0; i < many; ++i) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
      right = right && sum_on_is_right(comms[i], ranks);
    }
    for (int i = 0; i < many; ++i) MPI_Comm_free(&comms[i]);
    right = right && sum_is_right(ranks);
  } else {
    right = sum_is_right(ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == ranks - 1) raise(SIGKILL);
    for (;;) MPI_Barrier(MPI_COMM_WORLD);
  }
  if (!right) {
    fprintf(stderr, "rank %d: wrong\n", rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
