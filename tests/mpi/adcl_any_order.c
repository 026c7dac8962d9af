/* Nonblocking collectives of ADCL in flight together, for which each rank waits in an order of its own, as MPI allows.
 * Usage: adcl_any_order [ROUNDS] */
#include <stdio.h>
#include <stdlib.h>

#include "ADCL.h"

enum { COUNT = 37, MOST_RANKS = 8, REQUESTS = 5 };

int main(int argc, char** argv) {
  int rank, ranks, all_faults = 0, faults = 0;
  MPI_Init(&argc, &argv);
  ADCL_Init();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > MOST_RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
  int word[COUNT], to[COUNT * MOST_RANKS], from[COUNT * MOST_RANKS], gathered[COUNT * MOST_RANKS];
  double mine[COUNT], sum[COUNT], other[COUNT], largest[COUNT];
  const int rounds = argc > 1 ? atoi(argv[1]) : 200;
  ADCL_Request requests[REQUESTS];
  ADCL_Ibcast_init(word, COUNT, MPI_INT, ranks - 1, MPI_COMM_WORLD, &requests[0]);
  ADCL_Ialltoall_init(to, COUNT, MPI_INT, from, COUNT, MPI_INT, MPI_COMM_WORLD, &requests[1]);
  ADCL_Iallgather_init(to, COUNT, MPI_INT, gathered, COUNT, MPI_INT, MPI_COMM_WORLD, &requests[2]);
  ADCL_Ireduce_init(mine, sum, COUNT, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, &requests[3]);
  ADCL_Ireduce_init(other, largest, COUNT, MPI_DOUBLE, MPI_MAX, ranks - 1, MPI_COMM_WORLD, &requests[4]);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < COUNT; ++i) {
      word[i] = rank == ranks - 1 ? round + i : -1;
      mine[i] = rank + i;
      other[i] = rank * round + i;
    }
    for (int i = 0; i < COUNT * ranks; ++i) {
      to[i] = rank * 10000 + i + round;
      from[i] = gathered[i] = -1;
    }
    for (int i = 0; i < REQUESTS; ++i) faults += ADCL_Request_init(requests[i]) != ADCL_SUCCESS;
    for (int i = 0; i < REQUESTS; ++i)
      faults += ADCL_Request_wait(requests[(i + rank + round) % REQUESTS]) != ADCL_SUCCESS;
    for (int i = 0; i < COUNT; ++i) {
      faults += word[i] != round + i;
      for (int peer = 0; peer < ranks; ++peer) {
        faults += from[peer * COUNT + i] != peer * 10000 + rank * COUNT + i + round;
        faults += gathered[peer * COUNT + i] != peer * 10000 + i + round;
      }
      faults += rank == 0 && sum[i] != ranks * (ranks - 1) / 2 + ranks * i;
      faults += rank == ranks - 1 && largest[i] != (ranks - 1) * round + i;
    }
  }
  for (int i = 0; i < REQUESTS; ++i) faults += ADCL_Request_free(&requests[i]) != ADCL_SUCCESS;
  MPI_Allreduce(&faults, &all_faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d faults\n", all_faults);
  ADCL_Finalize();
  MPI_Finalize();
  return all_faults != 0;
}
