/* Right calls at the edge of what the standard allows: buffers that are not significant on some ranks, MPI_IN_PLACE on
 * some ranks only. Prints how many results are wrong. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

enum { rounds = 150, count = 40 };

static int rank, ranks, faults;

static void expect(const int* results, int factor, int offset) {
  for (int i = 0; i < count; ++i)
    if (results[i] != offset + factor * i) ++faults;
}

static void fill(int* data, int value) {
  for (int i = 0; i < count; ++i) data[i] = value + i;
}

/* MPI_IN_PLACE on this rank; other rounds have it on other ranks or on none. */
static int in_place(int round) {
  return round % 3 != 0 && rank == round % 2;
}

/* Rank i has i elements, at displacement 3 i of the root; only the root knows these. */
static void gather_and_scatter(int root, int root_in_place) {
  int sizes[64], places[64];
  int mine[count], all[3 * 64];
  const int is_root = rank == root;
  const int stays = is_root && root_in_place;
  const MPI_Datatype of_all = is_root ? MPI_INT : MPI_DATATYPE_NULL;
  const MPI_Datatype of_mine = stays ? MPI_DATATYPE_NULL : MPI_INT;
  for (int i = 0; i < ranks; ++i) {
    sizes[i] = i;
    places[i] = 3 * i;
    for (int j = 0; j < 3; ++j) all[3 * i + j] = stays && i == rank ? 100 * rank + j : -1;
  }
  for (int j = 0; j < count; ++j) mine[j] = 100 * rank + j;
  MPI_Gatherv(stays ? MPI_IN_PLACE : mine, stays ? -1 : rank, of_mine, is_root ? all : NULL, is_root ? sizes : NULL,
              is_root ? places : NULL, of_all, root, MPI_COMM_WORLD);
  for (int i = 0; is_root && i < ranks; ++i)
    for (int j = 0; j < 3; ++j) faults += all[3 * i + j] != (j < i || (stays && i == rank) ? 100 * i + j : -1);

  for (int j = 0; j < count; ++j) mine[j] = -1;
  for (int i = 0; i < 3 * ranks; ++i) all[i] = i;
  MPI_Scatterv(is_root ? all : NULL, is_root ? sizes : NULL, is_root ? places : NULL, of_all,
               stays ? MPI_IN_PLACE : mine, stays ? -1 : rank, of_mine, root, MPI_COMM_WORLD);
  for (int j = 0; j < count; ++j) faults += mine[j] != (j < rank && !stays ? 3 * rank + j : -1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int before = rank * (rank - 1) / 2, all = ranks * (ranks - 1) / 2;
  int in[count], out[count];
  int anywhere; /* its address stands for a buffer that must not be accessed */
  int shares[64] = {0};
  shares[1] = count;
  for (int round = 0; round < rounds; ++round) {
    const int root = round % ranks;
    fill(in, rank);
    fill(out, in_place(round) ? rank : -1);
    MPI_Scan(in_place(round) ? MPI_IN_PLACE : in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(out, rank + 1, before + rank);

    fill(out, in_place(round) ? rank : -1);
    MPI_Exscan(in_place(round) ? MPI_IN_PLACE : in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank > 0) expect(out, rank, before);

    MPI_Exscan(in, rank > 0 ? out : &anywhere, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank > 0) expect(out, rank, before);

    fill(out, in_place(round) ? rank : -1);
    MPI_Allreduce(in_place(round) ? MPI_IN_PLACE : in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(out, ranks, all);

    fill(out, in_place(round) ? rank : -1);
    MPI_Reduce_scatter(in_place(round) ? MPI_IN_PLACE : in, out, shares, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 1) expect(out, ranks, all);

    MPI_Reduce(in, rank == root ? out : NULL, count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    if (rank == root) expect(out, ranks, all);

    gather_and_scatter(root, round % 2);

    fill(out, rank);
    MPI_Reduce(rank == root ? MPI_IN_PLACE : out, out, count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    if (rank == root) expect(out, ranks, all);
    if (rank != root) expect(out, 1, rank);
  }
  int total;
  PMPI_Allreduce(&faults, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d faults\n", total);
  MPI_Finalize();
  return total ? 1 : 0;
}
