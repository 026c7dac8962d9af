/* Nanoseconds of one MPI_Bcast of 64 bytes, as 8 MPI_DOUBLE and as one element of a contiguous type of 8: derived_type
 * WARM_UP CALLS BLOCKS self|world. Both in turn; rank 0 prints both figures for each pair of blocks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { doubles = 8 };

static double data[doubles];

static double nanoseconds(int calls, int count, MPI_Datatype type, MPI_Comm comm) {
  const double start = PMPI_Wtime();
  for (int i = 0; i < calls; ++i) MPI_Bcast(data, count, type, 0, comm);
  return (PMPI_Wtime() - start) / calls * 1e9;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 5) MPI_Abort(MPI_COMM_WORLD, 2);
  const int warm_up = atoi(argv[1]), calls = atoi(argv[2]), blocks = atoi(argv[3]);
  const MPI_Comm comm = strcmp(argv[4], "self") ? MPI_COMM_WORLD : MPI_COMM_SELF;
  MPI_Datatype derived;
  MPI_Type_contiguous(doubles, MPI_DOUBLE, &derived);
  MPI_Type_commit(&derived);
  nanoseconds(warm_up, doubles, MPI_DOUBLE, comm);
  nanoseconds(warm_up, 1, derived, comm);
  for (int block = 0; block < blocks; ++block) {
    const double plain = nanoseconds(calls, doubles, MPI_DOUBLE, comm);
    const double same = nanoseconds(calls, 1, derived, comm);
    if (rank == 0) printf("%.2f %.2f\n", plain, same);
  }
  MPI_Type_free(&derived);
  MPI_Finalize();
  return 0;
}
