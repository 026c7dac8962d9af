// reduce:binomial: sums come up a binomial tree to the root; every rank adds its children's sums to its own data.
//
//   0 <------ 4        rank 4 adds 5, then 6 with 7; the root adds 1, then 2 with 3, then 4 to 7; counted from the root
//   |<-- 2    |<-- 6
//   |    '- 3 |    '- 7        with segments: each goes up while the next comes in
//   '- 1      '- 5

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/tree_sum.hpp"

namespace starling::reduce {
namespace {

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  return pipelined_up(team, binomial_tree(team));
}

}  // namespace

Algorithm binomial() {
  return {
      .collectives = {Collective::reduce},
      .name = "binomial",
      .says = "combines up a binomial tree, segments one after the other",
      .source = "Nishtala et al., sections 3.1 and 3.2; Hartmann et al., section 3.1: binomial tree",
      .group = "binomial",
      .needs = {.commutative = true},
      .parameters = {segment_parameter()},
      .reduction_order = "binomial",
      .counterparts = {{.ompi = "binomial", .mpich = "binomial", .ucc = "knomial", .with = "segment=none"}},
      .latency = "ceil(log2 p) alpha; alpha more for every further segment",
      .bandwidth = "ceil(log2 p) m beta",
      .divide = segments,
      .works_in_place = false,
      .refuses = segment_refusal,
      .scratch_blocks = scratch_of_pipelined_up,
      .build = build,
  };
}

}  // namespace starling::reduce
