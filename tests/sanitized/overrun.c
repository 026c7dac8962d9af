/* A vector whose extents say more than its memory has: the library reads behind it. */
#include <mpi.h>
#include <starling/patterns.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int ranks = 0, periodic[2] = {1, 1}, shape[2] = {1, 1}, extents[2] = {100, 100};
  MPI_Comm grid;
  starling_map map;
  starling_vector vector;
  starling_topology topology;
  starling_function_set halos;
  starling_request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  shape[1] = ranks;
  MPI_Cart_create(MPI_COMM_WORLD, 2, shape, periodic, 0, &grid);
  double* data = calloc(10, sizeof *data);
  starling_map_halo(1, &map);
  starling_vector_register(2, extents, 0, map, MPI_DOUBLE, STARLING_ORDER_C, data, &vector);
  starling_topology_cartesian(grid, 0, &topology);
  starling_function_set_predefined("neighborhood", &halos);
  starling_request_create(halos, topology, vector, vector, 0, "forced:Sendrecv_pair_pack", &request);
  starling_request_start(request);
  MPI_Finalize();
  free(data);
  return 0;
}
