// scatterv:sequential: the root, which alone knows how large all blocks are, sends every rank its own.
//
//      0          counted from the root; the messages to all children go side by side
//   .--+--.
//   1  2  3

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/forwarding.hpp"

namespace starling::scatterv {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  return forwarded_down(team, sequential_tree(team));
}

}  // namespace

Algorithm sequential() {
  return {
      .collectives = {Collective::scatterv},
      .name = "sequential",
      .says = "sends every block on its own from the root to its rank",
      .source = "the sequential tree of Nishtala et al., section 3.1",
      .group = "sequential",
      .counterparts = {{.mpich = "linear"}},
      .latency = "(p-1) alpha at the root",
      .bandwidth = "the bytes of all blocks but the root's, times beta",
      .build = build,
  };
}

}  // namespace starling::scatterv
