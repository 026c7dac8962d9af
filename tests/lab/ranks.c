/* Ranks print their hosts, exchange blocks with each other, and check the received data.
 *
 * ranks [BLOCK TIMES]: prints `hosts NAME...` in the order of ranks, `ranks_per_node N`, and `alltoall SECONDS`, the
 * fastest of TIMES. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(const char* what) {
  fprintf(stderr, "ranks: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 0, length = 0, together = 0;
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Get_processor_name(name, &length);

  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &together);
  MPI_Comm_free(&node);

  const int block = argc > 2 ? atoi(argv[1]) : 4096;
  const int times = argc > 2 ? atoi(argv[2]) : 100;
  unsigned char* out = malloc((size_t)block * (size_t)ranks);
  unsigned char* in = malloc((size_t)block * (size_t)ranks);
  char* names = malloc((size_t)ranks * sizeof name);
  if (!out || !in || !names) fail("no memory");
  for (int i = 0; i < block * ranks; ++i) out[i] = (unsigned char)(rank * 17 + i / block * 5 + i % 251);

  double fastest = 1e9;
  for (int time = 0; time < times; ++time) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Alltoall(out, block, MPI_BYTE, in, block, MPI_BYTE, MPI_COMM_WORLD);
    double seconds = MPI_Wtime() - start, slowest = 0;
    MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (slowest < fastest) fastest = slowest;
  }
  for (int peer = 0; peer < ranks; ++peer)
    for (int i = 0; i < block; ++i)
      if (in[peer * block + i] != (unsigned char)(peer * 17 + rank * 5 + (rank * block + i) % 251))
        fail("a wrong byte arrived");

  MPI_Gather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("hosts");
    for (int i = 0; i < ranks; ++i) printf(" %s", names + (size_t)i * sizeof name);
    printf("\nranks_per_node %d\nalltoall %.6f\n", together, fastest);
    fflush(stdout);
  }
  free(out);
  free(in);
  free(names);
  return MPI_Finalize();
}
