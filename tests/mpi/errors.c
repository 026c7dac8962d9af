/* Wrong calls of collectives on communicators whose error handler returns: MPI_ must return the error class of PMPI_,
 * and the communicator must work afterwards. Prints how many calls disagree. */
#include <mpi.h>
#include <stdio.h>

static int disagreements, calls;

static void compare(const char* what, int with, int without) {
  int class_with, class_without;
  MPI_Error_class(with, &class_with);
  MPI_Error_class(without, &class_without);
  ++calls;
  if (class_with == class_without) return;
  ++disagreements;
  fprintf(stderr, "%s: MPI gives class %d, PMPI %d\n", what, class_with, class_without);
}

#define COMPARE(Name, ...) compare(#Name #__VA_ARGS__, MPI_##Name(__VA_ARGS__), PMPI_##Name(__VA_ARGS__))

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Datatype uncommitted;
  MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted);

  int in[256] = {0}, out[256] = {0};
  COMPARE(Bcast, in, -1, MPI_INT, 0, comm);
  COMPARE(Bcast, in, 4, MPI_INT, ranks, comm);
  COMPARE(Bcast, in, 4, MPI_INT, -7, comm);
  COMPARE(Bcast, in, 4, MPI_DATATYPE_NULL, 0, comm);
  COMPARE(Bcast, in, 4, uncommitted, 0, comm);
  COMPARE(Bcast, in, 4, MPI_INT, 0, MPI_COMM_NULL);
  COMPARE(Allreduce, in, out, 4, MPI_INT, MPI_OP_NULL, comm);
  COMPARE(Allreduce, in, out, 4, MPI_DATATYPE_NULL, MPI_SUM, comm);
  COMPARE(Allreduce, in, out, 4, MPI_DOUBLE, MPI_BAND, comm);
  COMPARE(Allreduce, in, out, 4, MPI_INT, MPI_SUM, MPI_COMM_NULL);
  COMPARE(Allreduce, in, MPI_IN_PLACE, 4, MPI_INT, MPI_SUM, comm);
  COMPARE(Allgather, in, -1, MPI_INT, out, 4, MPI_INT, comm);
  COMPARE(Allgather, in, 4, MPI_INT, out, 4, MPI_DATATYPE_NULL, comm);
  COMPARE(Alltoall, in, 4, MPI_INT, out, -1, MPI_INT, comm);
  COMPARE(Alltoall, in, 4, MPI_DATATYPE_NULL, out, 4, MPI_INT, comm);
  COMPARE(Alltoall, in, 4, MPI_INT, out, 4, MPI_INT, MPI_COMM_NULL);
  COMPARE(Reduce, in, out, 4, MPI_INT, MPI_SUM, ranks, comm);
  COMPARE(Gather, in, 4, MPI_INT, out, 4, MPI_INT, ranks, comm);
  COMPARE(Barrier, MPI_COMM_NULL);

  int sum = 0;
  for (int i = 0; i < 20; ++i)
    compare("a right call", MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
  if (sum != ranks * (ranks - 1) / 2) ++disagreements;
  MPI_Type_free(&uncommitted);
  MPI_Comm_free(&comm);
  int total;
  PMPI_Allreduce(&disagreements, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d calls, %d disagreements\n", calls, total);
  MPI_Finalize();
  return total ? 1 : 0;
}
