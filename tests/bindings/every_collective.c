// Calls every form of every collective of this MPI once, and prints which results were wrong. Rank r sends 100 r + j as
// its element j.
#include <mpi.h>
#include <stdio.h>

#define MOST 64

#if MPI_VERSION >= 4
#define HAS_LARGE 1
#else
#define HAS_LARGE 0
#endif
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAS_PERSISTENT 1
#else
#define HAS_PERSISTENT 0
#endif

static int rank, size, wrong;
static int send[MOST], recv[MOST], icounts[MOST], idispls[MOST], ibytes[MOST];
static MPI_Datatype types[MOST];
static MPI_Aint abytes[MOST];
#if HAS_LARGE
static MPI_Count lcounts[MOST];
static MPI_Aint ldispls[MOST], lbytes[MOST];
#endif

static int gathered(void) {
  for (int i = 0; i < size; ++i)
    if (recv[i] != 100 * i) return 0;
  return 1;
}
static int gathered_at_root(void) {
  return rank != 0 || gathered();
}
static int exchanged(void) {
  for (int i = 0; i < size; ++i)
    if (recv[i] != 100 * i + rank) return 0;
  return 1;
}
static int sum_to(int ranks) {
  return 50 * ranks * (ranks - 1);
}
static int summed(void) {
  return recv[0] == sum_to(size);
}
static int summed_at_root(void) {
  return rank != 0 || summed();
}
static int summed_and_scattered(void) {
  return recv[0] == sum_to(size) + size * rank;
}
static int summed_up_to_here(void) {
  return recv[0] == sum_to(rank + 1);
}
static int summed_before_here(void) {
  return rank == 0 || recv[0] == sum_to(rank);
}
static int scattered(void) {
  return recv[0] == rank;
}
static int told(void) {
  return recv[0] == 7;
}
static int synchronised(void) {
  return 1;
}
static int left(void) {
  return (rank + size - 1) % size;
}
static int right(void) {
  return (rank + 1) % size;
}
static int heard_neighbours(void) {
  return recv[0] == 100 * left() && recv[1] == 100 * right();
}
static int swapped_with_neighbours(void) {
  return recv[0] == 100 * left() + 1 && recv[1] == 100 * right();
}

static void fill(void) {
  for (int i = 0; i < MOST; ++i) {
    send[i] = 100 * rank + i;
    recv[i] = -1;
  }
  if (rank == 0) recv[0] = 7;
}

static void check(const char* name, int status, int right_result) {
  if (status == MPI_SUCCESS && right_result) return;
  printf("rank %d: %s is wrong\n", rank, name);
  ++wrong;
}

// DO(name, its nonblocking name, what must hold then, arguments): n is the prefix of arrays, i for int, l for large
// counts.
#define WITHOUT_COUNTS(DO) DO(Barrier, Ibarrier, synchronised, world)
#define COUNTED(DO, n)                                                                                            \
  DO(Allgather, Iallgather, gathered, send, 1, MPI_INT, recv, 1, MPI_INT, world)                                  \
  DO(Allgatherv, Iallgatherv, gathered, send, 1, MPI_INT, recv, n##counts, n##displs, MPI_INT, world)             \
  DO(Allreduce, Iallreduce, summed, send, recv, 1, MPI_INT, MPI_SUM, world)                                       \
  DO(Alltoall, Ialltoall, exchanged, send, 1, MPI_INT, recv, 1, MPI_INT, world)                                   \
  DO(Alltoallv, Ialltoallv, exchanged, send, n##counts, n##displs, MPI_INT, recv, n##counts, n##displs, MPI_INT,  \
     world)                                                                                                       \
  DO(Alltoallw, Ialltoallw, exchanged, send, n##counts, n##bytes, types, recv, n##counts, n##bytes, types, world) \
  DO(Bcast, Ibcast, told, recv, 1, MPI_INT, 0, world)                                                             \
  DO(Exscan, Iexscan, summed_before_here, send, recv, 1, MPI_INT, MPI_SUM, world)                                 \
  DO(Gather, Igather, gathered_at_root, send, 1, MPI_INT, recv, 1, MPI_INT, 0, world)                             \
  DO(Gatherv, Igatherv, gathered_at_root, send, 1, MPI_INT, recv, n##counts, n##displs, MPI_INT, 0, world)        \
  DO(Reduce, Ireduce, summed_at_root, send, recv, 1, MPI_INT, MPI_SUM, 0, world)                                  \
  DO(Reduce_scatter, Ireduce_scatter, summed_and_scattered, send, recv, n##counts, MPI_INT, MPI_SUM, world)       \
  DO(Reduce_scatter_block, Ireduce_scatter_block, summed_and_scattered, send, recv, 1, MPI_INT, MPI_SUM, world)   \
  DO(Scan, Iscan, summed_up_to_here, send, recv, 1, MPI_INT, MPI_SUM, world)                                      \
  DO(Scatter, Iscatter, scattered, send, 1, MPI_INT, recv, 1, MPI_INT, 0, world)                                  \
  DO(Scatterv, Iscatterv, scattered, send, n##counts, n##displs, MPI_INT, recv, 1, MPI_INT, 0, world)             \
  DO(Neighbor_allgather, Ineighbor_allgather, heard_neighbours, send, 1, MPI_INT, recv, 1, MPI_INT, ring)         \
  DO(Neighbor_allgatherv, Ineighbor_allgatherv, heard_neighbours, send, 1, MPI_INT, recv, n##counts, n##displs,   \
     MPI_INT, ring)                                                                                               \
  DO(Neighbor_alltoall, Ineighbor_alltoall, swapped_with_neighbours, send, 1, MPI_INT, recv, 1, MPI_INT, ring)    \
  DO(Neighbor_alltoallv, Ineighbor_alltoallv, swapped_with_neighbours, send, n##counts, n##displs, MPI_INT, recv, \
     n##counts, n##displs, MPI_INT, ring)                                                                         \
  DO(Neighbor_alltoallw, Ineighbor_alltoallw, swapped_with_neighbours, send, n##counts, abytes, types, recv,      \
     n##counts, abytes, types, ring)

#define BLOCKING(name, iname, expected, ...)       \
  fill();                                          \
  check("MPI_" #name, MPI_##name(__VA_ARGS__), 1); \
  check("result of MPI_" #name, MPI_SUCCESS, expected());

#define NONBLOCKING(name, iname, expected, ...)                \
  fill();                                                      \
  check("MPI_" #iname, MPI_##iname(__VA_ARGS__, &request), 1); \
  MPI_Wait(&request, MPI_STATUS_IGNORE);                       \
  check("result of MPI_" #iname, MPI_SUCCESS, expected());

#define PERSISTENT(name, iname, expected, ...)                                             \
  fill();                                                                                  \
  check("MPI_" #name "_init", MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request), 1); \
  MPI_Start(&request);                                                                     \
  MPI_Wait(&request, MPI_STATUS_IGNORE);                                                   \
  MPI_Request_free(&request);                                                              \
  check("result of MPI_" #name "_init", MPI_SUCCESS, expected());

#define BLOCKING_LARGE(name, iname, expected, ...) BLOCKING(name##_c, iname, expected, __VA_ARGS__)
#define NONBLOCKING_LARGE(name, iname, expected, ...) NONBLOCKING(name, iname##_c, expected, __VA_ARGS__)
#define PERSISTENT_LARGE(name, iname, expected, ...)                                           \
  fill();                                                                                      \
  check("MPI_" #name "_init_c", MPI_##name##_init_c(__VA_ARGS__, MPI_INFO_NULL, &request), 1); \
  MPI_Start(&request);                                                                         \
  MPI_Wait(&request, MPI_STATUS_IGNORE);                                                       \
  MPI_Request_free(&request);                                                                  \
  check("result of MPI_" #name "_init_c", MPI_SUCCESS, expected());

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  for (int i = 0; i < MOST; ++i) {
    icounts[i] = 1;
    idispls[i] = i;
    ibytes[i] = i * (int)sizeof(int);
    abytes[i] = i * (MPI_Aint)sizeof(int);
    types[i] = MPI_INT;
#if HAS_LARGE
    lcounts[i] = 1;
    ldispls[i] = i;
    lbytes[i] = i * (MPI_Aint)sizeof(int);
#endif
  }
  const int periodic = 1;
  MPI_Comm ring;
  MPI_Cart_create(world, 1, &size, &periodic, 0, &ring);
  MPI_Request request;

  WITHOUT_COUNTS(BLOCKING)
  COUNTED(BLOCKING, i)
  WITHOUT_COUNTS(NONBLOCKING)
  COUNTED(NONBLOCKING, i)
#if HAS_PERSISTENT
  WITHOUT_COUNTS(PERSISTENT)
  COUNTED(PERSISTENT, i)
#endif
#if HAS_LARGE
  COUNTED(BLOCKING_LARGE, l)
  COUNTED(NONBLOCKING_LARGE, l)
  COUNTED(PERSISTENT_LARGE, l)
#endif

  MPI_Comm_free(&ring);
  int wrong_anywhere = 0;
  MPI_Reduce(&wrong, &wrong_anywhere, 1, MPI_INT, MPI_SUM, 0, world);
  if (rank == 0) printf("large %d persistent %d wrong %d\n", HAS_LARGE, HAS_PERSISTENT, wrong_anywhere);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
