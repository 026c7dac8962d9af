/* Errors in the middle of an exchange: one rank sends another more than it expects, and all continue with correct
 * calls. `truncated KIND ITEMS [WAY]...` with alltoallv, alltoallw, gatherv or scatterv, whose counts the other ranks
 * don't know, and blocks of so many items. Rank 0 prints how many correct calls returned an error, how many gave a
 * wrong result, and how many wrong calls returned no error where too much arrived. With ways it prints that of each,
 * behind its name; each has a communicator of its own. */
#include <mpi.h>
#include <starling/starling.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rounds = 12, right_calls = 6, most = 16 };

static int rank, ranks, block;
static const char* kind;

static int value(int from, int to, int call, int place) {
  return ((from * 16 + to) * 1000 + call) * 16384 + place;
}

/* Rank `from` sends `extra` items more than rank `to` expects. The root is the one of the two that has the counts. */
static int exchange(int* in, int* out, int from, int to, int extra, MPI_Comm comm) {
  int sent[most], expected[most], places[most], bytes[most];
  MPI_Datatype types[most];
  for (int i = 0; i < ranks; ++i) {
    sent[i] = expected[i] = block;
    places[i] = 2 * i * block;
    bytes[i] = places[i] * (int)sizeof(int);
    types[i] = MPI_INT;
  }
  if (rank == from) sent[to] += extra;
  if (strcmp(kind, "alltoallv") == 0)
    return MPI_Alltoallv(in, sent, places, MPI_INT, out, expected, places, MPI_INT, comm);
  if (strcmp(kind, "alltoallw") == 0) return MPI_Alltoallw(in, sent, bytes, types, out, expected, bytes, types, comm);
  if (strcmp(kind, "gatherv") == 0) return MPI_Gatherv(in, sent[to], MPI_INT, out, expected, places, MPI_INT, to, comm);
  return MPI_Scatterv(in, sent, places, MPI_INT, out, block, MPI_INT, from, comm);
}

/* A gather's root is rank `to` of the exchange, a scatter's rank `from`. */
static int is_right(const int* out, int from, int to, int call) {
  const int gathers = strcmp(kind, "gatherv") == 0, scatters = strcmp(kind, "scatterv") == 0;
  if (gathers && rank != to) return 1;
  for (int peer = 0; peer < (scatters ? 1 : ranks); ++peer)
    for (int i = 0; i < block; ++i)
      if (out[2 * peer * block + i] != value(scatters ? from : peer, gathers ? 0 : rank, call, i)) return 0;
  return 1;
}

static void go_on_after_errors(const char* way) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  if (way && starling_choose(comm, kind, way) != 0) MPI_Abort(MPI_COMM_WORLD, 3);
  int faults[3] = {0, 0, 0}, all[3];
  for (int call = 0; call < rounds * right_calls; ++call) {
    const int is_wrong = call % right_calls == right_calls - 1, round = call / right_calls;
    const int from = round % ranks, to = (from + 1 + round / ranks % (ranks - 1)) % ranks;
    /* Each call has its own memory, so that late messages would write to freed memory. */
    int* const in = malloc(2 * most * (size_t)block * sizeof *in);
    int* const out = malloc(2 * most * (size_t)block * sizeof *out);
    for (int peer = 0; peer < ranks; ++peer)
      for (int i = 0; i < 2 * block; ++i) {
        in[2 * peer * block + i] = value(rank, peer, call, i);
        out[2 * peer * block + i] = -1;
      }
    const int error = exchange(in, out, from, to, is_wrong ? 3 : 0, comm);
    if (is_wrong) {
      faults[2] += rank == to && error == MPI_SUCCESS;
    } else {
      faults[0] += error != MPI_SUCCESS;
      faults[1] += !is_right(out, from, to, call);
    }
    free(out);
    free(in);
  }
  PMPI_Reduce(faults, all, 3, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0 && way) printf("%s: ", way);
  if (rank == 0) printf("%d errors too many, %d wrong, %d not reported\n", all[0], all[1], all[2]);
  fflush(stdout);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  kind = argv[1];
  block = atoi(argv[2]);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* MPICH 4 reports errors in MPI_Wait to this one */
  if (argc == 3) go_on_after_errors(NULL);
  for (int i = 3; i < argc; ++i) go_on_after_errors(argv[i]);
  return MPI_Finalize();
}
