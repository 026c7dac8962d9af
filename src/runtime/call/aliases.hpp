#pragma once

#include "runtime/call/call.hpp"

namespace starling {

/// Asks the MPI library which calls it refuses because their two buffers are the same. In MPI_Init only: some libraries
/// tell the error handler of MPI_COMM_WORLD, which is not yet the application's then.
void learn_refused_aliases();

/// Whether the MPI library refuses `call` on this rank because its two buffers are the same. MPI forbids it; libraries
/// differ in where they look, and Starling's own algorithms must not carry out on one rank what native would not.
bool refused_for_aliases(const Call& call, int rank);

/// From the receive buffer of calls like `call` to their send buffer, in bytes, where these two are the same in a way
/// that a library may refuse; a distance that never is where it has no two buffers.
std::uintptr_t aliased_distance(const Call& call, int rank);

}  // namespace starling
