#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace starling {

/// The parameter `k` of an algorithm that works on numbers to the base k; `reorders` where each base makes an order of
/// additions of its own.
inline Parameter radix_parameter(std::vector<std::string_view> values, std::string_view says, bool reorders = false) {
  return {"k", std::move(values), says, reorders};
}

/// Why there can't be that radix; empty if there can.
inline std::string radix_refusal(const Situation& situation, const Parameters& with) {
  const std::int64_t radix = with.number("k");
  if (radix < 2) return "needs a radix of at least 2";
  if (radix > situation.ranks && radix > 2) return "has a larger radix than there are ranks";
  return {};
}

}  // namespace starling
