// reduce_scatter:shared: every rank publishes each block for its owner, in memory that the ranks of a node share, and
// combines what all have for it, in the order of ranks.
//
//            rank 0   rank 1   rank 2
//   start    0 0 0    1 1 1    2 2 2        ranks that each block is combined over
//   step 1   012      012      012          each its own

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/copies.hpp"
#include "algorithms/shared/fold_shared.hpp"

namespace starling::reduce_scatter {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  Schedule todo(team.blocks());
  if (team.size == 1) {
    todo.copy(sendbuf(0), recvbuf(0));
    return todo;
  }
  Round& all = todo.round();
  for (int peer = 0; peer < team.size; ++peer)
    if (peer != team.rank) all.publish(sendbuf(peer), {peer}, copies_once(with));
  fold_shared(team, all, sendbuf(team.rank), recvbuf(0));
  return todo;
}

}  // namespace

Algorithm shared() {
  return {
      .collectives = {Collective::reduce_scatter, Collective::reduce_scatter_block},
      .name = "shared",
      .says = "publishes every block for its owner in memory that ranks of a node share; owners combine them",
      .source = "Graham and Shipman 2008; Jain et al. 2018",
      .group = "shared",
      .needs = {.one_node = true},
      .parameters = {copies_parameter()},
      .reduction_order = "by_rank",
      .latency = "(p-1) alpha of shared memory",
      .bandwidth = "2 (p-1) s beta of a copy",
      .works_in_place = false,
      .refuses = copies_refusal,
      .shares_memory = always_shares,
      .build = build,
  };
}

}  // namespace starling::reduce_scatter
