// allgather:bruck: in each step every rank gets what the rank twice as far to its right as before has, and sends all it
// has to the left. Every rank counts from its own block, so that what it gets always goes behind what it has.
//
//            rank 0   rank 1   rank 2   rank 3   rank 4
//   start    A        B        C        D        E
//   step 1   AB       BC       CD       DE       EA
//   step 2   ABCD     BCDE     CDEA     DEAB     EABC
//   step 3   ABCDE    BCDEA    CDEAB    DEABC    EABCD     then rotated into place

#include <algorithm>

#include "algorithms/algorithm.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks);
  // Rank 0 counts as the receive buffer does.
  const Buffer rotated = team.rank == 0 ? Buffer::recv : todo.add_scratch(team.size, team.rank);
  todo.copy(sendbuf(0), at(rotated, 0));
  for (int have = 1; have < team.size; have *= 2) {
    const int more = std::min(have, team.size - have);
    todo.round().receive(at(rotated, have, more), team.right(have)).send(at(rotated, 0, more), team.left(have));
  }
  if (team.rank > 0) {
    todo.copy(at(rotated, 0, team.size - team.rank), recvbuf(team.rank, team.size - team.rank));
    todo.copy(at(rotated, team.size - team.rank, team.rank), recvbuf(0, team.rank));
  }
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*none*/) {
  return situation.ranks > 1 ? situation.ranks : 0;
}

}  // namespace

Algorithm bruck() {
  return {
      .collectives = {Collective::allgather, Collective::allgatherv},
      .name = "bruck",
      .says = "doubles what every rank has in each step, for any number of ranks",
      .source = "Bruck, Ho, Kipnis, Upfal and Weathersby 1997",
      .group = "logarithmic",
      .counterparts = {{.ompi = "bruck", .mpich = "brucks", .ucc = "bruck"}},
      .latency = "ceil(log2 p) alpha",
      .bandwidth = "(p-1) s beta",
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::allgather
