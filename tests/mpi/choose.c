/* Chooses ways by the C interface: what it answers, which way carries out the calls (in the run record), that what a
 * way holds is freed when another is chosen, and that results stay right. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/starling/starling.h"

#define MOST 2100 /* communicators, more than MPICH has */
#define LEFT 12
#define MESHES 20 /* of two communicators each */

static int rank, ranks;

static void expect(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

static void sum(MPI_Comm comm, int elements) {
  static int mine[4096], all[4096];
  int here = 0, there = 0;
  MPI_Comm_rank(comm, &here);
  MPI_Comm_size(comm, &there);
  for (int i = 0; i < elements; ++i) mine[i] = here + i;
  MPI_Allreduce(mine, all, elements, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < elements; ++i) expect(all[i] == there * (there - 1) / 2 + there * i, "a wrong sum");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  expect(STARLING_PRESENT() && starling_is_active(), "the library is not there");
  if (rank == 0) printf("%s", starling_place());
  const char* told = getenv("STARLING_PROCESSORS");
  if (told != NULL) expect(starling_shares_processors() == (strcmp(told, "shared") == 0), "processors are not as told");
  expect(strncmp(starling_ways("allreduce", 4), "native\n", 7) == 0, "native is no way of allreduce");
  expect(strstr(starling_ways("allreduce", 4), "\nring\n") != NULL, "ring is no way of allreduce");
  expect(starling_ways("fold", 4)[0] == '\0', "there are ways of fold");

  const MPI_Comm world = MPI_COMM_WORLD;
  expect(starling_choose(world, "fold", "ring") == 2, "fold can be chosen for");
  expect(starling_choose(world, "allreduce", "rong") == 3, "rong can be chosen");
  expect(starling_choose(MPI_COMM_NULL, "allreduce", "ring") == 1, "it can be chosen for no communicator");
  expect(starling_refusal(world, "allreduce")[0] == '\0', "nothing was chosen and something refused");

  sum(world, 1000); /* by the strategy */
  expect(starling_choose(world, "allreduce", "ring") == 0, "ring can't be chosen");
  for (int i = 0; i < 7; ++i) sum(world, 1000);
  expect(starling_refusal(world, "allreduce")[0] == '\0', "ring refuses");
  expect(starling_choose(world, "allreduce", "segmented_ring?segment=8192") == 0, "segmented_ring can't be chosen");
  for (int i = 0; i < 5; ++i) sum(world, 1000);
  expect(strstr(starling_refusal(world, "allreduce"), "one segment") != NULL, "segmented_ring does not refuse");
  expect(starling_choose(world, "allreduce", "native") == 0, "native can't be chosen");
  for (int i = 0; i < 3; ++i) sum(world, 1000);
  expect(starling_choose(world, "allreduce", NULL) == 0, "the strategy can't be returned to");
  sum(world, 1000);

  /* A mesh has communicators, and of these few are left: that of each choice must be freed at the next one. */
  static MPI_Comm taken[MOST];
  int takes = 0;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  while (takes < MOST && MPI_Comm_dup(MPI_COMM_SELF, &taken[takes]) == MPI_SUCCESS) ++takes;
  for (int i = 0; i < LEFT; ++i) MPI_Comm_free(&taken[--takes]);
  int block = rank, blocks[64];
  for (int i = 0; i < MESHES; ++i) {
    expect(starling_choose(world, "allgather", "groups?mesh=2x2") == 0, "groups can't be chosen");
    MPI_Allgather(&block, 1, MPI_INT, blocks, 1, MPI_INT, world);
    for (int from = 0; from < ranks; ++from) expect(blocks[from] == from, "a wrong block");
    expect(starling_refusal(world, "allgather")[0] == '\0', "groups refuses");
    expect(starling_choose(world, "allgather", "native") == 0, "native can't be chosen");
  }
  while (takes > 0) MPI_Comm_free(&taken[--takes]);

  /* A communicator may go with its choice. */
  MPI_Comm half;
  MPI_Comm_split(world, rank % 2, rank, &half);
  expect(starling_choose(half, "allreduce", "recursive_doubling") == 0, "recursive_doubling can't be chosen");
  for (int i = 0; i < 4; ++i) sum(half, 10);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
