#pragma once

#include <string>
#include <string_view>

#include "algorithms/algorithm.hpp"

namespace starling {

/// Gathers the whole send buffers of all ranks, `scale` blocks each, by the allgather named `gather`; returns the new
/// scratch buffer that holds them in the order of ranks.
Buffer gather_everything(Schedule& todo, const Team& team, std::string_view gather, int scale);

/// Why this cannot be done with `scale` blocks of `block_bytes` bytes a rank, or should not, for the scratch it needs;
/// empty if it can.
std::string gather_everything_refusal(const Situation& whole, std::string_view gather, std::int64_t scale,
                                      std::int64_t block_bytes);

/// The scratch it uses, in blocks.
std::int64_t scratch_of_gather_everything(const Situation& whole, std::string_view gather, std::int64_t scale);

/// An alltoall of small blocks: every rank gets everything and picks what is for it. STAR-MPI, section 3.1.
Schedule gather_then_pick(const Team& team, std::string_view gather);
std::string gather_then_pick_refusal(const Situation& situation, std::string_view gather);
std::int64_t scratch_of_gather_then_pick(const Situation& situation, std::string_view gather);

}  // namespace starling
