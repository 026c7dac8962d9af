/* Large counts as mpi4py asks for them, by weak references: between two groups of different sizes, and arguments that
 * MPI does not look at. Prints how many calls failed or had a wrong result. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#pragma weak MPI_Gather_c
#pragma weak MPI_Reduce_scatter_c
#pragma weak MPI_Scatter_c
extern int MPI_Gather_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int, MPI_Comm);
extern int MPI_Reduce_scatter_c(const void*, void*, const MPI_Count[], MPI_Datatype, MPI_Op, MPI_Comm);
extern int MPI_Scatter_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int, MPI_Comm);

enum { numbers = 12, most = 8 };

static const MPI_Count unset = 0x7fff12345678;
static int rank, ranks;

/* Groups of one rank and of all others: each has a block for each of its own ranks, and room behind that is not read.
 */
static int between_groups(void) {
  MPI_Comm half, both;
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 0, &both);
  int own, others, sent[numbers], sums[numbers] = {0}, same[numbers] = {0}, short_counts[most];
  MPI_Count counts[most];
  MPI_Comm_size(half, &own);
  MPI_Comm_remote_size(both, &others);
  for (int i = 0; i < most; ++i) counts[i] = i < own ? numbers / own : unset;
  for (int i = 0; i < own; ++i) short_counts[i] = numbers / own;
  for (int i = 0; i < numbers; ++i) sent[i] = 100 * rank + i;
  MPI_Reduce_scatter(sent, same, short_counts, MPI_INT, MPI_SUM, both);
  const int failed = MPI_Reduce_scatter_c(sent, sums, counts, MPI_INT, MPI_SUM, both) != MPI_SUCCESS;
  int wrong = failed || memcmp(sums, same, sizeof sums) != 0;
  /* Rank 0 sends to the others, whose counts it does not know; they send to it. */
  const int root = rank == 0 ? MPI_ROOT : 0;
  int got[numbers] = {0};
  wrong += MPI_Scatter_c(sent, rank == 0 ? 1 : unset, MPI_INT, got, rank == 0 ? unset : 1, MPI_INT, root, both) !=
           MPI_SUCCESS;
  wrong += rank > 0 && got[0] != rank - 1;
  wrong += MPI_Gather_c(sent, rank == 0 ? unset : 1, MPI_INT, got, rank == 0 ? 1 : unset, MPI_INT, root, both) !=
           MPI_SUCCESS;
  for (int i = 0; rank == 0 && i < others; ++i) wrong += got[i] != 100 * (i + 1);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
  return wrong;
}

static int in_one_group(void) {
  int sent[most], got[most] = {0}, wrong = 0;
  for (int i = 0; i < most; ++i) sent[i] = 100 * rank + i;
  const int is_root = rank == 0;
  wrong += MPI_Scatter_c(sent, is_root ? 1 : unset, MPI_INT, got, 1, MPI_INT, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
  wrong += got[0] != rank;
  wrong += MPI_Gather_c(is_root ? MPI_IN_PLACE : sent, is_root ? unset : 1, MPI_INT, got, is_root ? 1 : unset, MPI_INT,
                        0, MPI_COMM_WORLD) != MPI_SUCCESS;
  for (int i = 1; is_root && i < ranks; ++i) wrong += got[i] != 100 * i;
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int wrong = between_groups() + in_one_group(), all_wrong;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", all_wrong);
  return MPI_Finalize();
}
