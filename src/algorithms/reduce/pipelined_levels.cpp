// reduce:pipelined_levels: segments are combined up a tree of each node to its first rank, and from there up a tree of
// these first ranks: a node combines a segment while the one before it goes to the next node.
//
//   nodes  0 1 | 2 3      rank 0             rank 1    rank 2             rank 3        segments A, B
//   time 1                                             A from 3           A to 2
//   time 2                A from 1, 2        A to 0    A to 0, B from 3   B to 2
//   time 3                B from 1, 2        B to 0    B to 0

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/level_tree.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/tree_sum.hpp"
#include "algorithms/shared/two_level.hpp"

namespace starling::reduce {
namespace {

/// No rank combines more than two vectors, its own and another.
constexpr std::string_view in_memory = "chain";

Schedule build(const Team& team, const Parameters& with) {
  return within_nodes(pipelined_up(team, level_tree(team, with, in_memory)), team, with);
}

}  // namespace

Algorithm pipelined_levels() {
  return {
      .collectives = {Collective::reduce},
      .name = "pipelined_levels",
      .says =
          "combines segments in each node and then across the nodes, each while the next ones are combined in nodes",
      .source = "Graham and Shipman 2008; Luo et al. 2020 (HAN)",
      .group = "pipelined_levels",
      .needs = {.commutative = true},
      .parameters = pipelined_levels_parameters(),
      .reduction_order = "pipelined_levels",
      .latency = "(h + n) alpha with n segments and trees of h levels together",
      .bandwidth = "m beta between nodes and within them at the same time, with many segments and chains",
      .divide = segments,
      .works_in_place = false,
      .refuses = pipelined_levels_refusal,
      .scratch_blocks = scratch_of_pipelined_up,
      .shares_memory = inner_shares_memory,
      .build = build,
  };
}

}  // namespace starling::reduce
