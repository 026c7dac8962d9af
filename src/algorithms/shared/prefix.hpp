#pragma once

#include "algorithms/algorithm.hpp"

namespace starling {

/// Whether a rank's own data belongs to its result: scan, or exscan.
enum class Prefix : std::uint8_t { inclusive, exclusive };

/// Prefix sums by recursive doubling of whole vectors: two sums, that of the ranks of the own group and that of those
/// among them that count for the result.
Schedule prefix_by_recursive_doubling(const Team& team, Prefix prefix);

/// Prefix sums along a chain, block after block.
Schedule prefix_along_chain(const Team& team, Prefix prefix);

}  // namespace starling
