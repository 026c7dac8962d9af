// reduce:sequential: every rank sends its data straight to the root, which adds them up.
//
//      0
//   .--+--.                    counted from the root; with segments: one after the other, from all ranks
//   1  2  3

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/tree_sum.hpp"

namespace starling::reduce {
namespace {

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  return pipelined_up(team, sequential_tree(team));
}

}  // namespace

Algorithm sequential() {
  return {
      .collectives = {Collective::reduce},
      .name = "sequential",
      .says = "combines at the root what every rank sends it",
      .source = "Nishtala et al., sections 3.1 and 3.2; Hartmann et al., section 3.1: star",
      .group = "sequential",
      .parameters = {segment_parameter()},
      .reduction_order = "sequential",
      .counterparts = {{.ompi = "linear", .with = "segment=none"}},
      .latency = "(p-1) n alpha at the root with n segments",
      .bandwidth = "(p-1) m beta",
      .divide = segments,
      .works_in_place = false,
      .refuses = sequential_refusal,
      .scratch_blocks = scratch_of_pipelined_up,
      .build = build,
  };
}

}  // namespace starling::reduce
