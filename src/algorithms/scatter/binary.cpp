// scatter:binary: the blocks of a subtree travel together down a binary tree, or segment by segment.
//
//        0                     counted from the root; rank 1 gets the blocks of 1, 2 and 3
//      .-'-.
//      1   4
//     / \   \                  a subtree is a run of ranks, so that its blocks lie together
//    2   3   5

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/forwarding.hpp"

namespace starling::scatter {
namespace {

Schedule build(const Team& team, const Parameters& /*segment: in the team*/) {
  return forwarded_down(team, binary_tree(team));
}

}  // namespace

Algorithm binary() {
  return {
      .collectives = {Collective::scatter, Collective::scatterv},
      .name = "binary",
      .says = "scatters down a binary tree, the blocks of a subtree together",
      .source = "Nishtala et al., section 3.1",
      .group = "binary",
      .parameters = {forwarded_segment_parameter()},
      .latency = "floor(log2 p) alpha",
      .bandwidth = "about 2 (p-1) s beta",
      .divide = segments,
      .refuses = forwarded_refusal<binary_tree>,
      .scratch_blocks = forwarded_scratch<binary_tree>,
      .build = build,
  };
}

}  // namespace starling::scatter
