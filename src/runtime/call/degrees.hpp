#pragma once

#include <mpi.h>

namespace starling {

/// How many blocks a rank sends and receives in neighbourhood collectives: the links of the communicator's topology, on
/// a grid also those beyond its ends, whose blocks stay as they are.
struct Degrees {
  bool has_topology = false;
  bool is_grid = false;
  int sends = 0;
  int receives = 0;
};

Degrees degrees_of(MPI_Comm comm);

}  // namespace starling
