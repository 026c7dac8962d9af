/* Figure 1 of Gabriel, Feki, Benkert, Resch 2008 as printed, with its elisions filled in: no ADCL_Init, a vector of six
 * arguments, a grid of two dimensions. */
#include <ADCL.h>
#include <mpi.h>
#include <stdio.h>

#define NUM_HALO_CELLS 1
#define NIT 300
#define ROWS (4 + 2 * NUM_HALO_CELLS)
#define COLUMNS (6 + 2 * NUM_HALO_CELLS)

int main(int argc, char** argv) {
  double vector[ROWS][COLUMNS];
  ADCL_Vector vec;
  ADCL_Topology topo;
  ADCL_Request request;
  MPI_Comm cart_comm;
  int cart_dims[2] = {0, 0}, periods[2] = {0, 1}, vec_dims[2] = {ROWS, COLUMNS}, ndims = 2;
  int rank, size, i, above, below, left, right, faults = 0, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, cart_dims);

  /* Generate a 2-D process topology */
  MPI_Cart_create(MPI_COMM_WORLD, 2, cart_dims, periods, 0, &cart_comm);
  ADCL_Topology_create(cart_comm, &topo);

  /* Register a 2D vector with ADCL */
  ADCL_Vector_register(ndims, vec_dims, NUM_HALO_CELLS, MPI_DOUBLE, vector, &vec);

  /* Combine description of data structure and process topology */
  ADCL_Request_create(vec, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request);

  MPI_Cart_shift(cart_comm, 0, 1, &above, &below);
  MPI_Cart_shift(cart_comm, 1, 1, &left, &right);
  /* Main application loop */
  for (i = 0; i < NIT; i++) {
    for (int r = 0; r < ROWS; ++r)
      for (int c = 0; c < COLUMNS; ++c)
        vector[r][c] = r % (ROWS - 1) == 0 || c % (COLUMNS - 1) == 0 ? -1 : 1000 * rank + 10 * r + c + i;
    /* Initiate neighborhood communication */
    ADCL_Request_start(request);
    for (int c = 1; c < COLUMNS - 1; ++c) {
      faults += vector[0][c] != (above == MPI_PROC_NULL ? -1 : 1000 * above + 10 * (ROWS - 2) + c + i);
      faults += vector[ROWS - 1][c] != (below == MPI_PROC_NULL ? -1 : 1000 * below + 10 + c + i);
    }
    for (int r = 1; r < ROWS - 1; ++r) {
      faults += vector[r][0] != 1000 * left + 10 * r + COLUMNS - 2 + i;
      faults += vector[r][COLUMNS - 1] != 1000 * right + 10 * r + 1 + i;
    }
  }
  MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d faults\n", all);
  ADCL_Request_free(&request);
  ADCL_Vector_deregister(&vec);
  ADCL_Topology_free(&topo);
  MPI_Comm_free(&cart_comm);
  MPI_Finalize();
  return all != 0;
}
