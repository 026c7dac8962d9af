/* One rank makes a wrong call while the others make the right one and wait for it: `erroneous FAULT`. The error handler
 * is MPI's default, which ends the job. If it does not, rank 0 says so. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 500, right_calls = 20, most_ranks = 16 };

static int in[count * most_ranks], out[count * most_ranks];
static int rank, ranks;

static void sum(MPI_Comm comm) {
  MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, comm);
}

static void cast(MPI_Comm comm) {
  MPI_Bcast(in, count, MPI_INT, 0, comm);
}

static void exchange(MPI_Comm comm) {
  MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, comm);
}

/* Whether this rank now makes the wrong call of `fault`; the others make the right one. */
static int errs(const char* fault, const char* this_one, void (*right)(MPI_Comm), MPI_Comm comm) {
  if (strcmp(fault, this_one) != 0) return 0;
  if (rank == 1) return 1;
  right(comm);
  return 0;
}

/* Between the even and the odd ranks. */
static MPI_Comm between_halves(void) {
  MPI_Comm half, both;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &both);
  MPI_Comm_free(&half);
  return both;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 2 || ranks < 3 || ranks > most_ranks) MPI_Abort(MPI_COMM_WORLD, 2);
  const char* const fault = argv[1];
  MPI_Comm comm, gone, halves = between_halves();
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_dup(MPI_COMM_WORLD, &gone);
  for (int call = 0; call < right_calls; ++call) {
    sum(comm), cast(comm), exchange(comm);
    sum(gone), sum(halves);
  }
  const MPI_Comm freed = gone;
  MPI_Comm_free(&gone);
  MPI_Datatype uncommitted;
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);

  if (errs(fault, "negative_count", cast, comm)) MPI_Bcast(in, -1, MPI_INT, 0, comm);
  if (errs(fault, "no_type", cast, comm)) MPI_Bcast(in, count, MPI_DATATYPE_NULL, 0, comm);
  if (errs(fault, "uncommitted_type", exchange, comm))
    MPI_Alltoall(in, count / 2, uncommitted, out, count / 2, uncommitted, comm);
  if (errs(fault, "no_such_root", cast, comm)) MPI_Bcast(in, count, MPI_INT, ranks, comm);
  if (errs(fault, "no_process_as_root", cast, comm)) MPI_Bcast(in, count, MPI_INT, MPI_PROC_NULL, comm);
  if (errs(fault, "no_operator", sum, comm)) MPI_Allreduce(in, out, count, MPI_INT, MPI_OP_NULL, comm);
  if (errs(fault, "operator_of_other_types", sum, comm)) MPI_Allreduce(in, out, count, MPI_FLOAT, MPI_BAND, comm);
  if (errs(fault, "no_buffer", sum, comm)) MPI_Allreduce(NULL, out, count, MPI_INT, MPI_SUM, comm);
  if (errs(fault, "result_in_place", sum, comm)) MPI_Allreduce(in, MPI_IN_PLACE, count, MPI_INT, MPI_SUM, comm);
  if (errs(fault, "no_communicator", sum, comm)) sum(MPI_COMM_NULL);
  if (errs(fault, "freed_communicator", sum, comm)) sum(freed);
  if (errs(fault, "no_operator_between_groups", sum, halves))
    MPI_Allreduce(in, out, count, MPI_INT, MPI_OP_NULL, halves);

  MPI_Barrier(comm);
  if (rank == 0) printf("went on\n");
  return MPI_Finalize();
}
