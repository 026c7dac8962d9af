#pragma once

#include <cstddef>

namespace starling::neighborhood {

/// A number of a rank, a dimension or a link as an index.
constexpr std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

}  // namespace starling::neighborhood
