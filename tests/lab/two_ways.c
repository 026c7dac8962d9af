/* Times 1 MiB from the first rank to the second, on its host, and to the last, on another. Prints the shortest times of
 * a few, in seconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { bytes = 1 << 20, times = 3 };

static char data[bytes];

static double shortest(int rank, int peer) {
  double found = 1e9;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int time = 0; time < times; ++time) {
    const double start = MPI_Wtime();
    if (rank == 0) {
      MPI_Send(data, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
      MPI_Recv(data, 0, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == peer) {
      MPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(data, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
    const double seconds = MPI_Wtime() - start;
    if (seconds < found) found = seconds;
  }
  return found;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double within = shortest(rank, 1);
  const double between = shortest(rank, ranks - 1);
  if (rank == 0) {
    printf("within %.6f\nbetween %.6f\n", within, between);
    fflush(stdout);
  }
  return MPI_Finalize();
}
