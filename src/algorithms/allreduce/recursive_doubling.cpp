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

#include <utility>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/folding.hpp"

namespace starling::allreduce {
namespace {

/// What a rank combines with its own sum in one step.
struct Step {
  int peer;
  bool both_ways;  ///< the partner wants my sum too
};

Schedule build(const Team& team, const Parameters& /*none*/) {
  const int all = team.blocks;
  Schedule todo(all);
  const Folding folding(team.size);
  if (folding.rests(team.rank)) {
    todo.round().send(sendbuf(0, all), team.rank + 1);
    todo.round().receive(recvbuf(0, all), team.rank + 1);
    return todo;
  }

  std::vector<Step> steps;
  if (folding.works_for_two(team.rank)) steps.push_back({team.rank - 1, false});
  for (int distance = 1; distance < folding.workers; distance *= 2)
    steps.push_back({folding.rank(folding.worker(team.rank) ^ distance), true});

  // A sum lands where its right operand was: with a partner to the right that is where his data came in, and the two
  // buffers swap roles. They start so that the last sum lands in recv.
  Blocks sum = recvbuf(0, all);
  Blocks other = steps.empty() ? sum : at(todo.add_scratch(all), 0, all);
  for (const Step& step : steps)
    if (step.peer > team.rank) std::swap(sum, other);
  const bool stays_in_send = sum.buffer == Buffer::recv && !steps.empty() && steps.front().peer > team.rank;
  if (!stays_in_send) todo.copy(sendbuf(0, all), sum);

  bool first = stays_in_send;
  for (const Step& step : steps) {
    const Blocks mine = first ? sendbuf(0, all) : sum;
    first = false;
    Round& round = todo.round();
    round.receive(other, step.peer);
    if (step.both_ways) round.send(mine, step.peer);
    if (step.peer > team.rank) {
      round.combine(mine, other);
      std::swap(sum, other);
    } else {
      round.combine(other, mine);
    }
  }
  if (folding.works_for_two(team.rank)) todo.round().send(recvbuf(0, all), team.rank - 1);
  return todo;
}

int divide(const Situation& /*any*/, const Parameters& /*none*/) {
  return 1;
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
      .source = "Thakur, Rabenseifner and Gropp 2005, section 4.5",
      .group = "recursive_doubling",
      .reduction_order = "recursive_doubling",
      .counterparts = {{.ompi = "recursive_doubling", .mpich = "recursive_doubling", .ucc = "knomial"}},
      .latency = "log2(p) alpha; 2 alpha more where p is no power of two",
      .bandwidth = "log2(p) m beta",
      .divide = divide,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::allreduce
