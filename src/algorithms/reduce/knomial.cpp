// reduce:knomial: sums come up a k-nomial tree: fewer levels than in the binomial one, more children each.
//
//   k = 4    0 <-- 4        rank 4 adds 5, 6, 7; the root adds 1, 2, 3, then 4 to 7; counted from the root
//            |- 1  |- 5
//            |- 2  |- 6     with segments: each goes up while the next comes in
//            '- 3  '- 7

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/radix.hpp"
#include "algorithms/shared/tree_sum.hpp"

namespace starling::reduce {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  return pipelined_up(team, knomial_tree(team, static_cast<int>(with.number("k"))));
}

}  // namespace

Algorithm knomial() {
  return {
      .collectives = {Collective::reduce},
      .name = "knomial",
      .says = "combines up a k-nomial tree, segments one after the other",
      .source = "Moody, Fernandez, Petrini and Panda 2003",
      .group = "knomial",
      .needs = {.commutative = true},
      .parameters = {radix_parameter({"4", "8", "16"}, "radix of the tree", true), coarse_segment_parameter()},
      .reduction_order = "knomial",
      .counterparts = {{.ompi = "knomial", .ucc = "knomial"}},
      .latency = "ceil(log_k p) (k-1) alpha",
      .bandwidth = "ceil(log_k p) (k-1) m beta",
      .divide = segments,
      .works_in_place = false,
      .refuses = radix_or_segment_refusal,
      .scratch_blocks = scratch_of_pipelined_up,
      .build = build,
  };
}

}  // namespace starling::reduce
