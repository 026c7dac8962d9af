// bcast:scatter_allgather: a binomial tree scatters p blocks, an allgather spreads them: long messages, van de Geijn's
// way.
//
//             rank 0   rank 1   rank 2   rank 3        counted from the root
//   start     ABCD     ....     ....     ....
//   scatter   ABCD     .B..     ..CD     ...D          2 gets CD and passes D on
//   gather    ABCD     ABCD     ABCD     ABCD          by the allgather of one's choice

#include "algorithms/algorithm.hpp"
#include "algorithms/part.hpp"
#include "algorithms/shared/trees.hpp"

namespace starling::bcast {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  Schedule todo(team.blocks());
  const TreePlace place = binomial_tree(team);
  if (place.parent >= 0) {
    Round& round = todo.round();
    for (const Blocks& range : binomial_subtree_blocks(team, team.rank, Buffer::recv))
      round.receive(range, place.parent);
  }
  // One after the other, the largest first: it has the longest way before it.
  for (const int child : place.children) {
    Round& round = todo.round();
    for (const Blocks& range : binomial_subtree_blocks(team, child, Buffer::recv)) round.send(range, child);
  }
  todo.append(Part::named(Collective::allgatherv, with.text("allgather")).schedule(team),
              {.send = {Buffer::recv, team.rank}, .recv = {Buffer::recv}});
  return todo;
}

std::string refuses(const Situation& situation, const Parameters& with) {
  return Part::named(Collective::allgatherv, with.text("allgather")).refusal(situation);
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  return Part::named(Collective::allgatherv, with.text("allgather")).scratch_blocks(situation);
}

}  // namespace

Algorithm scatter_allgather() {
  return {
      .collectives = {Collective::bcast},
      .name = "scatter_allgather",
      .says = "scatters the vector down a binomial tree, then gathers it on every rank",
      .source = "Barnett et al. 1994 (InterCom); Thakur, Rabenseifner and Gropp 2005, section 4.2",
      .group = "scatter_allgather",
      .parameters = {{"allgather", {"ring", "recursive_doubling"}, "the allgather that spreads the blocks"}},
      .counterparts = {{.ompi = "scatter_allgather_ring", .mpich = "scatter_ring_allgather", .with = "allgather=ring"},
                       {.ompi = "scatter_allgather",
                        .mpich = "scatter_recursive_doubling_allgather",
                        .ucc = "sag_knomial",
                        .with = "allgather=recursive_doubling"}},
      .latency = "ceil(log2 p) alpha and the allgather's",
      .bandwidth = "2 (p-1)/p m beta",
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::bcast
