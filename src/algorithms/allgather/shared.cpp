// allgather:shared: every rank publishes its block once, in memory that the ranks of a node share, and copies those of
// all others, in one order on all ranks.
//
//            rank 0   rank 1   rank 2   rank 3
//   start    A...     .B..     ..C.     ...D
//   step 1   ABCD     ABCD     ABCD     ABCD

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/copies.hpp"
#include "algorithms/shared/node_memory.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  Schedule todo(team.blocks());
  Round& all = todo.round();
  if (team.size > 1) all.publish(sendbuf(0), all_others(team), copies_once(with));
  // In one order on all ranks: a block is taken by all at the same time.
  for (int peer = 0; peer < team.size; ++peer)
    if (peer != team.rank) all.take(recvbuf(peer), peer);
  all.copy(sendbuf(0), recvbuf(team.rank));
  return todo;
}

}  // namespace

Algorithm shared() {
  return {
      .collectives = {Collective::allgather, Collective::allgatherv},
      .name = "shared",
      .says = "publishes every block in memory that ranks of a node share, and copies those of all others",
      .source = "Graham and Shipman 2008",
      .group = "shared",
      .needs = {.one_node = true},
      .parameters = {copies_parameter()},
      .latency = "(p-1) alpha of shared memory",
      .bandwidth = "p s beta of a copy",
      .refuses = copies_refusal,
      .shares_memory = always_shares,
      .build = build,
  };
}

}  // namespace starling::allgather
