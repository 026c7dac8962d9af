// Prints how far the value of a control variable (MPI_T) is from 20000 on the rank where it is farthest, plus 1.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  int provided = 0, rank = 0, index = 0, count = 0;
  MPI_Init(&argc, &argv);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_T_cvar_handle handle;
  unsigned long value = 0;  // an int is read as well: little endian, and not negative
  if (MPI_T_cvar_get_index(argv[1], &index) != MPI_SUCCESS ||
      MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS || count != 1 ||
      MPI_T_cvar_read(handle, &value) != MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 1);
  long mine = labs((long)value - 20000) + 1, farthest = 0;
  MPI_Reduce(&mine, &farthest, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("distance %ld\n", farthest);
  MPI_T_cvar_handle_free(&handle);
  MPI_T_finalize();
  MPI_Finalize();
  return 0;
}
