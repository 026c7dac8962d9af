#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/trees.hpp"

namespace starling {

/// A rank's place in a tree on two levels: one of the nodes' leaders (TwoLevels), and below each leader one of the
/// other ranks of its node.
struct LevelPlace {
  TreePlace place;
  int depth;   ///< ranks above this one
  int height;  ///< above any; the same on all ranks, and maybe more than there are
};

/// The tree that the parameters `outer` and `inner` name. Where the latter is no tree it tells how a node's ranks meet:
/// `shared`, in memory that they share, by a tree of the kind `in_memory`; `domains`, on two levels themselves, domains
/// and the node, both by such trees.
LevelPlace level_tree(const Team& team, const Parameters& with, std::string_view in_memory);

/// What a rank does by messages, in memory instead where `inner` says so and the other rank is on its node. A round
/// with messages of both kinds becomes two.
Schedule within_nodes(Schedule by_messages, const Team& team, const Parameters& with);

/// The parameters `inner`, `outer` and `segment` of algorithms whose segments go from one level on to the next.
std::vector<Parameter> pipelined_levels_parameters();
/// What such an algorithm refuses.
std::string pipelined_levels_refusal(const Situation& situation, const Parameters& with);

}  // namespace starling
