// gather:sequential: every rank sends its block straight to the root.
//
//      0          counted from the root; the messages of all children go side by side
//   .--+--.
//   1  2  3

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/forwarding.hpp"
#include "algorithms/shared/pipeline.hpp"

namespace starling::gather {
namespace {

Schedule build(const Team& team, const Parameters& /*segment: in the team*/) {
  return forwarded_up(team, sequential_tree(team));
}

}  // namespace

Algorithm sequential() {
  return {
      .collectives = {Collective::gather},
      .name = "sequential",
      .says = "sends every block on its own between its rank and the root",
      .source = "Nishtala et al., section 3.1; Hartmann et al., section 3.1: star",
      .group = "sequential",
      .parameters = {forwarded_segment_parameter()},
      .counterparts = {{.ompi = "linear", .with = "segment=none"}},
      .latency = "(p-1) n alpha at the root with blocks in n segments",
      .bandwidth = "(p-1) s beta",
      .divide = segments,
      .refuses = sequential_refusal,
      .build = build,
  };
}

}  // namespace starling::gather
