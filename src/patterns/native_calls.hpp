#pragma once

#include <mpi.h>

#include "runtime/call/call.hpp"

namespace starling::patterns {

/// Makes a call in the MPI library, and begins one there. Return MPI's error code. Counts are ints.
int call_natively(const Call& call);
int begin_natively(const Call& call, MPI_Request& request);

}  // namespace starling::patterns
