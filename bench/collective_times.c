/* How long collectives take, and whether their results are right: on any MPI, simulated ones too.
 *
 *   collective_times [-t | -c SECONDS] WARMUP CALLS COLLECTIVE:BYTES ...   as in allreduce:8 alltoall:65536
 *
 * One case after the other: WARMUP calls that do not count, then CALLS that do. Cases do not take turns, as the state
 * that one leaves in TCP's connections slows the next one down. Each call begins behind a barrier, on all ranks at
 * once where time is simulated, and takes as long as it does on the slowest rank. BYTES are those of one block (of the
 * vector where there are no blocks), a multiple of 4. Rank 0 prints JSON, times in seconds, those of calls in their
 * order; with -t each also as it is made, a line each. With -c there is no barrier: ranks compute that long between
 * calls, so that a rank that is done early begins early. A wrong result ends the job. */
#ifndef _POSIX_C_SOURCE /* SMPI has one */
#define _POSIX_C_SOURCE 199309L
#endif
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, ranks;
static int *out, *in; /* of the case at hand, `count` elements a block */
static int *counts, *displacements;
static int count;

static void fail(const char* what, const char* detail) {
  fprintf(stderr, "collective_times: %s%s\n", what, detail);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

static void allgather(void) {
  MPI_Allgather(out, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD);
}
static void allgatherv(void) {
  MPI_Allgatherv(out, count, MPI_INT, in, counts, displacements, MPI_INT, MPI_COMM_WORLD);
}
static void allreduce(void) {
  MPI_Allreduce(out, in, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
static void alltoall(void) {
  MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD);
}
static void alltoallv(void) {
  MPI_Alltoallv(out, counts, displacements, MPI_INT, in, counts, displacements, MPI_INT, MPI_COMM_WORLD);
}
static void barrier(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}
static void bcast(void) {
  MPI_Bcast(rank == 0 ? out : in, count, MPI_INT, 0, MPI_COMM_WORLD);
}
static void exscan(void) {
  MPI_Exscan(out, in, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
static void gather(void) {
  MPI_Gather(out, count, MPI_INT, in, count, MPI_INT, 0, MPI_COMM_WORLD);
}
static void gatherv(void) {
  MPI_Gatherv(out, count, MPI_INT, in, counts, displacements, MPI_INT, 0, MPI_COMM_WORLD);
}
static void reduce(void) {
  MPI_Reduce(out, in, count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}
static void reduce_scatter(void) {
  MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
static void reduce_scatter_block(void) {
  MPI_Reduce_scatter_block(out, in, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
static void scan(void) {
  MPI_Scan(out, in, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
static void scatter(void) {
  MPI_Scatter(out, count, MPI_INT, in, count, MPI_INT, 0, MPI_COMM_WORLD);
}
static void scatterv(void) {
  MPI_Scatterv(out, counts, displacements, MPI_INT, in, count, MPI_INT, 0, MPI_COMM_WORLD);
}

/* Element `i` of the block that `source` has for `target`. */
static int value(int source, int target, int i) {
  return source * 7 + target * 3 + i % 13;
}

/* The sum of value(source, target, i) over the first `sources` ranks. */
static int sum(int sources, int target, int i) {
  return 7 * (sources * (sources - 1) / 2) + sources * (target * 3 + i % 13);
}

/* Element `i` of block `block` of the result. */
static int all_of_mine(int block, int i) {
  return value(block, rank, i);
}
static int each_first(int block, int i) {
  return value(block, 0, i);
}
static int sum_of_all(int block, int i) {
  (void)block;
  return sum(ranks, 0, i);
}
static int sum_of_mine(int block, int i) {
  (void)block;
  return sum(ranks, rank, i);
}
static int sum_to_me(int block, int i) {
  (void)block;
  return sum(rank + 1, 0, i);
}
static int sum_before_me(int block, int i) {
  (void)block;
  return sum(rank, 0, i);
}
static int of_root(int block, int i) {
  (void)block;
  return value(0, 0, i);
}
static int of_root_for_me(int block, int i) {
  (void)block;
  return value(0, rank, i);
}

/* The ranks that have a result to check. */
enum who { everyone, root_only, not_first, not_root, nobody };

static const struct kind {
  const char* name;
  void (*call)(void);
  int sends_blocks, gets_blocks; /* one for each rank, or one in all */
  enum who who;
  int (*expected)(int block, int i);
} kinds[] = {
    {"allgather", allgather, 0, 1, everyone, each_first},
    {"allgatherv", allgatherv, 0, 1, everyone, each_first},
    {"allreduce", allreduce, 0, 0, everyone, sum_of_all},
    {"alltoall", alltoall, 1, 1, everyone, all_of_mine},
    {"alltoallv", alltoallv, 1, 1, everyone, all_of_mine},
    {"barrier", barrier, 0, 0, nobody, NULL},
    {"bcast", bcast, 0, 0, not_root, of_root},
    {"exscan", exscan, 0, 0, not_first, sum_before_me},
    {"gather", gather, 0, 1, root_only, each_first},
    {"gatherv", gatherv, 0, 1, root_only, each_first},
    {"reduce", reduce, 0, 0, root_only, sum_of_all},
    {"reduce_scatter", reduce_scatter, 1, 0, everyone, sum_of_mine},
    {"reduce_scatter_block", reduce_scatter_block, 1, 0, everyone, sum_of_mine},
    {"scan", scan, 0, 0, everyone, sum_to_me},
    {"scatter", scatter, 1, 0, everyone, of_root_for_me},
    {"scatterv", scatterv, 1, 0, everyone, of_root_for_me},
};

struct job {
  const struct kind* kind;
  long bytes;
  double* seconds; /* of each call that counts, on rank 0 */
};

static struct job parse(const char* text) {
  const char* colon = strchr(text, ':');
  for (size_t i = 0; colon && i < sizeof kinds / sizeof *kinds; ++i) {
    if (strlen(kinds[i].name) != (size_t)(colon - text) || strncmp(kinds[i].name, text, (size_t)(colon - text)) != 0)
      continue;
    char* end = NULL;
    struct job job = {&kinds[i], strtol(colon + 1, &end, 10), NULL};
    if (*end || job.bytes < 0 || job.bytes % 4) fail("bytes must be a multiple of 4: ", text);
    return job;
  }
  fail("no such case: ", text);
  return (struct job){0};
}

/* Sets the buffers for the case, and fills the send buffer. */
static void prepare(const struct job* job) {
  count = (int)(job->bytes / 4);
  const int blocks = job->kind->sends_blocks ? ranks : 1;
  for (int block = 0; block < blocks; ++block)
    for (int i = 0; i < count; ++i) out[(size_t)block * (size_t)count + (size_t)i] = value(rank, block, i);
  for (int peer = 0; peer < ranks; ++peer) {
    counts[peer] = count;
    displacements[peer] = peer * count;
  }
  memset(in, 0xff, (size_t)job->bytes * (size_t)(job->kind->gets_blocks ? ranks : 1));
}

static void check(const struct job* job) {
  const enum who who = job->kind->who;
  if (who == nobody || (who == root_only && rank != 0) || ((who == not_root || who == not_first) && rank == 0)) return;
  const int blocks = job->kind->gets_blocks ? ranks : 1;
  for (int block = 0; block < blocks; ++block)
    for (int i = 0; i < count; ++i)
      if (in[(size_t)block * (size_t)count + (size_t)i] != job->kind->expected(block, i))
        fail("a wrong result of ", job->kind->name);
}

static int ascending(const void* one, const void* other) {
  const double a = *(const double*)one, b = *(const double*)other;
  return (a > b) - (a < b);
}

static void print(const struct job* job, int calls, const char* end) {
  printf("  {\"collective\": \"%s\", \"bytes\": %ld, \"calls\": %d, \"seconds\": [", job->kind->name, job->bytes,
         calls);
  for (int i = 0; i < calls; ++i) printf("%s%.6g", i ? ", " : "", job->seconds[i]);
  double* sorted = job->seconds;
  qsort(sorted, (size_t)calls, sizeof *sorted, ascending);
  const double median = (sorted[calls / 2] + sorted[(calls - 1) / 2]) / 2;
  printf("], \"median_s\": %.9g, \"min_s\": %.9g, \"max_s\": %.9g}%s\n", median, sorted[0], sorted[calls - 1], end);
}

/* Instead of computing the rank sleeps: in a simulation computation takes no time, and on an emulated cluster ranks
 * share processors. */
static void compute(double seconds) {
  const long whole = (long)seconds;
  const struct timespec time = {whole, (long)(1e9 * (seconds - (double)whole))};
  nanosleep(&time, NULL);
}

/* Behind a barrier, some ranks go on before others: after a dissemination by as much as a short broadcast takes. In a
 * simulation all ranks have one clock, and a second costs nothing. */
static void begin_together(void) {
  PMPI_Barrier(MPI_COMM_WORLD);
#ifdef SMPI_H
  double mine = PMPI_Wtime(), latest;
  PMPI_Allreduce(&mine, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  compute(latest + 1 - PMPI_Wtime());
#endif
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int tells = argc > 1 && strcmp(argv[1], "-t") == 0;
  const int computes = argc > 2 && strcmp(argv[1], "-c") == 0;
  const double computation = computes ? atof(argv[2]) : 0;
  argc -= tells + 2 * computes;
  argv += tells + 2 * computes;
  if (argc < 4) fail("usage: collective_times [-t | -c SECONDS] WARMUP CALLS COLLECTIVE:BYTES ...", "");
  const int warmup = atoi(argv[1]), calls = atoi(argv[2]), cases = argc - 3;
  if (warmup < 0 || calls < 1) fail("at least one call must count", "");

  struct job* jobs = calloc((size_t)cases, sizeof *jobs);
  if (!jobs) fail("no memory", "");
  size_t most_out = 1, most_in = 1;
  for (int i = 0; i < cases; ++i) {
    jobs[i] = parse(argv[3 + i]);
    jobs[i].seconds = calloc((size_t)calls, sizeof(double));
    if (!jobs[i].seconds) fail("no memory", "");
    const size_t sent = (size_t)jobs[i].bytes * (size_t)(jobs[i].kind->sends_blocks ? ranks : 1);
    const size_t got = (size_t)jobs[i].bytes * (size_t)(jobs[i].kind->gets_blocks ? ranks : 1);
    most_out = sent > most_out ? sent : most_out;
    most_in = got > most_in ? got : most_in;
  }
  out = malloc(most_out);
  in = malloc(most_in);
  counts = malloc((size_t)ranks * sizeof *counts);
  displacements = malloc((size_t)ranks * sizeof *displacements);
  if (!out || !in || !counts || !displacements) fail("no memory", "");

  for (int i = 0; i < cases; ++i) {
    for (int call = 0; call < warmup + calls; ++call) {
      prepare(&jobs[i]);
      if (computes && call > 0)
        compute(computation);
      else
        begin_together();
      const double start = PMPI_Wtime();
      jobs[i].kind->call();
      double seconds = PMPI_Wtime() - start, slowest = seconds;
      if (!computes) PMPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
      if (call >= warmup) jobs[i].seconds[call - warmup] = slowest;
      if (tells && rank == 0 && call >= warmup) {
        printf("%.6g\n", slowest);
        fflush(stdout);
      }
      check(&jobs[i]);
    }
    double* mine = jobs[i].seconds;
    if (computes) PMPI_Reduce(rank == 0 ? MPI_IN_PLACE : mine, mine, calls, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  }

  if (rank == 0) {
    printf("{\"ranks\": %d, \"cases\": [\n", ranks);
    for (int i = 0; i < cases; ++i) print(&jobs[i], calls, i + 1 < cases ? "," : "");
    printf("]}\n");
    fflush(stdout);
  }
  return MPI_Finalize();
}
