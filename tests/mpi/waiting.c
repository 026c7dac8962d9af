/* Rank 0 computes for half a second while the others wait for it. Prints how often those gave their processor away
 * until something happened, and how often they lost it while they could have gone on, as by sched_yield. */
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  const clock_t start = clock();
  while (rank == 0 && clock() - start < CLOCKS_PER_SEC / 2) continue;
  MPI_Barrier(MPI_COMM_WORLD);
  getrusage(RUSAGE_SELF, &after);
  long mine[] = {rank ? after.ru_nvcsw - before.ru_nvcsw : 0, rank ? after.ru_nivcsw - before.ru_nivcsw : 0}, all[2];
  MPI_Reduce(mine, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%ld %ld\n", all[0], all[1]);
  MPI_Finalize();
}
