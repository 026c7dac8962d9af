#pragma once

#include <string>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/node_memory.hpp"

namespace starling {

/// The parameter `copies` of algorithms in shared memory. Where a rank only waits for its reader, it makes half of a
/// single copy, which then is faster. Where all ranks copy at the same time, twice may be faster if processors are far
/// from each other, once if they are near, or if data is more than caches hold: which it is, nobody knows but who has
/// measured it here (bench/single_copy.cpp).
inline Parameter copies_parameter() {
  return {.name = "copies",
          .values = {"twice", "once"},
          .says = "into shared memory and out of it, or once: each reader from the publisher's memory"};
}

inline bool copies_once(const Parameters& with) {
  return with.text("copies") == "once";
}

/// Why data of so many bytes (negative: not known) is not published so at once; empty if it may be.
inline std::string copies_refusal_of(std::int64_t bytes, const Situation& situation, const Parameters& with) {
  if (std::string why = node_memory_refusal(situation); !why.empty()) return why;
  constexpr std::int64_t least = BoundPublication::least_copied_once;
  if (copies_once(with) && bytes >= 0 && bytes < least)
    return "blocks of less than " + std::to_string(least) + " bytes are copied twice";
  return {};
}

/// The same of whole blocks.
inline std::string copies_refusal(const Situation& situation, const Parameters& with) {
  return copies_refusal_of(situation.bytes, situation, with);
}

}  // namespace starling
