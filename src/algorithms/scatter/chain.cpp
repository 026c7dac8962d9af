// scatter:chain: ranks scatter along a chain; with packets all of them are soon busy.
//
//   0 --- 1 --- 2 --- 3        counted from the root; rank 1 gets the blocks of 1, 2 and 3

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/forwarding.hpp"

namespace starling::scatter {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  return forwarded_down(team, chain_tree(team), with);
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*any*/) {
  return scratch_of_forwarding(situation, chain_tree);
}

}  // namespace

Algorithm chain() {
  return {
      .collectives = {Collective::scatter},
      .name = "chain",
      .says = "scatters down a chain of all ranks",
      .source = "Nishtala et al., section 3.1",
      .group = "chain",
      .parameters = {packet_parameter()},
      .latency = "(p-1) alpha",
      .bandwidth = "p (p-1)/2 s beta; (2p-3) s beta with packets of one block",
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::scatter
