// bcast:sequential: the root sends the data to every rank itself.
//
//      0
//   .--+--.                    counted from the root; with segments: one after the other, to all ranks
//   1  2  3

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/trees.hpp"

namespace starling::bcast {
namespace {

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  return pipelined_down(team, sequential_tree(team));
}

}  // namespace

Algorithm sequential() {
  return {
      .collectives = {Collective::bcast},
      .name = "sequential",
      .says = "sends from the root to every rank",
      .source = "Nishtala et al., sections 3.1 and 3.2; Hartmann et al., section 3.1: star",
      .group = "sequential",
      .parameters = {segment_parameter()},
      .counterparts = {{.ompi = "basic_linear", .with = "segment=none"}},
      .latency = "(p-1) n alpha at the root with n segments",
      .bandwidth = "(p-1) m beta",
      .divide = segments,
      .refuses = sequential_refusal,
      .build = build,
  };
}

}  // namespace starling::bcast
