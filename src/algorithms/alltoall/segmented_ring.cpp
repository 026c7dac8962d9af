// alltoall:segmented_ring: as ring, each block in segments; beside the last one of a step each rank tells where its
// next block will come from that it may be sent, so that steps stay apart and no link waits between them.
//
//   3 segments         rank 0                rank 1                rank 2        ...   of 4 ranks
//   step 1             -> 1 -> 1             -> 2 -> 2             -> 3 -> 3
//     and its last     "ready" -> 2, -> 1    "ready" -> 3, -> 2    "ready" -> 0, -> 3
//   step 2             -> 2 -> 2             -> 3 -> 3             -> 0 -> 0
//     and its last     "ready" -> 1, -> 2    "ready" -> 2, -> 3    "ready" -> 3, -> 0
//   step 3             -> 3 -> 3 -> 3        -> 0 -> 0 -> 0        -> 1 -> 1 -> 1

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"

namespace starling::alltoall {
namespace {

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  const int parts = team.parts();
  const int own = team.part_of(team.rank, 0);
  Schedule todo(team.blocks());
  todo.copy(sendbuf(own, parts), recvbuf(own, parts));
  for (int step = 1; step < team.size; ++step) {
    const int source = team.left(step);
    const int target = team.right(step);
    const auto pass = [&](Round& round, int part) {
      round.receive(recvbuf(team.part_of(source, part)), source).send(sendbuf(team.part_of(target, part)), target);
    };
    const bool is_last = step == team.size - 1;
    Round& first = todo.round();
    for (int part = 0; part < (is_last ? parts : parts - 1); ++part) pass(first, part);
    if (is_last) break;
    Round& handover = todo.round();
    // Behind the segment the word would have to wait for it on the link.
    handover.receive(nothing(), team.right(step + 1)).send(nothing(), team.left(step + 1));
    pass(handover, parts - 1);
  }
  return todo;
}

}  // namespace

Algorithm segmented_ring() {
  return {
      .collectives = {Collective::alltoall},
      .name = "segmented_ring",
      .says = "ring with each block in segments, the last of which lets the next step begin",
      .source = "this project; STAR-MPI's ring with light barriers (section 3.1), which here cost no time of their own",
      .group = "segmented",
      .parameters = {short_message_parameter()},
      .latency = "(p-1) n alpha with n segments, two rounds a step",
      .bandwidth = "(p-1) s beta",
      .divide = segments,
      .works_in_place = false,
      .refuses = short_message_refusal,
      .build = build,
  };
}

}  // namespace starling::alltoall
