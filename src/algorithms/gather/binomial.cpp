// gather:binomial: the blocks of a subtree travel together up a binomial tree, or packet by packet.
//
//   0 ------- 4                counted from the root; rank 4 passes up the blocks of 4, 5, 6 and 7
//   |--- 2    |--- 6
//   |    '- 3 |    '- 7
//   '- 1      '- 5

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/forwarding.hpp"

namespace starling::gather {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  return forwarded_up(team, binomial_tree(team), with);
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*any*/) {
  return scratch_of_forwarding(situation, binomial_tree);
}

}  // namespace

Algorithm binomial() {
  return {
      .collectives = {Collective::gather},
      .name = "binomial",
      .says = "gathers up a binomial tree, the blocks of a subtree together",
      .source = "Nishtala et al., section 3.1",
      .group = "binomial",
      .parameters = {packet_parameter()},
      .counterparts = {{.ompi = "binomial", .mpich = "binomial", .with = "packet=none"}},
      .latency = "ceil(log2 p) alpha",
      .bandwidth = "(p-1) s beta",
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::gather
