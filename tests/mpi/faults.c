/* A program that survives: on a communicator whose errors are returned it sums many times, then the last rank revokes
 * the communicator while the others sum (`faults revoke`), or dies before call N (`faults dies N`). The survivors go on
 * with a smaller communicator. Each prints how its sums ended and the result on the smaller one. Open MPI 5 only. */
#include <mpi.h>

/* Needs the declarations of the header before. */
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { calls = 60 };

static int rank, ranks;

static int sum(MPI_Comm comm, int* all) {
  const int one = 1;
  *all = 0;
  return MPI_Allreduce(&one, all, 1, MPI_INT, MPI_SUM, comm);
}

static int sums_until(MPI_Comm comm, int death) {
  for (int call = 0; call < calls; ++call) {
    if (call == death && rank == ranks - 1) raise(SIGKILL);
    int all;
    const int error = sum(comm, &all);
    if (error != MPI_SUCCESS) return error;
    if (all != ranks) MPI_Abort(MPI_COMM_WORLD, 4);
  }
  return MPI_SUCCESS;
}

/* Every rank announces that it sums next; the rank that has received all announcements revokes. */
static int sum_while_revoked(MPI_Comm comm) {
  int all;
  if (rank < ranks - 1) {
    MPI_Send(&rank, 1, MPI_INT, ranks - 1, 0, MPI_COMM_WORLD);
    return sum(comm, &all);
  }
  for (int peer = 0; peer < ranks - 1; ++peer) MPI_Recv(&all, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPIX_Comm_revoke(comm);
  return sum(comm, &all);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  const int dies = strcmp(argv[1], "dies") == 0;
  MPI_Comm comm, left;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  int error = sums_until(comm, dies ? atoi(argv[2]) : -1);
  if (!dies && error == MPI_SUCCESS) error = sum_while_revoked(comm);
  int class;
  MPI_Error_class(error, &class);
  const int is_known = class == MPIX_ERR_REVOKED || class == MPIX_ERR_PROC_FAILED;
  MPIX_Comm_revoke(comm);
  MPIX_Comm_shrink(comm, &left);
  int all = 0;
  for (int call = 0; call < calls; ++call)
    if (sum(left, &all) != MPI_SUCCESS) all = -1;
  printf("rank %d: %s, then %d are left\n", rank, is_known ? "interrupted" : "not interrupted", all);
  fflush(stdout);
  MPI_Comm_free(&left);
  MPI_Finalize();
  return 0;
}
