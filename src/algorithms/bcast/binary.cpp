// bcast:binary: every rank passes the data on to at most two others.
//
//        0                     counted from the root; rank 0 sends to 1 and 4, rank 1 sends to 2 and 3
//      .-'-.
//      1   4                   with segments: each goes down while the next comes in
//     / \   \                  a subtree is a run of ranks
//    2   3   5

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/trees.hpp"

namespace starling::bcast {
namespace {

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  return pipelined_down(team, binary_tree(team));
}

}  // namespace

Algorithm binary() {
  return {
      .collectives = {Collective::bcast},
      .name = "binary",
      .says = "sends down a binary tree, segments one after the other",
      .source = "Nishtala et al., sections 3.1 and 3.2",
      .group = "binary",
      .parameters = {segment_parameter()},
      .counterparts = {{.ompi = "binary_tree"}},
      .latency = "(2 floor(log2 p) + 2(n-1)) alpha with n segments",
      .bandwidth = "2 m beta with many segments",
      .divide = segments,
      .refuses = segment_refusal,
      .build = build,
  };
}

}  // namespace starling::bcast
