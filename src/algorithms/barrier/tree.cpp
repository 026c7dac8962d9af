// barrier:tree: word goes up a binomial tree to rank 0, and down again when all have come.
//
//   0 <------ 4        up: 7 tells 6; 5 and 6 tell 4; 3 tells 2; 1, 2 and 4 tell 0
//   |<-- 2    |<-- 6   down: the other way
//   |    '- 3 |    '- 7
//   '- 1      '- 5

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/trees.hpp"

namespace starling::barrier {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  const TreePlace place = binomial_tree(team);
  if (!place.children.empty()) {
    Round& up = todo.round();
    for (const int child : place.children) up.receive(nothing(), child);
  }
  if (place.parent >= 0) {
    todo.round().send(nothing(), place.parent);
    todo.round().receive(nothing(), place.parent);
  }
  if (!place.children.empty()) {
    Round& down = todo.round();
    for (const int child : place.children) down.send(nothing(), child);
  }
  return todo;
}

}  // namespace

Algorithm tree() {
  return {
      .collectives = {Collective::barrier},
      .name = "tree",
      .says = "sends word up a binomial tree and down again",
      .source = "Pjesivac-Grbovic et al. 2007",
      .group = "tree",
      .counterparts = {{.ompi = "tree"}},
      .latency = "2 ceil(log2 p) alpha",
      .bandwidth = "none",
      .build = build,
  };
}

}  // namespace starling::barrier
