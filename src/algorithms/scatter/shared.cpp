// scatter:shared: the root publishes each rank's block for it, in memory that the ranks of a node share.
//
//            rank 0   rank 1   rank 2   rank 3
//   start    ABCD
//   step 1   A        B        C        D

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/copies.hpp"

namespace starling::scatter {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  Schedule todo(team.blocks());
  Round& all = todo.round();
  if (team.rank != team.root) {
    all.take(recvbuf(0), team.root);
    return todo;
  }
  for (int step = 1; step < team.size; ++step)
    all.publish(sendbuf(team.right(step)), {team.right(step)}, copies_once(with));
  all.copy(sendbuf(team.rank), recvbuf(0));
  return todo;
}

}  // namespace

Algorithm shared() {
  return {
      .collectives = {Collective::scatter, Collective::scatterv},
      .name = "shared",
      .says = "publishes each rank's block for it in memory that ranks of a node share",
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

}  // namespace starling::scatter
