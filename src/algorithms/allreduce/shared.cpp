// allreduce:shared: ranks of a node publish their vectors in memory that they share. Either each combines all of them,
// or each combines its share of all, publishes it, and copies the others' shares.
//
//   whole    rank 0   rank 1   rank 2           shares   rank 0   rank 1   rank 2      ranks that it is combined over
//   start    0        1        2                start    0 0 0    1 1 1    2 2 2
//   step 1   012      012      012              step 1   012 . .  . 012 .  . . 012
//                                               step 2   all      all      all

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/copies.hpp"
#include "algorithms/shared/fold_shared.hpp"

namespace starling::allreduce {
namespace {

bool in_shares(const Parameters& with) {
  return with.text("part") == "share";
}

Schedule build(const Team& team, const Parameters& with) {
  Schedule todo(team.blocks());
  if (team.size == 1) {
    todo.copy(sendbuf(0), recvbuf(0));
    return todo;
  }
  Round& first = todo.round();
  const std::vector<int> others = all_others(team);
  if (!in_shares(with)) {
    fold_shared(team, first.publish(sendbuf(0), others, copies_once(with)), sendbuf(0), recvbuf(0));
    return todo;
  }
  for (int peer = 0; peer < team.size; ++peer)
    if (peer != team.rank) first.publish(sendbuf(peer), {peer}, copies_once(with));
  fold_shared(team, first, sendbuf(team.rank), recvbuf(team.rank));
  Round& gather = todo.round().publish(recvbuf(team.rank), others, copies_once(with));
  for (int peer = 0; peer < team.size; ++peer)  // in one order on all ranks
    if (peer != team.rank) gather.take(recvbuf(peer), peer);
  return todo;
}

Division divide(const Situation& situation, const Parameters& with) {
  return {in_shares(with) ? situation.ranks : 1};
}

/// The least share is published at once too.
std::string refuses(const Situation& situation, const Parameters& with) {
  return copies_refusal_of(in_shares(with) ? situation.bytes / situation.ranks : situation.bytes, situation, with);
}

}  // namespace

Algorithm shared() {
  return {
      .collectives = {Collective::allreduce},
      .name = "shared",
      .says = "combines vectors published in memory that ranks of a node share; each rank combines all or a part",
      .source = "Graham and Shipman 2008; Jain et al. 2018",
      .group = "shared",
      .needs = {.one_node = true},
      .parameters = {{.name = "part",
                      .values = {"whole", "share"},
                      .says =
                          "the part of the vector that a rank combines: all of it, or a share that it then publishes"},
                     copies_parameter()},
      .reduction_order = "by_rank",
      .latency = "(p-1) alpha of shared memory; with shares 2 (p-1)",
      .bandwidth = "p m beta of a copy; with shares 3 m beta",
      .divide = divide,
      .works_in_place = false,
      .refuses = refuses,
      .shares_memory = always_shares,
      .build = build,
  };
}

}  // namespace starling::allreduce
