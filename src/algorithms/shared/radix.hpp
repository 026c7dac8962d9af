#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace starling {

/// The parameter `k` of an algorithm that works on numbers to the base k.
inline Parameter radix_parameter(std::vector<std::string> values, std::string_view says) {
  return {"k", std::move(values), says};
}

/// Why there can't be that radix; empty if there can.
inline std::string radix_refusal(const Situation& situation, const Parameters& with) {
  const std::int64_t radix = with.number("k");
  if (radix < 2) return "needs a radix of at least 2";
  if (radix > situation.ranks && radix > 2) return "has a larger radix than there are ranks";
  return {};
}

}  // namespace starling
