// alltoall:pairwise_replace: works in the receive buffer: pairs of ranks replace each other's blocks, with one block of
// scratch. In step i ranks j and i - j (modulo p) are a pair; a rank that is its own partner rests.
//
//            rank 0   rank 1   rank 2   rank 3
//   step 0   rests    <-> 3    rests    <-> 1
//   step 1   <-> 1    <-> 0    <-> 3    <-> 2
//   step 2   <-> 2    rests    <-> 0    rests
//   step 3   <-> 3    <-> 2    <-> 1    <-> 0

#include "algorithms/algorithm.hpp"

namespace starling::alltoall {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  todo.copy(sendbuf(0, team.size), recvbuf(0, team.size));
  if (team.size == 1) return todo;
  const Blocks arrived = at(todo.add_scratch(1), 0);
  for (int step = 0; step < team.size; ++step) {
    const int peer = team.wrap(step - team.rank);
    if (peer == team.rank) continue;
    todo.round().receive(arrived, peer).send(recvbuf(peer), peer).copy(arrived, recvbuf(peer));
  }
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*none*/) {
  return situation.ranks > 1 ? 1 : 0;
}

}  // namespace

Algorithm pairwise_replace() {
  return {
      .collectives = {Collective::alltoall},
      .name = "pairwise_replace",
      .says = "replaces blocks in the receive buffer, with one partner a step and one block of scratch",
      .source = "MPI 4.1, section 6.8 (in place); round-robin pairing",
      .group = "ring",
      .counterparts = {{.mpich = "pairwise_sendrecv_replace"}},
      .latency = "p alpha",
      .bandwidth = "(p-1) s beta",
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::alltoall
