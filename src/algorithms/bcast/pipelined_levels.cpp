// bcast:pipelined_levels: segments go down a tree of one rank of each node, and from each of these down a tree of its
// node: a segment goes on to the ranks of the node while the next one comes to it.
//
//   nodes  0 1 | 2 3      rank 0           rank 1    rank 2               rank 3        segments A, B
//   time 1                A to 2, 1        A in      A in
//   time 2                B to 2, 1        B in      B in, A to 3         A in
//   time 3                                           B to 3               B in

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/level_tree.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/two_level.hpp"

namespace starling::bcast {
namespace {

/// One publication is for all ranks of a node.
constexpr std::string_view in_memory = "sequential";

Schedule build(const Team& team, const Parameters& with) {
  return within_nodes(pipelined_down(team, level_tree(team, with, in_memory)), team, with);
}

}  // namespace

Algorithm pipelined_levels() {
  return {
      .collectives = {Collective::bcast},
      .name = "pipelined_levels",
      .says = "sends segments to one rank of each node, which passes each on in its node while the next one comes",
      .source = "Graham and Shipman 2008; Luo et al. 2020 (HAN)",
      .group = "pipelined_levels",
      .parameters = pipelined_levels_parameters(),
      .latency = "(h + n) alpha with n segments and trees of h levels together",
      .bandwidth = "m beta between nodes and within them at the same time, with many segments and chains",
      .divide = segments,
      .refuses = pipelined_levels_refusal,
      .shares_memory = inner_shares_memory,
      .build = build,
  };
}

}  // namespace starling::bcast
