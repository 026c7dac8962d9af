// exscan:pipeline: every rank gets the sum of those before it, adds its own data and passes it on to the next; with
// segments all ranks are soon busy.
//
//            rank 0   rank 1   rank 2   rank 3        segments A, B; what has become its result
//   step 1   --       A.       ..       ..
//   step 2   --       AB       A.       ..
//   step 3   --       AB       AB       A.
//   step 4   --       AB       AB       AB            what it passes on has its own data added

#include "algorithms/shared/pipeline.hpp"

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/prefix.hpp"

namespace starling::exscan {
namespace {

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  return prefix_along_chain(team, Prefix::exclusive);
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  return situation.ranks > 2 ? segments(situation, with) : 0;
}

}  // namespace

Algorithm pipeline() {
  return {
      .collectives = {Collective::exscan},
      .name = "pipeline",
      .says = "passes segments of the sum along a chain of all ranks",
      .source = "Sanders and Träff 2006",
      .group = "chain",
      .parameters = {coarse_segment_parameter()},
      .reduction_order = "chain",
      .counterparts = {{.ompi = "linear", .with = "segment=none"}},
      .latency = "(p-2+n) alpha with n segments",
      .bandwidth = "(p-2+n)/n m beta with n segments",
      .divide = segments,
      .refuses = segment_refusal,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::exscan
