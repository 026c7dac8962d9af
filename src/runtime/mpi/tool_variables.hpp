#pragma once

#include <memory>

#include "runtime/mpi/control_variables.hpp"

namespace starling {

/// By MPI's tool interface (MPI_T), which is started, and ends with the object. Null if the library has none.
std::unique_ptr<ControlVariables> tool_variables();

}  // namespace starling
