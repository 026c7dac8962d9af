#pragma once

#include <cstdint>
#include <vector>

namespace starling {

/// The number that each rank of MPI_COMM_WORLD gives, known to all of them. Collective.
std::vector<int> gathered_from_all(int mine);

/// A number for the host that this rank is on, by its name and, where hosts share a name, by when it was started. Not
/// by MPI_Comm_split_type, which takes longer than all else in MPI_Init where ranks share processors.
std::int64_t number_of_host();

}  // namespace starling
