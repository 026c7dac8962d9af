#pragma once

#include "runtime/call/call.hpp"

namespace starling {

/// Whether the MPI library refuses `call` on this rank because both buffers are the same. MPI forbids this, but each
/// library checks other calls. Starling's algorithms must not carry out a call that native refuses on this rank.
bool refused_for_aliases(const Call& call, int rank);

/// The distance in bytes from the receive buffer to the send buffer at which a library may refuse calls like `call`.
/// For a call without two buffers, a distance that never occurs.
std::uintptr_t aliased_distance(const Call& call, int rank);

}  // namespace starling
