// allgather:simple: every rank posts all of its receives and sends at once, and waits for all of them.
//
//            rank 0        rank 1        rank 2        rank 3
//   posts    ->1 ->2 ->3   ->2 ->3 ->0   ->3 ->0 ->1   ->0 ->1 ->2

#include "algorithms/algorithm.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  Round& all = todo.round();
  for (int step = 1; step < team.size; ++step) all.receive(recvbuf(team.left(step)), team.left(step));
  for (int step = 1; step < team.size; ++step) all.send(sendbuf(0), team.right(step));
  all.copy(sendbuf(0), recvbuf(team.rank));
  return todo;
}

}  // namespace

Algorithm simple() {
  return {
      .collectives = {Collective::allgather, Collective::allgatherv},
      .name = "simple",
      .says = "sends its block to every other rank, all messages at once",
      .source = "STAR-MPI, section 3.1",
      .group = "simple",
      .counterparts = {{.ucc = "linear"}},
      .latency = "(p-1) alpha, all at once",
      .bandwidth = "(p-1) s beta",
      .build = build,
  };
}

}  // namespace starling::allgather
