/* Calls that a profile must find:  profiled LATE
   Rank LATE computes before each of 20 barriers, on which the others wait for it. */
#include <mpi.h>
#include <stdlib.h>

enum { rounds = 100, sizes = 30, of_rows = 10, uneven = 5, pending = 7, barriers = 20, alone = 3, of_each = 12 };

static volatile double sink;

static void compute(void) {
  double value = 1;
  for (int i = 0; i < 8000000; ++i) value = value * 0.999 + 1;
  sink = value;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  static double data[512];
  double in = 1, out;
  for (int i = 0; i < rounds; ++i) {
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(data, 512, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }

  char* blocks = calloc((size_t)(size * sizes), 1);
  char block[sizes] = {0};
  for (int bytes = 1; bytes <= sizes; ++bytes)
    MPI_Allgather(block, bytes, MPI_BYTE, blocks, bytes, MPI_BYTE, MPI_COMM_WORLD);

  MPI_Comm row;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
  for (int i = 0; i < of_rows; ++i) MPI_Allreduce(data, data + 2, 2, MPI_DOUBLE, MPI_SUM, row);
  MPI_Comm_free(&row);

  /* Rank r sends s + 1 bytes to rank s: 2.5 in the mean on 4 ranks. */
  int* sent = calloc((size_t)(4 * size), sizeof *sent);
  int *to = sent + size, *received = to + size, *from = received + size;
  char* sends = calloc((size_t)(size * size), 1);
  for (int i = 0; i < size; ++i) {
    sent[i] = i + 1;
    to[i] = i == 0 ? 0 : to[i - 1] + i;
    received[i] = rank + 1;
    from[i] = i * (rank + 1);
  }
  for (int i = 0; i < uneven; ++i)
    MPI_Alltoallv(sends, sent, to, MPI_BYTE, blocks, received, from, MPI_BYTE, MPI_COMM_WORLD);

  /* To and from rank 0, each block of as many bytes. */
  for (int i = 0; i < size; ++i) {
    received[i] = of_each;
    from[i] = i * of_each;
  }
  MPI_Gatherv(block, of_each, MPI_BYTE, blocks, received, from, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Scatterv(blocks, received, from, MPI_BYTE, block, of_each, MPI_BYTE, 0, MPI_COMM_WORLD);

  for (int i = 0; i < pending; ++i) {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < alone; ++i) MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);

  int late = argc > 1 ? atoi(argv[1]) : -1;
  for (int i = 0; i < barriers; ++i) {
    if (rank == late) compute();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  free(blocks);
  free(sent);
  free(sends);
  MPI_Finalize();
  return 0;
}
