#pragma once

#include <string_view>

#include "algorithms/algorithm.hpp"

namespace starling {

/// An allreduce made of two parts: the reduce_scatter named `reduce` leaves each rank one block of the result, and the
/// allgather named `gather` spreads them.
Schedule reduce_then_gather(const Team& team, std::string_view reduce, std::string_view gather);

/// The scratch of both parts, in blocks.
std::int64_t scratch_of_reduce_then_gather(const Situation& whole, std::string_view reduce, std::string_view gather);

}  // namespace starling
