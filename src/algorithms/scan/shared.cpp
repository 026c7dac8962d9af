// scan:shared: every rank publishes its vector once, in memory that the ranks of a node share, for all behind it, and
// combines what those before it have.
//
//            rank 0   rank 1   rank 2   rank 3      ranks that the vector is combined over
//   start    0        1        2        3
//   step 1   0        01       012      0123
//
// In an exscan a rank's own vector is for the others only.

#include <numeric>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/copies.hpp"
#include "algorithms/shared/whole_vector.hpp"

namespace starling::scan {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const Blocks own = sendbuf(0, team.blocks());
  const Blocks result = recvbuf(0, team.blocks());
  const bool is_scan = team.collective == Collective::scan;
  Schedule todo(team.blocks());
  if (is_scan && team.rank == 0) todo.copy(own, result);
  if (team.size == 1) return todo;
  Round& all = todo.round();
  std::vector<int> behind(static_cast<std::size_t>(team.size - team.rank - 1));
  std::iota(behind.begin(), behind.end(), team.rank + 1);
  if (!behind.empty()) all.publish(own, behind, copies_once(with));
  Blocks right = is_scan ? own : nothing();
  for (int peer = team.rank - 1; peer >= 0; --peer) {
    all.take_between(nothing(), peer, right, result);
    right = result;
  }
  return todo;
}

}  // namespace

Algorithm shared() {
  return {
      .collectives = {Collective::scan, Collective::exscan},
      .name = "shared",
      .says = "publishes every vector in memory that ranks of a node share; each rank combines those before it",
      .source = "Graham and Shipman 2008",
      .group = "shared",
      .needs = {.one_node = true},
      .parameters = {copies_parameter()},
      .reduction_order = "by_rank",
      .latency = "(p-1) alpha of shared memory",
      .bandwidth = "p m beta of a copy",
      .divide = whole_vector,
      .works_in_place = false,
      .refuses = copies_refusal,
      .shares_memory = always_shares,
      .build = build,
  };
}

}  // namespace starling::scan
