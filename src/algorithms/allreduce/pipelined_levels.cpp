// allreduce:pipelined_levels: segments are combined up a tree of each node to its first rank, and from there up a tree
// of these first ranks; each goes down the same way as soon as rank 0 has it, while the next ones still come up.
//
//   nodes  0 1 | 2 3      rank 0           rank 1         rank 2           rank 3     segments A, B; lower case: sums
//   time 1                                                a from 3         a to 2
//   time 2                a from 1, 2      a to 0         a to 0, b in     b to 2
//   time 3                b from 1, 2      b to 0         b to 0
//                         A to 2, 1        A from 0       A from 0
//   time 4                B to 2, 1        B from 0       B in, A to 3     A from 2
//   time 5                                                B to 3           B from 2

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/level_tree.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/two_level.hpp"
#include "algorithms/shared/up_and_down.hpp"

namespace starling::allreduce {
namespace {

/// In memory, in each domain or node, no rank combines more than its own vector with another, and one publication is
/// for all of its ranks.
constexpr std::string_view up = "chain";
constexpr std::string_view down = "sequential";

Schedule build(const Team& team, const Parameters& with) {
  return within_nodes(
      up_and_down(team, level_tree(team, with, up), level_tree_height(team, with, up), level_tree(team, with, down)),
      team, with);
}

/// None where each rank has one other to combine with, as along a chain of nodes of which the last one has two ranks.
std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (!pipelined_levels_refusal(situation, with).empty()) return 1;
  for (int rank = 0; rank < situation.ranks; ++rank) {
    const TreePlace place = level_tree({.size = situation.ranks, .rank = rank, .places = situation.places}, with, up);
    if (place.children.size() > 1) return segments(situation, with).blocks;
  }
  return 0;
}

}  // namespace

Algorithm pipelined_levels() {
  return {
      .collectives = {Collective::allreduce},
      .name = "pipelined_levels",
      .says = "combines segments in each node and then across the nodes, and sends each back while the next ones come",
      .source = "Graham and Shipman 2008; Luo et al. 2020 (HAN)",
      .group = "pipelined_levels",
      .needs = {.commutative = true},
      .parameters = pipelined_levels_parameters(),
      .reduction_order = "pipelined_levels",
      .latency = "(2 h + n) alpha with n segments and trees of h levels together",
      .bandwidth = "2 m beta between nodes and within them at the same time, with many segments and chains",
      .divide = segments,
      .works_in_place = false,
      .refuses = pipelined_levels_refusal,
      .scratch_blocks = scratch_blocks,
      .shares_memory = inner_shares_memory,
      .build = build,
  };
}

}  // namespace starling::allreduce
