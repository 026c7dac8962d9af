// The job of `starling tune`: carries out what python/starling/tuning asks for, line by line, on rank 0's standard
// input. All that it says begins with `starling-tune`, as launchers and MPI libraries print there too.
//
//   ways COLLECTIVE RANKS
// answers `way NAME` for each, then `end`;
//   measure COLLECTIVE BYTES RANKS CALLS CHECKED WAY
// makes, with CHECKED 1, a call whose result is checked, then CALLS that are timed, on the first RANKS ranks, or on
// group -RANKS where that is negative. Each timed call begins behind a barrier. It answers `times SECONDS ...`, those
// of the slowest rank; `refused WHY` if the way can't serve; `wrong` if the result is wrong;
//   row COLLECTIVE BYTES RANKS CALLS CHECKED WAY
// does the same without barriers between the calls, and answers the mean of all ranks' seconds, with their waiting;
//   ranks GROUP RANK ...
// takes ranks into a group, a number from 1 on. It has no answer. Rank 0 is in every group.
//
// The end of the input ends the job.
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#include "../../include/starling/starling.h"
#include "collective_calls.h"

#define MOST_CALLS 1000
#define MOST_BYTES (1L << 30)
#define LINE_BYTES 512
#define MOST_COMMUNICATORS 256

static int world_rank, world_ranks;
static MPI_Comm control;  ///< of all ranks, for requests
static size_t memory;     ///< most bytes of a rank's buffers
static size_t room_out, room_in;

/// The communicator of the first ranks, by their number, or of a group, by its negative number; made on first use by
/// all ranks.
static struct some_ranks {
  int name;
  MPI_Comm comm;
} made[MOST_COMMUNICATORS];
static int communicators;
static char is_in_group[MOST_COMMUNICATORS + 1];  ///< this rank, by the group's number

static void say(const char* text) {
  printf("starling-tune %s\n", text);
  fflush(stdout);
}

#define SHORTEST_PAUSE 100000L
#define LONGEST_PAUSE 4000000L  ///< nanoseconds

/// Waits for rank 0's next line without using the processor, which Python, the launcher and other jobs of the same
/// ranks may need: the longer it waits, the more seldom it looks.
static int next_line(char* line) {
  if (world_rank == 0 && !fgets(line, LINE_BYTES, stdin)) line[0] = '\0';
  MPI_Request request;
  PMPI_Ibcast(line, LINE_BYTES, MPI_CHAR, 0, control, &request);
  struct timespec pause = {0, SHORTEST_PAUSE};
  for (int arrived = 0;;) {
    PMPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
    if (arrived) break;
    nanosleep(&pause, NULL);
    pause.tv_nsec += pause.tv_nsec / 16;
    if (pause.tv_nsec > LONGEST_PAUSE) pause.tv_nsec = LONGEST_PAUSE;
  }
  line[strcspn(line, "\n")] = '\0';
  return line[0] != '\0';
}

/// Null on ranks that are not among them, and on all if there can be no more.
static MPI_Comm of_ranks(int name) {
  for (int i = 0; i < communicators; ++i)
    if (made[i].name == name) return made[i].comm;
  if (communicators == MOST_COMMUNICATORS) return MPI_COMM_NULL;
  const int is_in = name > 0 ? world_rank < name : is_in_group[-name];
  MPI_Comm comm_of_them;
  PMPI_Comm_split(MPI_COMM_WORLD, is_in ? 0 : MPI_UNDEFINED, world_rank, &comm_of_them);
  made[communicators++] = (struct some_ranks){name, comm_of_them};
  return comm_of_them;
}

/// Of a line like "1 0 4 8": group 1 also has these ranks.
static void take_into_group(char* line) {
  const long group = strtol(line, &line, 10);
  if (group < 1 || group > MOST_COMMUNICATORS) return;
  for (char* end; *line != '\0'; line = end) {
    const long one = strtol(line, &end, 10);
    if (end == line) return;
    if (one == world_rank) is_in_group[group] = 1;
  }
}

static int have_room(void** buffer, size_t* room, size_t bytes) {
  if (bytes <= *room) return 1;
  free(*buffer);
  *buffer = malloc(bytes);
  *room = *buffer ? bytes : 0;
  return *buffer != NULL;
}

static int all(int good) {
  int all_good = 0;
  PMPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_MIN, comm);
  return all_good;
}

/// On the ranks that take part; rank 0 answers.
static void measure(const struct collective* what, size_t bytes, int calls, int checked, int in_row, const char* way) {
  static double mine[MOST_CALLS], reduced[MOST_CALLS];
  char answer[LINE_BYTES];
  answer[0] = '\0';
  width = bytes % 4 == 0 ? 4 : 1;
  type = width == 4 ? MPI_INT : MPI_UNSIGNED_CHAR;
  const size_t needed_out = bytes_out(what, bytes) + 1, needed_in = bytes_in(what, bytes) + 1;
  const int chosen = starling_choose(comm, what->name, way);
  if (chosen != 0)
    snprintf(answer, sizeof answer, "refused %s", chosen == 3 ? "there is no such way" : "it can't be chosen here");
  else if (!all(needed_out + needed_in <= memory && have_room(&out, &room_out, needed_out) &&
                have_room(&in, &room_in, needed_in)))
    snprintf(answer, sizeof answer, "refused its buffers would take more than a quarter of the memory");
  set_counts(bytes);
  if (answer[0] == '\0' && checked) {
    prepare(what, bytes);
    what->call();
    const char* why = starling_refusal(comm, what->name);
    const int right = all(is_right(what));
    if (!right) snprintf(answer, sizeof answer, "wrong");
    if (why[0] != '\0') snprintf(answer, sizeof answer, "refused %.400s", why);
  }
  if (answer[0] != '\0') {
    if (rank == 0) say(answer);
    return;
  }
  for (int i = 0; i < calls; ++i) {
    if (!in_row || i == 0) PMPI_Barrier(comm);
    const double start = PMPI_Wtime();
    what->call();
    mine[i] = PMPI_Wtime() - start;
  }
  PMPI_Reduce(mine, reduced, calls, MPI_DOUBLE, in_row ? MPI_SUM : MPI_MAX, 0, comm);
  if (rank != 0) return;
  printf("starling-tune times");
  for (int i = 0; i < calls; ++i) printf(" %.9g", in_row ? reduced[i] / ranks : reduced[i]);
  printf("\n");
  fflush(stdout);
}

static void answer(char* line) {
  char kind[16], name[64], way[LINE_BYTES];
  long bytes = 0;
  int first = 0, calls = 0, checked = 0;
  if (sscanf(line, "ways %63s %d", name, &first) == 2) {
    if (world_rank != 0) return;
    for (const char* at = starling_ways(name, first); *at != '\0';) {
      const size_t length = strcspn(at, "\n");
      printf("starling-tune way %.*s\n", (int)length, at);
      at += length + (at[length] == '\n');
    }
    say("end");
    return;
  }
  if (strncmp(line, "ranks ", 6) == 0) {
    take_into_group(line + 6);
    return;
  }
  const int read = sscanf(line, "%15s %63s %ld %d %d %d %500s", kind, name, &bytes, &first, &calls, &checked, way);
  const int in_row = read == 7 && strcmp(kind, "row") == 0;
  const int understood = in_row || (read == 7 && strcmp(kind, "measure") == 0);
  const struct collective* what = understood ? collective_named(name, strlen(name)) : NULL;
  if (!what || bytes < 0 || bytes > MOST_BYTES || first < -MOST_COMMUNICATORS || first == 0 || first > world_ranks ||
      calls < 1 || calls > MOST_CALLS) {
    if (world_rank == 0) say("refused the request is not understood");
    return;
  }
  comm = of_ranks(first);
  if (comm == MPI_COMM_NULL) {
    if (world_rank == 0) say("refused there can be no more communicators");
    return;
  }
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  measure(what, (size_t)bytes, calls, checked, in_row, way);
}

/// Says what the job is: its ranks, the node of each (numbered by their first ranks) and whether it shares processors
/// there, the MPI library, and the place of rank 0.
static void introduce(void) {
  char names[MPI_MAX_PROCESSOR_NAME] = {0};
  int length = 0;
  MPI_Get_processor_name(names, &length);
  char* all_names = world_rank == 0 ? malloc((size_t)world_ranks * sizeof names) : NULL;
  PMPI_Gather(names, sizeof names, MPI_CHAR, all_names, sizeof names, MPI_CHAR, 0, MPI_COMM_WORLD);
  int shares = starling_shares_processors();
  int* all_shares = world_rank == 0 ? malloc((size_t)world_ranks * sizeof shares) : NULL;
  PMPI_Gather(&shares, 1, MPI_INT, all_shares, 1, MPI_INT, 0, MPI_COMM_WORLD);
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = {0};
  MPI_Get_library_version(library, &length);
  library[strcspn(library, "\n")] = '\0';
  if (world_rank == 0) {
    printf("starling-tune nodes");
    for (int i = 0; i < world_ranks; ++i) {
      int node = 0;
      while (strcmp(all_names + (size_t)node * sizeof names, all_names + (size_t)i * sizeof names) != 0) ++node;
      printf(" %d", node);
    }
    printf("\nstarling-tune sharing");
    for (int i = 0; i < world_ranks; ++i) printf(" %d", all_shares[i]);
    printf("\nstarling-tune library %s\n", library);
    for (const char* at = starling_place(); *at != '\0';) {
      const size_t line = strcspn(at, "\n");
      printf("starling-tune place %.*s\n", (int)line, at);
      at += line + (at[line] == '\n');
    }
    say("ready");
  }
  free(all_names);
  free(all_shares);
}

/// A quarter of the available memory, shared among all ranks of the job: an emulated cluster has all on one machine.
static size_t agreed_memory(void) {
  const long there_is = (long)starling_available_memory();
  long share = there_is > 0 ? there_is / 4 / world_ranks : 64L << 20, smallest = 0;
  PMPI_Allreduce(&share, &smallest, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
  return (size_t)smallest;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &world_ranks);
  if (!STARLING_PRESENT() || !starling_is_active()) {
    if (world_rank == 0) say("inactive");
    MPI_Finalize();
    return 1;
  }
  PMPI_Comm_dup(MPI_COMM_WORLD, &control);
  counts = malloc((size_t)world_ranks * sizeof *counts);
  displacements = malloc((size_t)world_ranks * sizeof *displacements);
  if (!counts || !displacements) MPI_Abort(MPI_COMM_WORLD, 1);
  memory = agreed_memory();
  introduce();
  for (char line[LINE_BYTES]; next_line(line);) answer(line);
  for (int i = 0; i < communicators; ++i)
    if (made[i].comm != MPI_COMM_NULL) MPI_Comm_free(&made[i].comm);
  PMPI_Comm_free(&control);
  return MPI_Finalize();
}
