/* How long collectives take, and whether their results are right: on any MPI, simulated ones too.
 *
 *   collective_times [-t | -c SECONDS | -r ROW] WARMUP CALLS COLLECTIVE:BYTES ...   as in allreduce:8 alltoall:65536
 *
 * One case after the other: WARMUP calls that do not count, then CALLS that do. Cases do not take turns, as the state
 * that one leaves in TCP's connections slows the next one down. Each call begins behind a barrier, on all ranks at
 * once where time is simulated, and takes as long as it does on the slowest rank. BYTES are those of one block (of the
 * vector where there are no blocks), a multiple of 4. Rank 0 prints JSON, times in seconds, those of calls in their
 * order; with -t each also as it is made, a line each. With -c there is no barrier: ranks compute that long between
 * calls, so that a rank that is done early begins early. With -r a call is ROW calls in a row, and takes a ROW-th of
 * their time: for calls that take no longer than to read the clock. A wrong result ends the job. */
#ifndef _POSIX_C_SOURCE /* SMPI has one */
#define _POSIX_C_SOURCE 199309L
#endif
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../src/tools/collective_calls.h"

static void fail(const char* what, const char* detail) {
  fprintf(stderr, "collective_times: %s%s\n", what, detail);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

struct job {
  const struct collective* kind;
  long bytes;
  double* seconds; /* of each call that counts, on rank 0 */
};

static struct job parse(const char* text) {
  const char* colon = strchr(text, ':');
  const struct collective* kind = colon ? collective_named(text, (size_t)(colon - text)) : NULL;
  if (!kind) fail("no such case: ", text);
  char* end = NULL;
  struct job job = {kind, strtol(colon + 1, &end, 10), NULL};
  if (*end || job.bytes < 0 || job.bytes % 4) fail("bytes must be a multiple of 4: ", text);
  return job;
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
  comm = MPI_COMM_WORLD;
  type = MPI_INT;
  width = sizeof(int);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int tells = argc > 1 && strcmp(argv[1], "-t") == 0;
  const int computes = argc > 2 && strcmp(argv[1], "-c") == 0;
  const double computation = computes ? atof(argv[2]) : 0;
  const int repeats = argc > 2 && strcmp(argv[1], "-r") == 0;
  const int row = repeats ? atoi(argv[2]) : 1;
  argc -= tells + 2 * (computes + repeats);
  argv += tells + 2 * (computes + repeats);
  if (argc < 4) fail("usage: collective_times [-t | -c SECONDS | -r ROW] WARMUP CALLS COLLECTIVE:BYTES ...", "");
  if (row < 1) fail("at least one call makes a row", "");
  const int warmup = atoi(argv[1]), calls = atoi(argv[2]), cases = argc - 3;
  if (warmup < 0 || calls < 1) fail("at least one call must count", "");

  struct job* jobs = calloc((size_t)cases, sizeof *jobs);
  if (!jobs) fail("no memory", "");
  size_t most_out = 1, most_in = 1;
  for (int i = 0; i < cases; ++i) {
    jobs[i] = parse(argv[3 + i]);
    jobs[i].seconds = calloc((size_t)calls, sizeof(double));
    if (!jobs[i].seconds) fail("no memory", "");
    const size_t sent = bytes_out(jobs[i].kind, (size_t)jobs[i].bytes);
    const size_t got = bytes_in(jobs[i].kind, (size_t)jobs[i].bytes);
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
      prepare(jobs[i].kind, (size_t)jobs[i].bytes);
      if (computes && call > 0)
        compute(computation);
      else
        begin_together();
      const double start = PMPI_Wtime();
      for (int one = 0; one < row; ++one) jobs[i].kind->call();
      double seconds = (PMPI_Wtime() - start) / row, slowest = seconds;
      if (!computes) PMPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
      if (call >= warmup) jobs[i].seconds[call - warmup] = slowest;
      if (tells && rank == 0 && call >= warmup) {
        printf("%.6g\n", slowest);
        fflush(stdout);
      }
      if (!is_right(jobs[i].kind)) fail("a wrong result of ", jobs[i].kind->name);
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
