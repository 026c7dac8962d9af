// reduce:binary: sums come up a binary tree to the root.
//
//        0                     counted from the root; rank 0 adds 1 and 4, rank 1 adds 2 and 3
//      .-'-.
//      1   4                   with segments: each goes up while the next comes in
//     / \   \                  a subtree is a run of ranks
//    2   3   5

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/tree_sum.hpp"

namespace starling::reduce {
namespace {

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  return pipelined_up(team, binary_tree(team));
}

}  // namespace

Algorithm binary() {
  return {
      .collectives = {Collective::reduce},
      .name = "binary",
      .says = "combines up a binary tree, segments one after the other",
      .source = "Nishtala et al., sections 3.1 and 3.2",
      .group = "binary",
      .needs = {.commutative = true},
      .parameters = {segment_parameter()},
      .reduction_order = "binary",
      .counterparts = {{.ompi = "binary"}},
      .latency = "(2 floor(log2 p) + 2(n-1)) alpha with n segments",
      .bandwidth = "2 m beta with many segments",
      .divide = segments,
      .works_in_place = false,
      .refuses = segment_refusal,
      .scratch_blocks = scratch_of_pipelined_up,
      .build = build,
  };
}

}  // namespace starling::reduce
