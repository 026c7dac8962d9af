// reduce:chain: every rank adds its data to what comes along the chain; with segments all ranks are soon busy.
//
//   0 <-- 1 <-- 2 <-- 3        counted from the root; with segments: each goes on while the next comes in

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/tree_sum.hpp"

namespace starling::reduce {
namespace {

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  return pipelined_up(team, chain_tree(team));
}

}  // namespace

Algorithm chain() {
  return {
      .collectives = {Collective::reduce},
      .name = "chain",
      .says = "combines segments along a chain of all ranks",
      .source = "Nishtala et al., sections 3.1 and 3.2",
      .group = "chain",
      .needs = {.commutative = true},
      .parameters = {segment_parameter()},
      .reduction_order = "chain",
      .counterparts = {{.ompi = "pipeline"}},
      .latency = "(p-2+n) alpha with n segments",
      .bandwidth = "(p-2+n)/n m beta with n segments",
      .divide = segments,
      .works_in_place = false,
      .refuses = segment_refusal,
      .scratch_blocks = scratch_of_pipelined_up,
      .build = build,
  };
}

}  // namespace starling::reduce
