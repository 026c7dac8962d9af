// bcast:shared: the root publishes the vector once, in memory that the ranks of a node share, and all others copy it.
//
//            rank 0   rank 1   rank 2   rank 3
//   start    A
//   step 1   A        A        A        A         pieces that follow each other are copied in and out at once

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/copies.hpp"
#include "algorithms/shared/whole_vector.hpp"

namespace starling::bcast {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  Schedule todo(team.blocks());
  if (team.size == 1) return todo;
  if (team.rank == team.root) {
    todo.round().publish(recvbuf(0), all_others(team), copies_once(with));
  } else {
    todo.round().take(recvbuf(0), team.root);
  }
  return todo;
}

}  // namespace

Algorithm shared() {
  return {
      .collectives = {Collective::bcast},
      .name = "shared",
      .says = "publishes the vector in memory that ranks of a node share, and all others copy it",
      .source = "Graham and Shipman 2008; Jain et al. 2018",
      .group = "shared",
      .needs = {.one_node = true},
      .parameters = {copies_parameter()},
      .latency = "alpha of shared memory",
      .bandwidth = "m beta of a copy, into memory and out of it at once",
      .divide = whole_vector,
      .refuses = copies_refusal,
      .shares_memory = always_shares,
      .build = build,
  };
}

}  // namespace starling::bcast
