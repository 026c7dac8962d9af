/* What the programs of this folder share: arguments, failures, the times of their steps, and the line of JSON at the
 * end. A step's time is rank 0's, from the end of the step before: no barrier is added for it. */
#ifndef STARLING_BENCH_PROGRAM_H
#define STARLING_BENCH_PROGRAM_H

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
  const char* name;
  int rank, ranks;
  int steps, done;
  double* ends; /* when each step was over; ends[0] is the start of the first */
} job;

static inline void fail(const char* why) {
  fprintf(stderr, "%s: %s\n", job.name, why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Of arguments that no rank can work with: all of them know, so none needs to be aborted. */
static inline void refuse(const char* why) {
  if (job.rank == 0) fprintf(stderr, "%s: %s\n", job.name, why);
  MPI_Finalize();
  exit(2);
}

static inline void* allocate(size_t count, size_t size) {
  void* memory = calloc(count ? count : 1, size);
  if (!memory) fail("out of memory");
  return memory;
}

/* PROGRAM [SIZE] [STEPS]; what it returns is the size. */
static inline int start_job(const char* name, int* argc, char*** argv, int size, int steps) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
  job.name = name;
  if (*argc > 1) size = atoi((*argv)[1]);
  job.steps = *argc > 2 ? atoi((*argv)[2]) : steps;
  if (size < 1 || job.steps < 1) refuse("size and steps must be positive numbers");
  job.ends = allocate((size_t)job.steps + 1, sizeof(double));
  return size;
}

static inline void start_steps(void) {
  job.ends[0] = MPI_Wtime();
}

static inline void end_step(void) {
  job.ends[++job.done] = MPI_Wtime();
}

/* Ends the job unless a value that each rank found is at most so large on all of them; the largest, on rank 0. */
static inline double demand(const char* what, double value, double at_most) {
  double largest = 0;
  if (isnan(value)) value = HUGE_VAL;
  MPI_Reduce(&value, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (job.rank == 0 && largest > at_most) {
    fprintf(stderr, "%s: %s is %g, more than %g\n", job.name, what, largest, at_most);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return largest;
}

static inline int end_job(double check) {
  if (job.rank == 0) {
    printf("{\"program\": \"%s\", \"ranks\": %d, \"steps\": %d, \"seconds\": %.9g, \"step_seconds\": [", job.name,
           job.ranks, job.steps, job.ends[job.steps] - job.ends[0]);
    for (int i = 0; i < job.steps; ++i) printf("%s%.9g", i ? ", " : "", job.ends[i + 1] - job.ends[i]);
    printf("], \"check\": %.3g}\n", check);
    fflush(stdout);
  }
  free(job.ends);
  return MPI_Finalize();
}

/* A number in [0, 1) that depends on nothing but the index, so the problem is the same on any number of ranks: the
 * finaliser of SplitMix64 (Steele, Lea and Flood 2014). */
static inline double random_at(unsigned long long index) {
  unsigned long long bits = (index + 1) * 0x9e3779b97f4a7c15ULL;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  return (double)((bits ^ (bits >> 31)) >> 11) * 0x1p-53;
}

#endif
