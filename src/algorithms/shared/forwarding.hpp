#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/trees.hpp"

namespace starling {

/// The parameter `segment` of algorithms that gather or scatter: about how many bytes travel in one message. Where a
/// rank's block is larger, it travels in parts; where it is smaller, as many whole blocks go together as fit. None
/// where not all ranks know how large blocks are.
Parameter forwarded_segment_parameter();

/// Gathers up a tree whose subtrees are runs of ranks: blocks of a subtree travel together, or in segments that a rank
/// passes on while the next one comes in. Every rank's block comes from send; the root has all of them in recv.
Schedule forwarded_up(const Team& team, const TreePlace& place);

/// Scatters down such a tree the same way: the root has a block for each rank in send, a rank's own ends in recv.
Schedule forwarded_down(const Team& team, const TreePlace& place);

/// The most blocks that a rank other than the root keeps for others and itself.
template <TreePlace (*tree)(const Team&)>
std::int64_t forwarded_scratch(const Situation& situation, const Parameters& with) {
  int most = 0;
  for (int rank = 1; rank < situation.ranks; ++rank) {
    const TreePlace place = tree({.size = situation.ranks, .rank = rank});
    if (!place.children.empty()) most = std::max(most, place.end - rank);
  }
  return std::int64_t{most} * parts_of_a_block(situation.collective, situation.ranks, segments(situation, with).blocks);
}

/// Why blocks can't go up or down a tree, whose root has that place, in such segments; empty if they can.
std::string forwarded_refusal(const Situation& situation, const Parameters& with, const TreePlace& root);

template <TreePlace (*tree)(const Team&)>
std::string forwarded_refusal(const Situation& situation, const Parameters& with) {
  return forwarded_refusal(situation, with, tree({.size = situation.ranks, .rank = 0}));
}

}  // namespace starling
