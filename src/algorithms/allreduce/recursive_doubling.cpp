// allreduce:recursive_doubling: in each step ranks exchange all they have summed with the rank twice as far away as
// before.
//
//            rank 0   rank 1   rank 2   rank 3        ranks that the vector is combined over
//   start    0        1        2        3
//   step 1   01       01       23       23
//   step 2   0123     0123     0123     0123
//
// The lower of two partners is the left operand on both, so that the order of ranks is kept and all results are bitwise
// equal. Where p is no power of two, the first ranks form pairs (Folding), and the even one waits for the result.

#include <array>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/folding.hpp"
#include "algorithms/shared/running_sum.hpp"
#include "algorithms/shared/whole_vector.hpp"

namespace starling::allreduce {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  const std::array vector{sendbuf(0, team.blocks())};
  const Blocks result = recvbuf(0, team.blocks());
  Schedule todo(team.blocks());
  const Folding folding(team.size);
  if (folding.rests(team.rank)) {
    todo.round().send(vector[0], team.rank + 1);
    todo.round().receive(result, team.rank + 1);
    return todo;
  }

  RunningSum sum(todo, Buffer::recv);
  if (folding.works_for_two(team.rank)) sum.exchange(team.rank, team.rank - 1, {}, vector);
  for (int distance = 1; distance < folding.workers; distance *= 2)
    sum.exchange(team.rank, folding.rank(folding.worker(team.rank) ^ distance), vector, vector);
  if (sum.now(vector[0]) != result) todo.copy(sum.now(vector[0]), result);
  if (folding.works_for_two(team.rank)) todo.round().send(result, team.rank - 1);
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*none*/) {
  return situation.ranks > 1 ? 1 : 0;
}

}  // namespace

Algorithm recursive_doubling() {
  return {
      .collectives = {Collective::allreduce},
      .name = "recursive_doubling",
      .says = "exchanges whole sums, with a partner twice as far away in each step",
      .source = "Thakur, Rabenseifner and Gropp 2005, section 4.5; Hartmann et al., section 3.1: hypercube",
      .group = "recursive_doubling",
      .reduction_order = "recursive_doubling",
      .counterparts = {{.ompi = "recursive_doubling", .mpich = "recursive_doubling", .ucc = "knomial"}},
      .latency = "log2(p) alpha; 2 alpha more where p is no power of two",
      .bandwidth = "log2(p) m beta",
      .divide = whole_vector,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::allreduce
