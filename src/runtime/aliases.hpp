#pragma once

#include "runtime/call.hpp"

namespace starling {

/// Whether the MPI library refuses `call` on this rank because its two buffers are the same. MPI forbids it; libraries
/// differ in where they look, and Starling's own algorithms must not carry out on one rank what native would not.
bool refused_for_aliases(const Call& call, int rank);

/// From the receive buffer of calls like `call` to their send buffer, in bytes, where these two are the same in a way
/// that a library may refuse; a distance that never is where it has no two buffers.
std::uintptr_t aliased_distance(const Call& call, int rank);

}  // namespace starling
