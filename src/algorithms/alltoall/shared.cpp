// alltoall:shared: every rank publishes each block for its receiver, in memory that the ranks of a node share, its
// right neighbour's first, and copies what others publish for it, its left neighbour's first.
//
//              rank 0        rank 1        rank 2        rank 3
//   publishes  ->1 ->2 ->3   ->2 ->3 ->0   ->3 ->0 ->1   ->0 ->1 ->2

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/copies.hpp"
#include "algorithms/shared/node_memory.hpp"

namespace starling::alltoall {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  Schedule todo(team.blocks());
  Round& all = todo.round();
  for (int step = 1; step < team.size; ++step)
    all.publish(sendbuf(team.right(step)), {team.right(step)}, copies_once(with))
        .take(recvbuf(team.left(step)), team.left(step));
  all.copy(sendbuf(team.rank), recvbuf(team.rank));
  return todo;
}

}  // namespace

Algorithm shared() {
  return {
      .collectives = {Collective::alltoall, Collective::alltoallv, Collective::alltoallw},
      .name = "shared",
      .says = "publishes each block for its receiver in memory that ranks of a node share",
      .source = "Graham and Shipman 2008",
      .group = "shared",
      .needs = {.one_node = true},
      .parameters = {copies_parameter()},
      .latency = "(p-1) alpha of shared memory",
      .bandwidth = "(p-1) s beta of a copy, into memory and out of it at once",
      .works_in_place = false,
      .refuses = copies_refusal,
      .shares_memory = always_shares,
      .build = build,
  };
}

}  // namespace starling::alltoall
