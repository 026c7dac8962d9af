/* Blocks of MPI's own datatypes at absolute addresses, from and to MPI_BOTTOM: between neighbours, which the last rank
 * has none of, and by large counts on the first rank only. Prints how many results are wrong. */
#include <mpi.h>
#include <stdio.h>

enum { numbers = 256, calls = 60, most = 8 };

static int rank, ranks, wrong;
static int sent[most * numbers], got[most * numbers];

static void fill(int call) {
  for (int i = 0; i < most * numbers; ++i) {
    sent[i] = rank * 10000 + i + call;
    got[i] = -1;
  }
}

static void check(int block, int from, int first, int call) {
  for (int i = 0; i < numbers; ++i) wrong += got[block * numbers + i] != from * 10000 + first * numbers + i + call;
}

static void to_neighbours(void) {
  const int among = ranks - 1, links = rank < among ? 1 : 0;
  const int weight = 1, left = (rank + among - 1) % among, right = (rank + 1) % among, count = numbers;
  const MPI_Datatype type = MPI_INT;
  MPI_Aint from, into;
  MPI_Comm ring;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, links, &left, &weight, links, &right, &weight, MPI_INFO_NULL, 0,
                                 &ring);
  MPI_Get_address(sent, &from);
  MPI_Get_address(got, &into);
  for (int call = 0; call < calls; ++call) {
    fill(call);
    MPI_Neighbor_alltoallw(MPI_BOTTOM, &count, &from, &type, MPI_BOTTOM, &count, &into, &type, ring);
    if (links > 0) check(0, left, 0, call);
  }
  MPI_Comm_free(&ring);
}

#if MPI_VERSION >= 4
static void by_large_counts(void) {
  MPI_Count counts[most];
  MPI_Aint places[most], from[most], into[most];
  MPI_Datatype types[most];
  for (int i = 0; i < ranks; ++i) {
    counts[i] = numbers;
    types[i] = MPI_INT;
    places[i] = i * numbers;
    MPI_Get_address(sent + i * numbers, &from[i]);
    MPI_Get_address(got + i * numbers, &into[i]);
  }
  const int first = rank == 0;
  MPI_Count in_bytes[most];
  MPI_Aint byte_places[most];
  for (int i = 0; i < ranks; ++i) {
    in_bytes[i] = numbers * (MPI_Count)sizeof(int);
    byte_places[i] = places[i] * (MPI_Aint)sizeof(int);
  }
  for (int call = 0; call < calls; ++call) {
    fill(call);
    MPI_Alltoallw_c(first ? MPI_BOTTOM : sent, counts, first ? from : byte_places, types, got, counts, byte_places,
                    types, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; ++i) check(i, i, rank, call);
    fill(call);
    MPI_Alltoallv_c(sent, in_bytes, byte_places, MPI_BYTE, first ? MPI_BOTTOM : got, in_bytes,
                    first ? into : byte_places, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; ++i) check(i, i, rank, call);
    fill(call);
    MPI_Gatherv_c(sent, numbers, MPI_INT, MPI_BOTTOM, in_bytes, into, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int i = 0; first && i < ranks; ++i) check(i, i, 0, call);
    fill(call);
    MPI_Scatterv_c(MPI_BOTTOM, in_bytes, from, MPI_BYTE, got, numbers, MPI_INT, 0, MPI_COMM_WORLD);
    check(0, 0, rank, call);
    fill(call);
    MPI_Allgatherv_c(sent, numbers, MPI_INT, first ? MPI_BOTTOM : got, in_bytes, first ? into : byte_places, MPI_BYTE,
                     MPI_COMM_WORLD);
    for (int i = 0; i < ranks; ++i) check(i, i, 0, call);
  }
}
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  to_neighbours();
#if MPI_VERSION >= 4
  by_large_counts();
#endif
  int all_wrong;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", all_wrong);
  return MPI_Finalize();
}
