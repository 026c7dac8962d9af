// gather:sequential: every rank sends its block straight to the root.
//
//      0          counted from the root; the messages of all children go side by side
//   .--+--.
//   1  2  3

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/forwarding.hpp"

namespace starling::gather {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  return forwarded_up(team, sequential_tree(team), {{"packet", "none"}});
}

}  // namespace

Algorithm sequential() {
  return {
      .collectives = {Collective::gather},
      .name = "sequential",
      .says = "sends every block on its own between its rank and the root",
      .source = "Nishtala et al., section 3.1",
      .group = "sequential",
      .counterparts = {{.ompi = "linear"}},
      .latency = "(p-1) alpha at the root",
      .bandwidth = "(p-1) s beta",
      .build = build,
  };
}

}  // namespace starling::gather
