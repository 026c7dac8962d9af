/* Carries out COLLECTIVE:BYTES ... once each. Of reductions rank 0 prints a fingerprint of the sums of floats: another
   order of additions rounds otherwise, so that algorithms can be told apart. BYTES as Starling counts them. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t fingerprint(const float* sums, int count) {
  uint32_t hash = 17;
  for (int i = 0; i < count; ++i) {
    uint32_t bits;
    memcpy(&bits, &sums[i], sizeof bits);
    hash = hash * 31 + bits;
  }
  return hash;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  int ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 1; i < argc; ++i) {
    char* colon = strchr(argv[i], ':');
    *colon = '\0';
    const char* name = argv[i];
    const int count = atoi(colon + 1) / (int)sizeof(float);
    const size_t all = (size_t)count * (size_t)ranks + 1;
    float* send = malloc(all * sizeof *send);
    float* recv = calloc(all, sizeof *recv);
    int* counts = malloc((size_t)ranks * sizeof *counts);
    uint32_t random = 12345 + 7919 * (uint32_t)rank;
    for (size_t k = 0; k < all; ++k) {
      random = random * 1664525 + 1013904223;
      send[k] = (float)random * (1.0F + 1000.0F * (float)rank);
    }
    for (int k = 0; k < ranks; ++k) counts[k] = count;
    int reduces = 1;
    if (strcmp(name, "allreduce") == 0) {
      MPI_Allreduce(send, recv, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    } else if (strcmp(name, "reduce") == 0) {
      MPI_Reduce(send, recv, count, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
    } else if (strcmp(name, "reduce_scatter") == 0) {
      MPI_Reduce_scatter(send, recv, counts, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    } else {
      reduces = 0;
      if (strcmp(name, "alltoall") == 0) MPI_Alltoall(send, count, MPI_FLOAT, recv, count, MPI_FLOAT, MPI_COMM_WORLD);
      if (strcmp(name, "allgather") == 0) MPI_Allgather(send, count, MPI_FLOAT, recv, count, MPI_FLOAT, MPI_COMM_WORLD);
      if (strcmp(name, "bcast") == 0) MPI_Bcast(send, count, MPI_FLOAT, 0, MPI_COMM_WORLD);
      if (strcmp(name, "barrier") == 0) MPI_Barrier(MPI_COMM_WORLD);
      if (strcmp(name, "gather") == 0) MPI_Gather(send, count, MPI_FLOAT, recv, count, MPI_FLOAT, 0, MPI_COMM_WORLD);
    }
    if (rank == 0 && reduces) printf("%s:%s %08x\n", name, colon + 1, fingerprint(recv, count));
    free(send);
    free(recv);
    free(counts);
  }
  MPI_Finalize();
  return 0;
}
