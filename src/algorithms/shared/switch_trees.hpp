#pragma once

#include "algorithms/shared/trees.hpp"

namespace starling {

/// The most ranks for which a schedule looks for the best binary tree: the search takes time and memory with the square
/// of their number.
inline constexpr int most_ranks_of_switch_binary = 2048;

/// Why there is no binary tree of switches; empty if there is. For `refuses`, after the segments have been looked at.
std::string switch_binary_refusal(const Situation& situation, const Parameters& with);

/// The chain of all ranks in the order of a depth-first walk from the root through the network: no link is used twice
/// in the same direction.
TreePlace switch_chain(const Team& team);

/// The lowest binary tree over that walk in which only a rank's own link carries more than one message: a rank's
/// children are the next rank and one where the walk turns into another branch. Patarasuk, Faraj and Yuan 2006.
TreePlace switch_binary(const Team& team);

}  // namespace starling
