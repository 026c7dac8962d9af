/* An allreduce of 8 and one of 80 bytes on communicators of 4 ranks each: ranks 0 to 3, every other one of 8, and 0 to
 * 3 again, in another order. */
#include <mpi.h>

static void sum_on(int member, int key) {
  double own[10] = {1}, sums[10];
  MPI_Comm some;
  MPI_Comm_split(MPI_COMM_WORLD, member ? 1 : MPI_UNDEFINED, key, &some);
  if (some == MPI_COMM_NULL) return;
  MPI_Allreduce(own, sums, 1, MPI_DOUBLE, MPI_SUM, some);
  MPI_Allreduce(own, sums, 10, MPI_DOUBLE, MPI_SUM, some);
  MPI_Comm_free(&some);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  sum_on(rank < 4, rank);
  sum_on(rank % 2 == 0, rank);
  sum_on(rank < 4, rank % 2 == 0 ? rank : rank + 4);
  MPI_Finalize();
  return 0;
}
