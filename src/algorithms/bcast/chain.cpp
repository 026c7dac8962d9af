// bcast:chain: every rank passes the data on to the next; with segments all ranks are soon busy.
//
//            rank 0   rank 1   rank 2   rank 3        segments A, B, C; counted from the root
//   start    ABC      ...      ...      ...
//   step 1   ABC      A..      ...      ...
//   step 2   ABC      AB.      A..      ...
//   step 3   ABC      ABC      AB.      A..
//   step 4   ABC      ABC      ABC      AB.
//   step 5   ABC      ABC      ABC      ABC

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/trees.hpp"

namespace starling::bcast {
namespace {

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  return pipelined_down(team, chain_tree(team));
}

}  // namespace

Algorithm chain() {
  return {
      .collectives = {Collective::bcast},
      .name = "chain",
      .says = "passes segments along a chain of all ranks",
      .source = "Nishtala et al., sections 3.1 and 3.2",
      .group = "chain",
      .parameters = {segment_parameter()},
      .counterparts = {{.ompi = "pipeline"}},
      .latency = "(p-2+n) alpha with n segments",
      .bandwidth = "(p-2+n)/n m beta with n segments",
      .divide = segments,
      .refuses = segment_refusal,
      .build = build,
  };
}

}  // namespace starling::bcast
