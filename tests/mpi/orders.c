/* Carries out COLLECTIVE:BYTES ... and prints of each, by which algorithms can be told apart, a fingerprint of a
 * reduction's sums of floats, for another order of additions rounds otherwise, and how many messages rank 0 sent. BYTES
 * as Starling counts them. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages_sent.h"

static uint32_t fingerprint(const float* sums, int count) {
  uint32_t hash = 17;
  for (int i = 0; i < count; ++i) {
    uint32_t bits;
    memcpy(&bits, &sums[i], sizeof bits);
    hash = hash * 31 + bits;
  }
  return hash;
}

/* Returns how many sums rank 0 has. */
static int call(const char* name, float* send, float* recv, int bytes, const int* counts) {
  const MPI_Comm all = MPI_COMM_WORLD;
  const int count = bytes / (int)sizeof(float);
  if (strcmp(name, "alltoall") == 0) MPI_Alltoall(send, bytes, MPI_BYTE, recv, bytes, MPI_BYTE, all);
  if (strcmp(name, "allgather") == 0) MPI_Allgather(send, bytes, MPI_BYTE, recv, bytes, MPI_BYTE, all);
  if (strcmp(name, "bcast") == 0) MPI_Bcast(send, bytes, MPI_BYTE, 0, all);
  if (strcmp(name, "barrier") == 0) MPI_Barrier(all);
  if (strcmp(name, "gather") == 0) MPI_Gather(send, bytes, MPI_BYTE, recv, bytes, MPI_BYTE, 0, all);
  if (strcmp(name, "allreduce") == 0) {
    MPI_Allreduce(send, recv, count, MPI_FLOAT, MPI_SUM, all);
  } else if (strcmp(name, "reduce") == 0) {
    MPI_Reduce(send, recv, count, MPI_FLOAT, MPI_SUM, 0, all);
  } else if (strcmp(name, "reduce_scatter") == 0) {
    MPI_Reduce_scatter(send, recv, counts, MPI_FLOAT, MPI_SUM, all);
  } else {
    return 0;
  }
  return count;
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
    const int bytes = atoi(colon + 1);
    const size_t most = ((size_t)bytes / sizeof(float) + 1) * (size_t)ranks;
    float* send = malloc(most * sizeof *send);
    float* recv = calloc(most, sizeof *recv);
    int* counts = malloc((size_t)ranks * sizeof *counts);
    uint32_t random = 12345 + 7919 * (uint32_t)rank;
    for (size_t k = 0; k < most; ++k) {
      random = random * 1664525 + 1013904223;
      send[k] = (float)random * (1.0F + 1000.0F * (float)rank);
    }
    for (int k = 0; k < ranks; ++k) counts[k] = bytes / (int)sizeof(float);
    call(name, send, recv, bytes, counts); /* connections are made by the first messages */
    MPI_Barrier(MPI_COMM_WORLD);
    const long before = messages_sent;
    const int sums = call(name, send, recv, bytes, counts);
    if (rank == 0) printf("%s:%d %08x %ld\n", name, bytes, fingerprint(recv, sums), messages_sent - before);
    free(send);
    free(recv);
    free(counts);
  }
  MPI_Finalize();
  return 0;
}
