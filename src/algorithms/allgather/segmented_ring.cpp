// allgather:segmented_ring: the ring, with each block in segments: short messages that need no answer first.
//
//   2 segments   rank 0 sends, gets   rank 1 sends, gets   rank 2 sends, gets
//   step 1       A A'   C C'          B B'   A A'          C C'   B B'
//   step 2       C C'   B B'          A A'   C C'          B B'   A A'

#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/segmented_passing.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  return pass_segments_around(team, [&](int place) { return team.wrap(team.rank + place); });
}

}  // namespace

Algorithm segmented_ring() {
  return {
      .collectives = {Collective::allgather},
      .name = "segmented_ring",
      .says = "passes blocks around a ring, one hop a step, each in segments",
      .source = "Thakur, Rabenseifner and Gropp 2005, section 4.1, with segments as in Patarasuk and Yuan 2009",
      .group = "segmented",
      .parameters = {short_message_parameter()},
      .latency = "(p-1) n alpha with n segments",
      .bandwidth = "(p-1) s beta",
      .divide = segments,
      .refuses = short_message_refusal,
      .build = build,
  };
}

}  // namespace starling::allgather
