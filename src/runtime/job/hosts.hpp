#pragma once

#include <cstdint>
#include <vector>

#include "topology/processors.hpp"

namespace starling {

/// The numbers of all ranks of MPI_COMM_WORLD, on every rank. Collective.
std::vector<int> gathered_from_all(int mine);

/// A number for this rank's host, from its name and its boot id, because hosts may share a name. Not from
/// MPI_Comm_split_type, which takes longer than the rest of MPI_Init where ranks share processors.
std::int64_t number_of_host();

/// What a rank's processors, those on which it may run, tell of its place.
struct PlaceOnHost {
  /// The domain of the host that they are in; negative where they are in several. Read from /sys: hwloc reads the same
  /// files, and would have to be linked into every program.
  int domain;
  ProcessorShare processors;
};
PlaceOnHost place_on_host();

}  // namespace starling
