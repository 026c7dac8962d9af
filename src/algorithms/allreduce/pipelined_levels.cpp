// allreduce:pipelined_levels: segments are combined up a tree of each node and of one rank of each node, and each goes
// down again as soon as rank 0 has it, while the next ones still come up.
//
//   nodes  0 1 | 2 3      rank 0             rank 1       rank 2             rank 3        lower case: partial sums
//   time 1                                                a from 3           a to 2
//   time 2                a from 1, 2        a to 0       a to 0, b from 3   b to 2
//   time 3                b from 1, 2        b to 0       b to 0
//                         A to 1, 2          A from 0     A from 0
//   time 4                B to 1, 2          B from 0     B in, A to 3       A from 2
//   time 5                                                B to 3             B from 2

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/level_tree.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/tree_sum.hpp"
#include "algorithms/shared/two_level.hpp"

namespace starling::allreduce {
namespace {

/// No rank combines more than two vectors, its own and another.
constexpr std::string_view in_memory = "chain";

Schedule build(const Team& team, const Parameters& with) {
  const auto [place, depth, height] = level_tree(team, with, in_memory);
  return within_nodes(pipelined_up_and_down(team, place, depth, height), team, with);
}

/// Whether some rank has more than one child. A tree that is one chain needs no scratch.
bool branches(const Places& places, const Parameters& with) {
  const int last = places.nodes() - 1;
  for (int node = 0; node < last; ++node)
    if (places.on_node(node).size() > 1) return true;
  return (with.text("outer") != "chain" && last > 1) ||
         (with.text("inner") != "shared" && places.on_node(last).size() > 2);
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr || !branches(*situation.places, with)) return 0;
  return segments(situation, with).blocks;
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
      .bandwidth = "m beta between nodes in each direction and within them at the same time, with many segments",
      .divide = segments,
      .works_in_place = false,
      .refuses = pipelined_levels_refusal,
      .scratch_blocks = scratch_blocks,
      .shares_memory = inner_shares_memory,
      .build = build,
  };
}

}  // namespace starling::allreduce
