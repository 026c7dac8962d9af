/* `passed_on KIND WAY`: gatherv, scatterv or alltoallv by a way that passes blocks on, with sizes that differ from rank
 * to rank and from call to call. In every other call one block is so large that it had better go straight. Rank 0
 * prints how many bytes were wrong, and whether the way's large calls took more memory than the MPI library's own. */
#include <mpi.h>
#include <starling/starling.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 8, LARGE = 16 << 20, MOST_RANKS = 16, ALLOWED_KIB = 4096 };

static int rank, ranks;
static const char* kind;

static int bytes_of(int from, int to, int call) {
  if (call % 2 == 1 && from == 1 % ranks && to == ranks - 1) return LARGE;
  return (5 * from + 3 * to + 2 * call) % 13;
}

static char byte_of(int from, int to, int call, int place) {
  return (char)(11 * from + 5 * to + 3 * call + place);
}

static long peak_kib(void) {
  char line[256];
  long found = 0;
  FILE* const status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    if (sscanf(line, "VmHWM: %ld", &found) == 1) break;
  if (status != NULL) fclose(status);
  return found;
}

/* Returns how many bytes are wrong. A gather's root is the last rank, a scatter's rank 1: those of the large block. */
static long make(int call, char* in, char* out) {
  const int gathers = strcmp(kind, "gatherv") == 0, scatters = strcmp(kind, "scatterv") == 0;
  const int root = gathers ? ranks - 1 : 1 % ranks;
  int sent[MOST_RANKS], got[MOST_RANKS], from_places[MOST_RANKS], into_places[MOST_RANKS];
  int from_end = 0, into_end = 0;
  long wrong = 0;
  for (int other = 0; other < ranks; ++other) {
    sent[other] = (gathers && other != root) || (scatters && rank != root) ? 0 : bytes_of(rank, other, call);
    got[other] = (gathers && rank != root) || (scatters && other != root) ? 0 : bytes_of(other, rank, call);
    from_places[other] = from_end;
    into_places[other] = into_end;
    for (int i = 0; i < sent[other]; ++i) in[from_end + i] = byte_of(rank, other, call, i);
    from_end += sent[other];
    into_end += got[other];
  }
  memset(out, 0, (size_t)into_end);
  if (gathers) {
    MPI_Gatherv(in, sent[root], MPI_BYTE, out, got, into_places, MPI_BYTE, root, MPI_COMM_WORLD);
  } else if (scatters) {
    MPI_Scatterv(in, sent, from_places, MPI_BYTE, out, got[root], MPI_BYTE, root, MPI_COMM_WORLD);
  } else {
    MPI_Alltoallv(in, sent, from_places, MPI_BYTE, out, got, into_places, MPI_BYTE, MPI_COMM_WORLD);
  }
  for (int other = 0; other < ranks; ++other)
    for (int i = 0; i < got[other]; ++i) wrong += out[into_places[other] + i] != byte_of(other, rank, call, i);
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3 || ranks > MOST_RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
  kind = argv[1];
  char* const in = malloc(LARGE + 1024);
  char* const out = malloc(LARGE + 1024);
  memset(in, 1, LARGE + 1024);
  memset(out, 1, LARGE + 1024);
  long wrong = 0, all_wrong = 0;
  for (int call = 0; call < CALLS; ++call) wrong += make(call, in, out);
  const long before = peak_kib();
  if (starling_choose(MPI_COMM_WORLD, kind, argv[2]) != 0) MPI_Abort(MPI_COMM_WORLD, 3);
  for (int call = 0; call < CALLS; ++call) wrong += make(call, in, out);
  if (starling_refusal(MPI_COMM_WORLD, kind)[0] != '\0') MPI_Abort(MPI_COMM_WORLD, 4);
  int takes_more = peak_kib() - before > ALLOWED_KIB, any = 0;
  PMPI_Reduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  PMPI_Reduce(&takes_more, &any, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%ld wrong, %s memory\n", all_wrong, any ? "more" : "no more");
  free(out);
  free(in);
  return MPI_Finalize();
}
