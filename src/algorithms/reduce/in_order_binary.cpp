// reduce:in_order_binary: a binary tree with the ranks before a node in its left subtree and the ranks after it in its
// right one, so that the order of ranks is kept, whatever rank is the root.
//
//            3                rank 3 is the root here
//        .---'---.
//        1       5            1: 0 + 1 + 2
//       / \     / \           3: (0 to 2) + 3 + (4 to 7)
//      0   2   4   6
//                   \         with segments: each goes up while the next comes in
//                    7

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/tree_sum.hpp"

namespace starling::reduce {
namespace {

/// The place of `rank` in the tree over ranks first, ..., end - 1 with `top` on top.
TreePlace place_of(int rank, int top, int first, int end) {
  TreePlace place;
  const auto middle = [](int from, int to) { return from + ((to - from - 1) / 2); };
  while (top != rank) {
    place.parent = top;
    (rank < top ? end : first) = rank < top ? top : top + 1;
    top = middle(first, end);
  }
  if (first < top) place.children.push_back(middle(first, top));
  if (top + 1 < end) place.children.push_back(middle(top + 1, end));
  return place;
}

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  return pipelined_up(team, place_of(team.rank, team.root, 0, team.size));
}

}  // namespace

Algorithm in_order_binary() {
  return {
      .collectives = {Collective::reduce},
      .name = "in_order_binary",
      .says = "combines up a binary tree that keeps the order of ranks",
      .source = "Pjesivac-Grbovic et al. 2007",
      .group = "binary",
      .parameters = {coarse_segment_parameter()},
      .reduction_order = "in_order_binary",
      .counterparts = {{.ompi = "in-order_binary"}},
      .latency = "2 (ceil(log2 p) + 1) alpha; 2 alpha more for every further segment",
      .bandwidth = "2 (ceil(log2 p) + 1) m beta; 2 m beta with many segments",
      .divide = segments,
      .works_in_place = false,
      .refuses = segment_refusal,
      .scratch_blocks = scratch_of_pipelined_up,
      .build = build,
  };
}

}  // namespace starling::reduce
