// gather:binomial: the blocks of a subtree travel together up a binomial tree, or segment by segment.
//
//   0 ------- 4                counted from the root; rank 4 passes up the blocks of 4, 5, 6 and 7
//   |--- 2    |--- 6
//   |    '- 3 |    '- 7
//   '- 1      '- 5

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/forwarding.hpp"

namespace starling::gather {
namespace {

Schedule build(const Team& team, const Parameters& /*segment: in the team*/) {
  return forwarded_up(team, binomial_tree(team));
}

}  // namespace

Algorithm binomial() {
  return {
      .collectives = {Collective::gather, Collective::gatherv},
      .name = "binomial",
      .says = "gathers up a binomial tree, the blocks of a subtree together",
      .source = "Nishtala et al., section 3.1; Hartmann et al., section 3.1: binomial tree",
      .group = "binomial",
      .parameters = {forwarded_segment_parameter()},
      .counterparts = {{.ompi = "binomial", .mpich = "binomial", .with = "segment=none"}},
      .latency = "ceil(log2 p) alpha",
      .bandwidth = "(p-1) s beta",
      .divide = segments,
      .refuses = forwarded_refusal<binomial_tree>,
      .scratch_blocks = forwarded_scratch<binomial_tree>,
      .build = build,
  };
}

}  // namespace starling::gather
