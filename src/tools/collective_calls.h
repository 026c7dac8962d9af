/* Calls of every collective on one communicator, with data by which a wrong result is seen: for the programs that time
 * collectives. Set `comm`, `rank`, `ranks`, `type` and `width`, have room in the buffers, and `prepare` a collective.
 */
#ifndef STARLING_TOOLS_COLLECTIVE_CALLS_H
#define STARLING_TOOLS_COLLECTIVE_CALLS_H

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm comm;
static int rank, ranks;   /* of `comm` */
static MPI_Datatype type; /* of an element: MPI_INT, or MPI_UNSIGNED_CHAR for sizes that are no multiple of 4 */
static size_t width;      /* its bytes, 4 or 1 */
static void *out, *in;    /* of the case at hand, `count` elements a block */
static int *counts, *displacements; /* of each rank's block */
static int count;

static void allgather(void) {
  MPI_Allgather(out, count, type, in, count, type, comm);
}
static void allgatherv(void) {
  MPI_Allgatherv(out, count, type, in, counts, displacements, type, comm);
}
static void allreduce(void) {
  MPI_Allreduce(out, in, count, type, MPI_SUM, comm);
}
static void alltoall(void) {
  MPI_Alltoall(out, count, type, in, count, type, comm);
}
static void alltoallv(void) {
  MPI_Alltoallv(out, counts, displacements, type, in, counts, displacements, type, comm);
}
static void barrier(void) {
  MPI_Barrier(comm);
}
static void bcast(void) {
  MPI_Bcast(rank == 0 ? out : in, count, type, 0, comm);
}
static void exscan(void) {
  MPI_Exscan(out, in, count, type, MPI_SUM, comm);
}
static void gather(void) {
  MPI_Gather(out, count, type, in, count, type, 0, comm);
}
static void gatherv(void) {
  MPI_Gatherv(out, count, type, in, counts, displacements, type, 0, comm);
}
static void reduce(void) {
  MPI_Reduce(out, in, count, type, MPI_SUM, 0, comm);
}
static void reduce_scatter(void) {
  MPI_Reduce_scatter(out, in, counts, type, MPI_SUM, comm);
}
static void reduce_scatter_block(void) {
  MPI_Reduce_scatter_block(out, in, count, type, MPI_SUM, comm);
}
static void scan(void) {
  MPI_Scan(out, in, count, type, MPI_SUM, comm);
}
static void scatter(void) {
  MPI_Scatter(out, count, type, in, count, type, 0, comm);
}
static void scatterv(void) {
  MPI_Scatterv(out, counts, displacements, type, in, count, type, 0, comm);
}

/* Element `i` of the block that `source` has for `target`. Unsigned, so that sums are right modulo any width. */
static unsigned value(int source, int target, int i) {
  return (unsigned)(source * 7 + target * 3 + i % 13);
}

/* The sum of value(source, target, i) over the first `sources` ranks. */
static unsigned sum(int sources, int target, int i) {
  return (unsigned)sources * (unsigned)(target * 3 + i % 13) + 7U * (unsigned)((long)sources * (sources - 1) / 2);
}

/* Element `i` of block `block` of the result. */
static unsigned all_of_mine(int block, int i) {
  return value(block, rank, i);
}
static unsigned each_first(int block, int i) {
  return value(block, 0, i);
}
static unsigned sum_of_all(int block, int i) {
  (void)block;
  return sum(ranks, 0, i);
}
static unsigned sum_of_mine(int block, int i) {
  (void)block;
  return sum(ranks, rank, i);
}
static unsigned sum_to_me(int block, int i) {
  (void)block;
  return sum(rank + 1, 0, i);
}
static unsigned sum_before_me(int block, int i) {
  (void)block;
  return sum(rank, 0, i);
}
static unsigned of_root(int block, int i) {
  (void)block;
  return value(0, 0, i);
}
static unsigned of_root_for_me(int block, int i) {
  (void)block;
  return value(0, rank, i);
}

/* The ranks that have a result to check. */
enum who { everyone, root_only, not_first, not_root, nobody };

static const struct collective {
  const char* name;
  void (*call)(void);
  int sends_blocks, gets_blocks; /* one for each rank, or one in all */
  enum who who;
  unsigned (*expected)(int block, int i);
} collectives[] = {
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

/* The collective of a name as long as `length`; NULL if there is none. */
static const struct collective* collective_named(const char* name, size_t length) {
  for (size_t i = 0; i < sizeof collectives / sizeof *collectives; ++i)
    if (strlen(collectives[i].name) == length && strncmp(collectives[i].name, name, length) == 0)
      return &collectives[i];
  return NULL;
}

static size_t bytes_out(const struct collective* what, size_t bytes) {
  return bytes * (what->sends_blocks ? (size_t)ranks : 1);
}
static size_t bytes_in(const struct collective* what, size_t bytes) {
  return bytes * (what->gets_blocks ? (size_t)ranks : 1);
}

/* Sets the counts for blocks of so many bytes. */
static void set_counts(size_t bytes) {
  count = (int)(bytes / width);
  for (int peer = 0; peer < ranks; ++peer) {
    counts[peer] = count;
    displacements[peer] = peer * count;
  }
}

/* Sets the counts, fills the send buffer and spoils the receive buffer. */
static void prepare(const struct collective* what, size_t bytes) {
  set_counts(bytes);
  const int blocks = what->sends_blocks ? ranks : 1;
  for (int block = 0; block < blocks; ++block)
    for (int i = 0; i < count; ++i) {
      const size_t at = (size_t)block * (size_t)count + (size_t)i;
      if (width == 1)
        ((unsigned char*)out)[at] = (unsigned char)value(rank, block, i);
      else
        ((unsigned*)out)[at] = value(rank, block, i);
    }
  memset(in, 0xff, bytes_in(what, bytes));
}

/* Whether this rank's result of a call behind `prepare` is right. */
static int is_right(const struct collective* what) {
  const enum who who = what->who;
  if (who == nobody || (who == root_only && rank != 0) || ((who == not_root || who == not_first) && rank == 0))
    return 1;
  const int blocks = what->gets_blocks ? ranks : 1;
  for (int block = 0; block < blocks; ++block)
    for (int i = 0; i < count; ++i) {
      const size_t at = (size_t)block * (size_t)count + (size_t)i;
      const unsigned expected = what->expected(block, i);
      if (width == 1 ? ((unsigned char*)in)[at] != (unsigned char)expected : ((unsigned*)in)[at] != expected) return 0;
    }
  return 1;
}

#endif
