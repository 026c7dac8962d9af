// bcast:binomial: the ranks that have the data send it to ranks that have not; the longer the way down, the earlier.
//
//   0 ------- 4        rank 0 sends to 4, 2, 1; rank 4 to 6, 5; ranks 2 and 6 to 3 and 7; counted from the root
//   |--- 2    |--- 6
//   |    '- 3 |    '- 7        with segments: each goes down while the next comes in
//   '- 1      '- 5

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/trees.hpp"

namespace starling::bcast {
namespace {

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  return pipelined_down(team, binomial_tree(team));
}

}  // namespace

Algorithm binomial() {
  return {
      .collectives = {Collective::bcast},
      .name = "binomial",
      .says = "sends down a binomial tree, segments one after the other",
      .source = "Nishtala et al., sections 3.1 and 3.2; Hartmann et al., section 3.1: binomial tree",
      .group = "binomial",
      .parameters = {segment_parameter()},
      .counterparts = {{.ompi = "binomial", .mpich = "binomial", .ucc = "knomial", .with = "segment=none"}},
      .latency = "ceil(log2 p) alpha; alpha more for every further segment",
      .bandwidth = "ceil(log2 p) m beta",
      .divide = segments,
      .refuses = segment_refusal,
      .build = build,
  };
}

}  // namespace starling::bcast
