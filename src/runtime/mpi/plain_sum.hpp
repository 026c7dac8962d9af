#pragma once

#include <mpi.h>

#include <cstdint>

namespace starling {

/// into[i] = left[i] + right[i]; `into` may be one of the others.
using PlainSum = void (*)(const char* left, const char* right, char* into, std::int64_t count);

/// What sums elements of the most frequent predefined types, in one pass over three buffers: MPI_Reduce_local has two,
/// and some libraries' takes an element at a time. Null for all that is left to MPI.
PlainSum plain_sum(MPI_Op op, MPI_Datatype type);

}  // namespace starling
