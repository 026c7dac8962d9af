// gather:shared: every rank publishes its block for the root, in memory that the ranks of a node share, and the root
// copies all of them.
//
//            rank 0   rank 1   rank 2   rank 3
//   start    A        B        C        D
//   step 1   ABCD

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/copies.hpp"

namespace starling::gather {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  Schedule todo(team.blocks());
  Round& all = todo.round();
  if (team.rank != team.root) {
    all.publish(sendbuf(0), {team.root}, copies_once(with));
    return todo;
  }
  for (int step = 1; step < team.size; ++step) all.take(recvbuf(team.right(step)), team.right(step));
  all.copy(sendbuf(0), recvbuf(team.rank));
  return todo;
}

}  // namespace

Algorithm shared() {
  return {
      .collectives = {Collective::gather, Collective::gatherv},
      .name = "shared",
      .says = "publishes every block for the root in memory that ranks of a node share",
      .source = "Graham and Shipman 2008",
      .group = "shared",
      .needs = {.one_node = true},
      .parameters = {copies_parameter()},
      .latency = "(p-1) alpha of shared memory",
      .bandwidth = "(p-1) s beta of a copy",
      .refuses = copies_refusal,
      .shares_memory = always_shares,
      .build = build,
  };
}

}  // namespace starling::gather
