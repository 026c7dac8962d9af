#pragma once

#include <memory>

#include "patterns/functions.hpp"
#include "runtime/call/call.hpp"

namespace starling::patterns {

/// A collective as a function set: its functions are the ways of the repository. What it works on comes from the
/// vectors of a request and their maps.
std::shared_ptr<FunctionSet> collective_set(Collective collective, bool nonblocking);

/// The same for one call with MPI's own arguments; vectors are not needed. The call's arrays are copied.
std::shared_ptr<FunctionSet> blocking_set(const Call& call);
std::shared_ptr<FunctionSet> nonblocking_set(const Call& call);

}  // namespace starling::patterns
