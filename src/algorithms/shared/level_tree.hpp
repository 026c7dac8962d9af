#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/trees.hpp"

namespace starling {

/// A rank's place in a tree on two levels: a tree of the nodes' leaders (TwoLevels), and below each leader a tree of
/// the other ranks of its node. The parameters `outer` and `inner` name them. Where the latter is no tree it tells how
/// a node's ranks meet: `shared`, in memory that they share, by a tree of the kind `in_memory`; `domains`, on two
/// levels themselves, domains and the node, both by such trees.
TreePlace level_tree(const Team& team, const Parameters& with, std::string_view in_memory);

/// Levels below the root of such a tree, at most.
int level_tree_height(const Team& team, const Parameters& with, std::string_view in_memory);

/// What a rank does by messages, in memory instead where `inner` says so and the other rank is on its node. A round
/// with messages of both kinds becomes two.
Schedule within_nodes(Schedule by_messages, const Team& team, const Parameters& with);

/// The parameters `inner`, `outer` and `segment` of algorithms whose segments go from one level on to the next.
std::vector<Parameter> pipelined_levels_parameters();
/// What such an algorithm refuses.
std::string pipelined_levels_refusal(const Situation& situation, const Parameters& with);

}  // namespace starling
