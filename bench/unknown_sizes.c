/* Collectives in which not all ranks know how large blocks are, by every way, in turns within one job:
 *
 *   unknown_sizes ROUNDS CALLS COLLECTIVE:BYTES ...     gatherv, scatterv, alltoallv; a block has so many bytes in the
 *                                                      mean, from half to one and a half of that
 *
 * Rank 0 prints JSON: seconds of each call on its slowest rank. A call follows a barrier; the first of a way in a round
 * does not count, and its result is checked. */
#include <mpi.h>
#include <starling/starling.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WAYS = 128, MOST_NAME = 128 };

static int rank, ranks;

static int bytes_between(int from, int to, int mean) {
  return mean * (2 + (3 * from + 5 * to + from * to) % 5) / 4;
}

static char byte_between(int from, int to, int place) {
  return (char)(7 * from + 3 * to + place);
}

/* What this rank has for others, and what comes to it. */
struct blocks {
  int* counts;
  int* places;
  int end;
  char* data;
};

static struct blocks blocks_of(int mean, int sends) {
  struct blocks all = {malloc(sizeof(int) * (size_t)ranks), malloc(sizeof(int) * (size_t)ranks), 0, NULL};
  for (int other = 0; other < ranks; ++other) {
    all.counts[other] = sends ? bytes_between(rank, other, mean) : bytes_between(other, rank, mean);
    all.places[other] = all.end;
    all.end += all.counts[other];
  }
  all.data = malloc((size_t)all.end + 1);
  if (sends)
    for (int other = 0; other < ranks; ++other)
      for (int i = 0; i < all.counts[other]; ++i) all.data[all.places[other] + i] = byte_between(rank, other, i);
  return all;
}

static void call(const char* what, const struct blocks* out, const struct blocks* in) {
  if (strcmp(what, "gatherv") == 0) {
    MPI_Gatherv(out->data, out->counts[0], MPI_BYTE, in->data, in->counts, in->places, MPI_BYTE, 0, MPI_COMM_WORLD);
  } else if (strcmp(what, "scatterv") == 0) {
    MPI_Scatterv(out->data, out->counts, out->places, MPI_BYTE, in->data, in->counts[0], MPI_BYTE, 0, MPI_COMM_WORLD);
  } else {
    MPI_Alltoallv(out->data, out->counts, out->places, MPI_BYTE, in->data, in->counts, in->places, MPI_BYTE,
                  MPI_COMM_WORLD);
  }
}

static void check(const char* what, const char* way, const struct blocks* in) {
  const int one = strcmp(what, "scatterv") == 0;
  if (strcmp(what, "gatherv") == 0 && rank != 0) return;
  for (int from = 0; from < (one ? 1 : ranks); ++from)
    for (int i = 0; i < in->counts[from]; ++i)
      if (in->data[(one ? 0 : in->places[from]) + i] != byte_between(from, rank, i)) {
        fprintf(stderr, "rank %d: %s by %s: byte %d from rank %d is wrong\n", rank, what, way, i, from);
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
}

static double slowest(double mine) {
  double most = 0;
  PMPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

static void measure(const char* what, int mean, int rounds, int calls, int* is_first) {
  static char ways[MOST_WAYS][MOST_NAME];
  int count = 0;
  for (const char* name = starling_ways(what, ranks); *name != '\0' && count < MOST_WAYS; ++count) {
    const size_t length = strcspn(name, "\n");
    snprintf(ways[count], MOST_NAME, "%.*s", (int)length, name);
    name += length + (name[length] == '\n');
  }
  const struct blocks out = blocks_of(mean, 1), in = blocks_of(mean, 0);
  for (int round = 0; round < rounds; ++round)
    for (int way = 0; way < count; ++way) {
      if (ways[way][0] == '\0') continue;
      if (starling_choose(MPI_COMM_WORLD, what, ways[way]) != 0) MPI_Abort(MPI_COMM_WORLD, 3);
      memset(in.data, 0, (size_t)in.end);
      call(what, &out, &in);
      check(what, ways[way], &in);
      if (starling_refusal(MPI_COMM_WORLD, what)[0] != '\0') {
        ways[way][0] = '\0';
        continue;
      }
      if (rank == 0)
        printf("%s{\"collective\": \"%s\", \"bytes\": %d, \"way\": \"%s\", \"round\": %d, \"seconds\": [",
               *is_first ? "" : ",\n", what, mean, ways[way], round);
      *is_first = 0;
      for (int i = 0; i < calls; ++i) {
        PMPI_Barrier(MPI_COMM_WORLD);
        const double start = PMPI_Wtime();
        call(what, &out, &in);
        const double seconds = slowest(PMPI_Wtime() - start);
        if (rank == 0) printf("%s%.9f", i > 0 ? ", " : "", seconds);
      }
      if (rank == 0) printf("]}");
    }
  starling_choose(MPI_COMM_WORLD, what, NULL);
  free(out.counts), free(out.places), free(out.data);
  free(in.counts), free(in.places), free(in.data);
}

int main(int argc, char** argv) {
  int is_first = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 4 || !STARLING_PRESENT() || !starling_is_active()) {
    if (rank == 0) fprintf(stderr, "usage: starling run -- ... unknown_sizes ROUNDS CALLS COLLECTIVE:BYTES ...\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  if (rank == 0) printf("{\"ranks\": %d, \"times\": [", ranks);
  for (int i = 3; i < argc; ++i) {
    char what[MOST_NAME];
    int mean = 0;
    if (sscanf(argv[i], "%100[a-z]:%d", what, &mean) == 2) measure(what, mean, atoi(argv[1]), atoi(argv[2]), &is_first);
  }
  if (rank == 0) printf("]}\n");
  MPI_Finalize();
  return 0;
}
