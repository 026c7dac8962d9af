// scan:recursive_doubling: in each step ranks exchange the sums of their groups with the rank twice as far away as
// before; what comes from lower ranks counts for the result. A rank whose partner does not exist skips the step.
//
//            rank 0    rank 1    rank 2    rank 3        result; sum of its group
//   start    0 ; 0     1 ; 1     2 ; 2     3 ; 3
//   step 1   0 ; 01    01 ; 01   2 ; 23    23 ; 23
//   step 2   0 ; 0123  01 ; 0123 012; 0123 0123; 0123
//
// In an exscan a rank's own data counts for its group only: its result starts empty.

#include <utility>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/whole_vector.hpp"

namespace starling::scan {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  const int all = team.blocks();
  const Blocks result = recvbuf(0, all);
  Schedule todo(all);
  bool has_result = team.collective == Collective::scan;
  if (team.size > 1) {
    Blocks group = at(todo.add_scratch(all), 0, all);
    Blocks arrived = at(todo.add_scratch(all), 0, all);
    todo.copy(sendbuf(0, all), group);
    if (has_result) todo.copy(sendbuf(0, all), result);
    for (int distance = 1; distance < team.size; distance *= 2) {
      const int peer = team.rank ^ distance;
      if (peer >= team.size) continue;
      Round& round = todo.round();
      round.receive(arrived, peer).send(group, peer);
      if (peer > team.rank) {
        round.combine(group, arrived);
        std::swap(group, arrived);
        continue;
      }
      if (has_result) {
        round.combine(arrived, result);
      } else {
        round.copy(arrived, result);
      }
      has_result = true;
      round.combine(arrived, group);
    }
  } else if (has_result) {
    todo.copy(sendbuf(0, all), result);
  }
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*none*/) {
  return situation.ranks > 1 ? 2 : 0;
}

}  // namespace

Algorithm recursive_doubling() {
  return {
      .collectives = {Collective::scan, Collective::exscan},
      .name = "recursive_doubling",
      .says = "exchanges sums of groups, with a partner twice as far away in each step",
      .source = "Hillis and Steele 1986; Thakur, Rabenseifner and Gropp 2005",
      .group = "logarithmic",
      .reduction_order = "recursive_doubling",
      .counterparts = {{.ompi = "recursive_doubling", .mpich = "recursive_doubling"}},
      .latency = "ceil(log2 p) alpha",
      .bandwidth = "ceil(log2 p) m beta",
      .divide = whole_vector,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::scan
