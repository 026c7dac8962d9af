/* Two ranks start a third, which sums with them, disconnects from them as such programs do, and goes on alone. Prints
 * how many sums are wrong. */
#include <mpi.h>
#include <stdio.h>

enum { parents = 2, children = 1, calls = 20 };

static int faults;

static void sum_on(MPI_Comm comm, int ranks) {
  for (int call = 0; call < calls; ++call) {
    int mine = 1, sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    faults += sum != ranks;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm parent, others, all;
  MPI_Comm_get_parent(&parent);
  const int is_child = parent != MPI_COMM_NULL;
  others = parent;
  if (!is_child)
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, children, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE);
  MPI_Intercomm_merge(others, is_child, &all);
  sum_on(all, parents + children);
  sum_on(MPI_COMM_WORLD, is_child ? children : parents);
  int total, rank;
  MPI_Comm_rank(all, &rank);
  MPI_Reduce(&faults, &total, 1, MPI_INT, MPI_SUM, 0, all);
  if (rank == 0) printf("%d faults\n", total);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&others);
  MPI_Finalize();
  return 0;
}
