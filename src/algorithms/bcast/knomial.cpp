// bcast:knomial: sends down a k-nomial tree: fewer levels than the binomial one, more children each.
//
//   k = 4    0 --> 4        rank 0 sends to 4, 3, 2, 1; rank 4 to 7, 6, 5; counted from the root
//            |- 3  |- 7
//            |- 2  |- 6     with segments: each goes down while the next comes in
//            '- 1  '- 5

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/radix.hpp"
#include "algorithms/shared/trees.hpp"

namespace starling::bcast {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  return pipelined_down(team, knomial_tree(team, static_cast<int>(with.number("k"))));
}

}  // namespace

Algorithm knomial() {
  return {
      .collectives = {Collective::bcast},
      .name = "knomial",
      .says = "sends down a k-nomial tree, segments one after the other",
      .source = "Moody, Fernandez, Petrini and Panda 2003",
      .group = "knomial",
      .parameters = {radix_parameter({"4", "8", "16"}, "radix of the tree"), coarse_segment_parameter()},
      .counterparts = {{.ompi = "knomial", .mpich = "tree", .ucc = "knomial"}},
      .latency = "ceil(log_k p) (k-1) alpha",
      .bandwidth = "ceil(log_k p) (k-1) m beta",
      .divide = segments,
      .refuses = radix_or_segment_refusal,
      .build = build,
  };
}

}  // namespace starling::bcast
