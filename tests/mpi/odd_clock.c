/* The clock that goes on while the machine sleeps is missing, stands, or goes back before MPI_Init, as the environment
 * variable ODD_CLOCK says. Rank 0 prints how many sums were wrong. */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t which, struct timespec* time) {
  static int asked = 0;
  const char* how = getenv("ODD_CLOCK");
  if (which == CLOCK_BOOTTIME && how != NULL && strcmp(how, "missing") == 0) {
    errno = EINVAL;
    return -1;
  }
  const long result = syscall(SYS_clock_gettime, which, time);
  if (which != CLOCK_BOOTTIME || how == NULL) return (int)result;
  if (strcmp(how, "stands") == 0) time->tv_sec = time->tv_nsec = 1;
  if (strcmp(how, "back") == 0 && asked++ > 3) time->tv_sec -= 3600;
  return 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 100; ++i) {
    int sum = 0;
    MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += sum != i * ranks;
  }
  if (rank == 0) printf("%d wrong\n", wrong);
  return MPI_Finalize();
}
