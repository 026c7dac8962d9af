#include "runtime/call/degrees.hpp"

#include "runtime/mpi/pmpi.hpp"

namespace starling {

Degrees degrees_of(MPI_Comm comm) {
  Degrees degrees;
  int topology = MPI_UNDEFINED;
  if (pmpi.Topo_test(comm, &topology) != MPI_SUCCESS || topology == MPI_UNDEFINED) return degrees;
  degrees.has_topology = true;
  if (topology == MPI_DIST_GRAPH) {
    int weighted = 0;
    pmpi.Dist_graph_neighbors_count(comm, &degrees.receives, &degrees.sends, &weighted);
    return degrees;
  }
  if (topology == MPI_GRAPH) {
    int rank = 0;
    pmpi.Comm_rank(comm, &rank);
    pmpi.Graph_neighbors_count(comm, rank, &degrees.sends);
  }
  if (topology == MPI_CART) {
    int dimensions = 0;
    degrees.is_grid = true;
    pmpi.Cartdim_get(comm, &dimensions);
    degrees.sends = 2 * dimensions;
  }
  degrees.receives = degrees.sends;
  return degrees;
}

}  // namespace starling
