#pragma once

#include <mpi.h>

namespace starling {

/// Whether the MPI library accepts `op` on elements of `type`. It refuses a predefined operator on datatypes for which
/// it is not defined, and must report that error to the application itself. Tested once for each pair, by an allreduce
/// of one element on this rank only. Operators of the program are always accepted.
bool applies(MPI_Op op, MPI_Datatype type);

}  // namespace starling
