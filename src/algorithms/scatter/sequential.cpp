// scatter:sequential: the root sends every rank its block.
//
//      0          counted from the root; the messages of the root go side by side
//   .--+--.
//   1  2  3

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/forwarding.hpp"

namespace starling::scatter {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  return forwarded_down(team, sequential_tree(team), {{"packet", "none"}});
}

}  // namespace

Algorithm sequential() {
  return {
      .collectives = {Collective::scatter},
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

}  // namespace starling::scatter
