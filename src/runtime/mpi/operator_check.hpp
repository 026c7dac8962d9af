#pragma once

#include <mpi.h>

namespace starling {

/// Whether the MPI library applies `op` to elements of `type`: it refuses a predefined operator on types it is not
/// defined for, and that error must reach the application from the MPI library itself. Asked of the library once for
/// each pair, by an allreduce of one element on this rank alone. A program's own operators are always taken.
bool applies(MPI_Op op, MPI_Datatype type);

}  // namespace starling
