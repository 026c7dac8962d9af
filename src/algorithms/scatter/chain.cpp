// scatter:chain: ranks scatter along a chain; with segments all of them are soon busy.
//
//   0 --- 1 --- 2 --- 3        counted from the root; rank 1 gets the blocks of 1, 2 and 3

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/forwarding.hpp"

namespace starling::scatter {
namespace {

Schedule build(const Team& team, const Parameters& /*segment: in the team*/) {
  return forwarded_down(team, chain_tree(team));
}

}  // namespace

Algorithm chain() {
  return {
      .collectives = {Collective::scatter, Collective::scatterv},
      .name = "chain",
      .says = "scatters down a chain of all ranks",
      .source = "Nishtala et al., section 3.1",
      .group = "chain",
      .parameters = {forwarded_segment_parameter()},
      .latency = "(p-1) alpha",
      .bandwidth = "p (p-1)/2 s beta; (p-1) s beta + (p-2) g beta with segments of g bytes",
      .divide = segments,
      .refuses = forwarded_refusal<chain_tree>,
      .scratch_blocks = forwarded_scratch<chain_tree>,
      .build = build,
  };
}

}  // namespace starling::scatter
