// allreduce:tree: segments are combined up a k-nomial tree, and each goes down again as soon as rank 0 has it, while
// the next ones still come up.
//
//   k = 2      rank 0          rank 1         rank 2         rank 3        segments A, B; lower case: partial sums
//   time 1                                    a from 3       a to 2
//   time 2     a from 1, 2     a to 0         a to 0, b in   b to 2
//   time 3     b from 1, 2     b to 0         b to 0
//              A to 1, 2       A from 0       A from 0
//   time 4     B to 1, 2       B from 0       B in, A to 3   A from 2
//   time 5                                    B to 3         B from 2

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/radix.hpp"
#include "algorithms/shared/up_and_down.hpp"

namespace starling::allreduce {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const int radix = static_cast<int>(with.number("k"));
  const TreePlace place = knomial_tree(team, radix);
  return up_and_down(team, place, knomial_height(team.size, radix), place);
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  return situation.ranks > 2 ? segments(situation, with).blocks : 0;
}

}  // namespace

Algorithm tree() {
  return {
      .collectives = {Collective::allreduce},
      .name = "tree",
      .says = "combines segments up a k-nomial tree, and sends each down again while the next come up",
      .source = "Nishtala et al., sections 3.1 and 3.2",
      .group = "tree",
      .parameters = {radix_parameter({"2", "4", "8"}, "radix of the tree", true), coarse_segment_parameter()},
      .reduction_order = "knomial",
      .counterparts = {{.mpich = "tree"}},
      .latency = "2 ceil(log_k p) (k-1) alpha",
      .bandwidth = "2 ceil(log_k p) (k-1) m beta",
      .divide = segments,
      .works_in_place = false,
      .refuses = radix_or_segment_refusal,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::allreduce
