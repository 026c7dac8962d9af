#pragma once

#include "algorithms/algorithm.hpp"

namespace starling {

/// The `divide` of an algorithm that never cuts the vector: it is one block.
inline Division whole_vector(const Situation& /*any*/, const Parameters& /*any*/) {
  return {1};
}

}  // namespace starling
