#pragma once

#include <memory>

#include "runtime/mpi/control_variables.hpp"

namespace starling {

/// By the functions of Open MPI that its tool interface is made of. Null if the MPI library has none. They see the
/// variables of the components in use. MPI_T_init_thread first loads all others: 12 ms of a rank's processor time, and
/// a quarter of a second in which all ranks wait where eight share a processor.
std::unique_ptr<ControlVariables> opal_variables();

}  // namespace starling
