// allgather:bruck: in each step every rank gets what the rank twice as far to its right as before has (to base k: what
// k-1 ranks have, at once), and sends all it has to the left. Every rank counts from its own block, so that what it
// gets always goes behind what it has.
//
//   k = 2    rank 0   rank 1   rank 2   rank 3   rank 4
//   start    A        B        C        D        E
//   step 1   AB       BC       CD       DE       EA
//   step 2   ABCD     BCDE     CDEA     DEAB     EABC
//   step 3   ABCDE    BCDEA    CDEAB    DEABC    EABCD     then rotated into place

#include <algorithm>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/radix.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const std::int64_t radix = with.number("k");
  Schedule todo(team.blocks());
  // Rank 0 counts as the receive buffer does.
  const Buffer rotated = team.rank == 0 ? Buffer::recv : todo.add_scratch(team.size, team.rank);
  todo.copy(sendbuf(0), at(rotated, 0));
  for (std::int64_t have = 1; have < team.size; have *= radix) {
    Round& round = todo.round();
    for (std::int64_t start = have; start < std::min<std::int64_t>(have * radix, team.size); start += have) {
      const int distance = static_cast<int>(start);
      const int more = static_cast<int>(std::min(have, team.size - start));
      round.receive(at(rotated, distance, more), team.right(distance));
      round.send(at(rotated, 0, more), team.left(distance));
    }
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
      .says = "multiplies the blocks of every rank by the radix in each step, for any number of ranks",
      .source = "Bruck, Ho, Kipnis, Upfal and Weathersby 1997",
      .group = "logarithmic",
      .parameters = {radix_parameter({"2", "4", "8", "16"}, "radix: k-1 messages at once in each of log_k p steps")},
      .counterparts = {{.ompi = "bruck", .mpich = "brucks", .ucc = "bruck", .with = "k=2"}},
      .latency = "ceil(log_k p) (k-1) alpha",
      .bandwidth = "(p-1) s beta",
      .refuses = radix_refusal,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::allgather
