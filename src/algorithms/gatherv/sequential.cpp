// gatherv:sequential: every rank sends its block straight to the root, which alone knows how large the others' are.
//
//      0          counted from the root; the messages of all children go side by side
//   .--+--.
//   1  2  3

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/forwarding.hpp"

namespace starling::gatherv {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  return forwarded_up(team, sequential_tree(team));
}

}  // namespace

Algorithm sequential() {
  return {
      .collectives = {Collective::gatherv},
      .name = "sequential",
      .says = "sends every block on its own from its rank to the root",
      .source = "the sequential tree of Nishtala et al., section 3.1",
      .group = "sequential",
      .counterparts = {{.mpich = "linear"}},
      .latency = "(p-1) alpha at the root",
      .bandwidth = "the bytes of all blocks but the root's, times beta",
      .build = build,
  };
}

}  // namespace starling::gatherv
