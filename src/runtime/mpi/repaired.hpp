#pragma once

#include <string_view>

namespace starling {

/// Puts into `pmpi` what stands for functions that are wrong in SimGrid's SMPI or in MPICH 4.0 in some cases. There
/// they use others of its functions. Nothing is put there for other MPI libraries.
void repair_pmpi();

/// What stands for the MPI function of that name; null if that is the library's own.
void* repaired(std::string_view name);

}  // namespace starling
