/* Makes and frees communicators, with a few collectives on each. Arguments: how many; rank 0 prints how many results
 * were wrong and by how many KiB the fullest rank's memory grew after the first tenth. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long resident_kib(void) {
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1) abort();
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char** argv) {
  const int communicators = argc > 1 ? atoi(argv[1]) : 10000;
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  long wrong = 0, before = 0;
  for (int i = 0; i < communicators; ++i) {
    MPI_Comm comm;
    if (i == communicators / 10) before = resident_kib();
    if (i % 2)
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    else
      MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - rank, &comm);
    for (int call = 0; call < 3; ++call) {
      int mine = rank + call, sum = 0, first = rank == (i % 2 ? 0 : ranks - 1) ? i : -1;
      MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
      MPI_Bcast(&first, 1, MPI_INT, 0, comm);
      wrong += sum != ranks * (ranks - 1) / 2 + ranks * call || first != i;
    }
    MPI_Comm_free(&comm);
  }
  long mine[2] = {wrong, resident_kib() - before}, all[2];
  MPI_Reduce(mine, all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(mine + 1, all + 1, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d communicators, %ld wrong, %ld KiB more\n", communicators, all[0], all[1]);
  MPI_Finalize();
  return 0;
}
