#pragma once

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/trees.hpp"

namespace starling {

/// The parameter `packet`: how many ranks' blocks travel in one message; none: all of a subtree.
Parameter packet_parameter();

/// Gathers up a tree whose subtrees are runs of ranks: blocks of a subtree travel together, or in packets that a rank
/// passes on while the next one comes in. Every rank's block comes from send; the root has all of them in recv.
Schedule forwarded_up(const Team& team, const TreePlace& place, const Parameters& with);

/// Scatters down such a tree likewise: the root has a block for each rank in send, a rank's own one ends in recv.
Schedule forwarded_down(const Team& team, const TreePlace& place, const Parameters& with);

/// The most blocks that a rank other than the root keeps for others and itself.
std::int64_t scratch_of_forwarding(const Situation& situation, TreePlace (*tree)(const Team&));

}  // namespace starling
