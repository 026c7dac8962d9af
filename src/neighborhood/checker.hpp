#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "neighborhood/steps.hpp"

namespace starling::neighborhood {

/// One rank of an exchange on symbolic cells. Equal numbers are equal data.
struct RankToCheck {
  Rounds rounds;
  std::vector<std::vector<int>> sends;  ///< by number of the block, the cells that it is made of
  std::vector<std::vector<int>> receives;
  std::vector<std::int64_t> before;  ///< what each cell holds
  std::vector<std::int64_t> after;   ///< and what it should hold in the end
};

/// Inner cells of the blocks along each dimension: of rank coordinate c in dimension d `inner[d][c]`.
using BlockSizes = std::array<std::vector<int>, most_dimensions>;

/// All ranks of a halo exchange. What each cell should hold follows from its place in the whole array, not from boxes.
std::vector<RankToCheck> halos_to_check(const Grid& grid, const BlockSizes& inner, int width, Corners corners);

/// All ranks of an exchange on a graph: each link has a block of its own at both ends.
std::vector<RankToCheck> graph_to_check(std::span<const Link> links, int ranks);

/// Carries out the exchange of all ranks by an implementation, and proves that
/// - every cell ends with what it should hold, and nothing else is written;
/// - the k-th send from one rank to another meets its k-th receive, and these are equally large;
/// - nothing waits for ever, even if a send ends only when its receive is posted, and a start only when all whose
/// memory
///   it accesses have posted;
/// - data is neither written while a message, or another rank, may read or write it, nor read while one may write it;
/// - all ranks go through the same fences; what is put or got lies in the memory of a rank that has exposed it to the
///   one that does; every epoch ends.
/// Returns the first mistake, a sentence without a full stop; empty if there is none.
std::string check(std::span<const RankToCheck> ranks, const Implementation& implementation);
/// The same with other steps than those of an implementation.
std::string check(std::span<const RankToCheck> ranks, std::span<const Steps> steps);

}  // namespace starling::neighborhood
