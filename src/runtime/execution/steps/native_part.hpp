#pragma once

#include "runtime/execution/running.hpp"

namespace starling {

/// The MPI library's own collective on a group of ranks.
int native_part(const Running& run, const Step& step);

}  // namespace starling
