// barrier:recursive_doubling: in each step ranks tell each other that they have come, with a partner twice as far away.
//
//            rank 0   rank 1   rank 2   rank 3        ranks that it has heard from
//   step 1   01       01       23       23
//   step 2   0123     0123     0123     0123
//
// Where p is no power of two, the first ranks form pairs (Folding), and the even one waits for the odd one's word.

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/folding.hpp"

namespace starling::barrier {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  const Folding folding(team.size);
  if (folding.rests(team.rank)) {
    todo.round().send(nothing(), team.rank + 1);
    todo.round().receive(nothing(), team.rank + 1);
    return todo;
  }
  if (folding.works_for_two(team.rank)) todo.round().receive(nothing(), team.rank - 1);
  for (int distance = 1; distance < folding.workers; distance *= 2) {
    const int peer = folding.rank(folding.worker(team.rank) ^ distance);
    todo.round().receive(nothing(), peer).send(nothing(), peer);
  }
  if (folding.works_for_two(team.rank)) todo.round().send(nothing(), team.rank - 1);
  return todo;
}

}  // namespace

Algorithm recursive_doubling() {
  return {
      .collectives = {Collective::barrier},
      .name = "recursive_doubling",
      .says = "exchanges word with a partner twice as far away in each step",
      .source = "Rabenseifner 2004",
      .group = "logarithmic",
      .counterparts = {{.ompi = "recursive_doubling"}},
      .latency = "log2(p) alpha; 2 alpha more where p is no power of two",
      .bandwidth = "none",
      .build = build,
  };
}

}  // namespace starling::barrier
