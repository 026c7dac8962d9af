// allgather:multilane: the ranks that stand where a rank stands on the other nodes, its lane, gather their blocks; then
// each node gathers what its lanes have. Each block comes to a node once, and all ranks take part in fetching them.
//
//   nodes  0 1 | 2 3      rank 0   rank 1   rank 2   rank 3
//   start                 A...     .B..     ..C.     ...D
//   lanes  0 2 | 1 3      A.C.     .B.D     A.C.     .B.D
//   on the nodes          ABCD     ABCD     ABCD     ABCD

#include "algorithms/algorithm.hpp"
#include "algorithms/candidate.hpp"
#include "algorithms/shared/two_level.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  const Places& places = *team.places;
  const int nodes = places.nodes();
  const int ranks = levels.node().size();
  Schedule todo(team.blocks());
  const Buffer of_lane = todo.add_scratch(nodes);
  const Buffer by_lane = todo.add_scratch(team.size);
  todo.append(part(Collective::allgather, with.text("outer"), levels.across(nodes)),
              {.send = {Buffer::send}, .recv = {of_lane}, .ranks = levels.lane()});
  todo.append(part(Collective::allgather, with.text("inner"), levels.within(ranks)),
              {.send = {of_lane, 0, nodes}, .recv = {by_lane, 0, nodes}, .ranks = levels.node()});
  for (int node = 0; node < nodes; ++node)
    for (int place = 0; place < ranks; ++place)
      todo.copy(at(by_lane, (place * nodes) + node), recvbuf(places.on_node(node).rank(place)));
  return todo;
}

std::string refuses(const Situation& situation, const Parameters& with) {
  if (std::string why = even_nodes_refusal(situation); !why.empty()) return why;
  if (std::string why = inner_refusal(Collective::allgather, situation, with); !why.empty()) return why;
  return part_refusal(Collective::allgather, with.text("outer"), across_nodes(Collective::allgather, situation));
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 0;
  return situation.ranks + situation.places->nodes() +
         part_scratch_blocks(Collective::allgather, with.text("outer"), across_nodes(Collective::allgather, situation));
}

}  // namespace

Algorithm multilane() {
  return {
      .collectives = {Collective::allgather},
      .name = "multilane",
      .says = "gathers in all lanes of ranks between the nodes, then among the lanes of each node",
      .source = "Träff and Hunold 2020",
      .group = "multilane",
      .parameters = {inner_parameter("the allgather on a node", {"simple", "shared", "domains"}),
                     outer_parameter({"bruck", "ring", "simple"}, "the allgather of each lane")},
      .latency = "(q-1) alpha on a node of q ranks, and the allgather's among the nodes",
      .bandwidth = "(q-1)/q p s beta on a node of q ranks, and (p-q)/q s beta among the nodes",
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .shares_memory = inner_shares_memory,
      .build = build,
  };
}

}  // namespace starling::allgather
