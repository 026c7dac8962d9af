// alltoall:segmented_simple: as simple, with each block in segments: short messages that need no answer first.
//
//   2 segments   rank 0          rank 1          rank 2
//   posts        ->1 ->1 ->2 ->2 ->2 ->2 ->0 ->0 ->0 ->0 ->1 ->1

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"

namespace starling::alltoall {
namespace {

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  const int parts = team.parts();
  Schedule todo(team.blocks());
  Round& all = todo.round();
  for (int step = 1; step < team.size; ++step)
    for (int part = 0; part < parts; ++part) all.receive(recvbuf(team.part_of(team.left(step), part)), team.left(step));
  for (int step = 1; step < team.size; ++step)
    for (int part = 0; part < parts; ++part) all.send(sendbuf(team.part_of(team.right(step), part)), team.right(step));
  const int own = team.part_of(team.rank, 0);
  all.copy(sendbuf(own, parts), recvbuf(own, parts));
  return todo;
}

}  // namespace

Algorithm segmented_simple() {
  return {
      .collectives = {Collective::alltoall},
      .name = "segmented_simple",
      .says = "posts all messages at once, each block in segments",
      .source = "STAR-MPI, section 3.1, with segments as in Pjesivac-Grbovic et al. 2007",
      .group = "segmented",
      .parameters = {short_message_parameter()},
      .latency = "(p-1) n alpha with n segments, all at once",
      .bandwidth = "(p-1) s beta",
      .divide = segments,
      .works_in_place = false,
      .refuses = short_message_refusal,
      .build = build,
  };
}

}  // namespace starling::alltoall
