/* What an algorithm of the MPI library leaves behind, by which it can be told from others.
 *
 *   library_algorithms ways COLLECTIVE ...          the names of its ways, a line each
 *   library_algorithms traces COLLECTIVE:WAY ...    for each: name, a hash of rank 0's result, how many messages rank 0
 *                                                   sent by UCX, and why the way refused, if it did
 *   library_algorithms level funneled|serialized    the thread level that MPI_Query_thread tells
 *   library_algorithms threads                      initialises MPI for several threads, then one allreduce
 *
 * The elements added are so different in size that the order of additions shows in the sum. */
#define _GNU_SOURCE
#include <mpi.h>
#include <starling/starling.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages_sent.h"

enum { elements = 6000 };

static unsigned long long hash(const void* data, size_t bytes) {
  unsigned long long found = 14695981039346656037ULL;
  for (size_t i = 0; i < bytes; ++i) found = (found ^ ((const unsigned char*)data)[i]) * 1099511628211ULL;
  return found;
}

static void print_ways(const char* collective) {
  for (const char* name = starling_ways(collective, 4); *name != '\0';) {
    const int length = (int)strcspn(name, "\n");
    printf("%s:%.*s\n", collective, length, name);
    name += length + (name[length] != '\0');
  }
}

static void call(const char* collective, double* out, double* in, int ranks) {
  const int block = elements / 64;
  if (strcmp(collective, "allreduce") == 0) MPI_Allreduce(out, in, elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (strcmp(collective, "reduce") == 0) MPI_Reduce(out, in, elements, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (strcmp(collective, "bcast") == 0) MPI_Bcast(in, elements, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (strcmp(collective, "alltoall") == 0) MPI_Alltoall(out, block, MPI_DOUBLE, in, block, MPI_DOUBLE, MPI_COMM_WORLD);
  if (strcmp(collective, "allgather") == 0)
    MPI_Allgather(out, block, MPI_DOUBLE, in, block, MPI_DOUBLE, MPI_COMM_WORLD);
  if (strcmp(collective, "barrier") == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(collective, "reduce_scatter_block") == 0)
    MPI_Reduce_scatter_block(out, in, elements / ranks, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void trace(char* named, double* out, double* in, int rank, int ranks) {
  char* const way = strchr(named, ':');
  *way = '\0';
  const int chosen = starling_choose(MPI_COMM_WORLD, named, way + 1);
  if (chosen != 0) {
    fprintf(stderr, "library_algorithms: %s:%s cannot be chosen: %d\n", named, way + 1, chosen);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  /* Connections are made by the first messages. */
  for (int i = 0; i < 2; ++i) call(named, out, in, ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  memset(in, 0, elements * sizeof *in);
  const long before = messages_sent;
  call(named, out, in, ranks);
  if (rank == 0)
    printf("%s:%s %llx %ld %s\n", named, way + 1, hash(in, elements * sizeof *in), messages_sent - before,
           starling_refusal(MPI_COMM_WORLD, named));
}

int main(int argc, char** argv) {
  int provided = 0, rank = 0, ranks = 0;
  const int threads = argc > 1 && strcmp(argv[1], "threads") == 0;
  const int wanted = threads                                          ? MPI_THREAD_MULTIPLE
                     : argc > 2 && strcmp(argv[2], "funneled") == 0   ? MPI_THREAD_FUNNELED
                     : argc > 2 && strcmp(argv[2], "serialized") == 0 ? MPI_THREAD_SERIALIZED
                                                                      : MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double* out = malloc(elements * sizeof *out);
  double* in = malloc(elements * sizeof *in);
  srand((unsigned)rank + 1);
  for (int i = 0; i < elements; ++i) out[i] = rand() * (rand() % 2 == 0 ? 1e-3 : 1e9);
  if (threads) call("allreduce", out, in, ranks);
  if (argc > 1 && strcmp(argv[1], "level") == 0) {
    MPI_Query_thread(&provided);
    printf("%d\n", provided);
  }
  if (argc > 1 && strcmp(argv[1], "tool") == 0) {
    int variables = 0;
    printf("%s\n", MPI_T_cvar_get_num(&variables) == MPI_T_ERR_NOT_INITIALIZED ? "not started" : "started");
  }
  for (int i = 2; i < argc; ++i) {
    if (strcmp(argv[1], "traces") == 0) trace(argv[i], out, in, rank, ranks);
    if (strcmp(argv[1], "ways") == 0 && rank == 0) print_ways(argv[i]);
  }
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
