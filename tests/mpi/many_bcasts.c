/* Makes so many bcasts that each candidate has one. */
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  static char data[64];
  for (int i = 0; i < 200; ++i) MPI_Bcast(data, sizeof data, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
