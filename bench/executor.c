/* Algorithms by Starling's executor against the same ones written directly on MPI's point-to-point calls.
 *
 *   STARLING_STRATEGY=forced:allreduce:recursive_doubling,allgather:ring,bcast:binomial,alltoall:ring executor CALLS
 * BLOCKS
 *
 * Blocks of both alternate in one run. Rank 0 prints a line a block: collective, bytes, microseconds a call of the
 * executor and of one written directly; then both again on MPI_COMM_SELF, where no message is sent: what a call costs
 * besides. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { largest = 65536, tag = 5 };

static int rank, ranks; /* in `comm` */
static MPI_Comm comm;
static MPI_Comm direct; /* a duplicate of MPI_COMM_WORLD, as the executor has one */
static char *from, *into;

static void exchange(const char* out, int to, char* in, int source, int bytes) {
  MPI_Request both[2];
  PMPI_Irecv(in, bytes, MPI_BYTE, source, tag, direct, &both[0]);
  PMPI_Isend(out, bytes, MPI_BYTE, to, tag, direct, &both[1]);
  PMPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}

/* Recursive doubling; the number of ranks is a power of two. */
static void direct_allreduce(int bytes) {
  static double partner[largest / 8];
  memcpy(into, from, (size_t)bytes);
  for (int distance = 1; distance < ranks; distance *= 2) {
    exchange(into, rank ^ distance, (char*)partner, rank ^ distance, bytes);
    PMPI_Reduce_local(partner, into, bytes / 8, MPI_DOUBLE, MPI_SUM);
  }
}

static void direct_allgather(int bytes) {
  memcpy(into + rank * bytes, from, (size_t)bytes);
  for (int step = 0; step < ranks - 1; ++step) {
    int outgoing = (rank - step + ranks) % ranks, incoming = (rank - step - 1 + ranks) % ranks;
    exchange(into + outgoing * bytes, (rank + 1) % ranks, into + incoming * bytes, (rank - 1 + ranks) % ranks, bytes);
  }
}

/* Binomial tree from rank 0. */
static void direct_bcast(int bytes) {
  int distance = 1;
  while (distance < ranks && !(rank & distance)) distance *= 2;
  if (rank) PMPI_Recv(from, bytes, MPI_BYTE, rank - distance, tag, direct, MPI_STATUS_IGNORE);
  MPI_Request children[32];
  int count = 0;
  for (distance /= 2; distance > 0; distance /= 2)
    if (rank + distance < ranks) PMPI_Isend(from, bytes, MPI_BYTE, rank + distance, tag, direct, &children[count++]);
  PMPI_Waitall(count, children, MPI_STATUSES_IGNORE);
}

static void direct_alltoall(int bytes) {
  memcpy(into + rank * bytes, from + rank * bytes, (size_t)bytes);
  for (int step = 1; step < ranks; ++step) {
    int to = (rank + step) % ranks, source = (rank - step + ranks) % ranks;
    exchange(from + to * bytes, to, into + source * bytes, source, bytes);
  }
}

static void allreduce(int bytes) {
  MPI_Allreduce(from, into, bytes / 8, MPI_DOUBLE, MPI_SUM, comm);
}
static void allgather(int bytes) {
  MPI_Allgather(from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, comm);
}
static void bcast(int bytes) {
  MPI_Bcast(from, bytes, MPI_BYTE, 0, comm);
}
static void alltoall(int bytes) {
  MPI_Alltoall(from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, comm);
}

static void use(MPI_Comm other) {
  comm = other;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
}

static double seconds(void (*call)(int), int bytes, int calls) {
  PMPI_Barrier(direct);
  double start = PMPI_Wtime();
  for (int i = 0; i < calls; ++i) call(bytes);
  PMPI_Barrier(direct);
  return (PMPI_Wtime() - start) / calls;
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*executor)(int);
    void (*direct)(int);
  } pairs[] = {{"allreduce", allreduce, direct_allreduce},
               {"allgather", allgather, direct_allgather},
               {"bcast", bcast, direct_bcast},
               {"alltoall", alltoall, direct_alltoall}};
  MPI_Init(&argc, &argv);
  int world_rank, world_ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_ranks);
  PMPI_Comm_dup(MPI_COMM_WORLD, &direct);
  int small_calls = argc > 1 ? atoi(argv[1]) : 1000, blocks = argc > 2 ? atoi(argv[2]) : 15;
  from = calloc((size_t)world_ranks, largest);
  into = calloc((size_t)world_ranks, largest);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
    for (int bytes = 8; bytes <= largest; bytes *= largest / 8) {
      int calls = bytes == 8 ? small_calls : 1 + small_calls / 10;
      for (int block = -1; block < blocks; ++block) { /* the first warms up */
        double times[2][2];
        for (int alone = 0; alone < 2; ++alone) {
          use(alone ? MPI_COMM_SELF : MPI_COMM_WORLD);
          int first = block & 1; /* each goes first in every second pair */
          times[alone][first] = seconds(first ? pairs[i].direct : pairs[i].executor, bytes, calls);
          times[alone][!first] = seconds(first ? pairs[i].executor : pairs[i].direct, bytes, calls);
        }
        if (world_rank == 0 && block >= 0)
          printf("%s %d %.3f %.3f %.3f %.3f\n", pairs[i].name, bytes, times[0][0] * 1e6, times[0][1] * 1e6,
                 times[1][0] * 1e6, times[1][1] * 1e6);
      }
    }
  free(from);
  free(into);
  PMPI_Comm_free(&direct);
  MPI_Finalize();
  return 0;
}
