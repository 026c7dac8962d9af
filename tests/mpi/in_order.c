/* Sums of all ranks up to each, and a reduction by an operator that does not commute, of 16 and 4096 numbers. Ends with
 * status 1 where a result is wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 4096 };

/* Of two it keeps that of the lower ranks. */
static void keep_first(void* lower, void* higher, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)higher)[i] = ((int*)lower)[i];
}

int main(int argc, char** argv) {
  static int own[most], found[most];
  int rank, wrong = 0;
  MPI_Op first;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Op_create(keep_first, 0, &first);
  for (int i = 0; i < most; ++i) own[i] = rank + 1;
  for (int count = 16; count <= most; count *= most / 16) {
    MPI_Scan(own, found, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) wrong += found[i] != (rank + 1) * (rank + 2) / 2;
    MPI_Allreduce(own, found, count, MPI_INT, first, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) wrong += found[i] != 1;
  }
  if (wrong > 0) fprintf(stderr, "rank %d has %d wrong numbers\n", rank, wrong);
  MPI_Op_free(&first);
  MPI_Finalize();
  return wrong > 0 ? 1 : 0;
}
