// Times one collective: collective_times COLLECTIVE CALLS BYTES... prints one JSON line for each size, the median over
// calls of the slowest rank's seconds. Ranks begin each call together, after a barrier. Bytes count as in Starling: the
// vector, or one block; reductions add doubles.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ranks;
static int rank;

static int call(const char* name, int bytes, char* from, char* into) {
  const int doubles = bytes / (int)sizeof(double);
  const MPI_Comm all = MPI_COMM_WORLD;
  if (strcmp(name, "allgather") == 0) return MPI_Allgather(from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, all);
  if (strcmp(name, "allreduce") == 0) return MPI_Allreduce(from, into, doubles, MPI_DOUBLE, MPI_SUM, all);
  if (strcmp(name, "alltoall") == 0) return MPI_Alltoall(from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, all);
  if (strcmp(name, "barrier") == 0) return MPI_Barrier(all);
  if (strcmp(name, "bcast") == 0) return MPI_Bcast(into, bytes, MPI_BYTE, 0, all);
  if (strcmp(name, "gather") == 0) return MPI_Gather(from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, 0, all);
  if (strcmp(name, "reduce") == 0) return MPI_Reduce(from, into, doubles, MPI_DOUBLE, MPI_SUM, 0, all);
  if (strcmp(name, "reduce_scatter_block") == 0)
    return MPI_Reduce_scatter_block(from, into, doubles, MPI_DOUBLE, MPI_SUM, all);
  if (strcmp(name, "scan") == 0) return MPI_Scan(from, into, doubles, MPI_DOUBLE, MPI_SUM, all);
  if (strcmp(name, "scatter") == 0) return MPI_Scatter(from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, 0, all);
  if (rank == 0) fprintf(stderr, "collective_times: no collective %s\n", name);
  MPI_Abort(all, 2);
  return MPI_ERR_ARG;
}

static int ascending(const void* one, const void* other) {
  const double a = *(const double*)one;
  const double b = *(const double*)other;
  return (a > b) - (a < b);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 4) {
    if (rank == 0) fprintf(stderr, "usage: collective_times COLLECTIVE CALLS BYTES...\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int calls = atoi(argv[2]);
  double* times = malloc((size_t)calls * sizeof *times);
  double* slowest = malloc((size_t)calls * sizeof *slowest);
  for (int i = 3; i < argc; ++i) {
    const int bytes = atoi(argv[i]);
    char* from = calloc((size_t)ranks, (size_t)bytes + sizeof(double));
    char* into = calloc((size_t)ranks, (size_t)bytes + sizeof(double));
    call(argv[1], bytes, from, into);
    for (int one = 0; one < calls; ++one) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      call(argv[1], bytes, from, into);
      times[one] = MPI_Wtime() - start;
    }
    MPI_Reduce(times, slowest, calls, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
      qsort(slowest, (size_t)calls, sizeof *slowest, ascending);
      printf("{\"bytes\": %d, \"ranks\": %d, \"seconds\": %.9g, \"fastest\": %.9g, \"slowest\": %.9g}\n", bytes, ranks,
             slowest[calls / 2], slowest[0], slowest[calls - 1]);
    }
    free(from);
    free(into);
  }
  free(times);
  free(slowest);
  MPI_Finalize();
  return 0;
}
