/* Reduces and rests in turn until it is killed: a job that does not end before its limit. */
#define _POSIX_C_SOURCE 199309L
#include <mpi.h>
#include <time.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double in[512] = {0}, out[512];
  const struct timespec rest = {.tv_nsec = 2000000};
  for (;;) {
    MPI_Allreduce(in, out, 512, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    nanosleep(&rest, NULL);
  }
}
