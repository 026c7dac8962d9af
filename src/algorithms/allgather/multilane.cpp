// allgather:multilane: the ranks that stand where a rank stands on the other nodes, its lane, gather their blocks; then
// each node gathers what its lanes have. Each block comes to a node once, and all ranks take part in fetching them.
//
//   nodes  0 1 | 2 3      rank 0   rank 1   rank 2   rank 3
//   start                 A...     .B..     ..C.     ...D
//   lanes  0 2 | 1 3      A.C.     .B.D     A.C.     .B.D
//   on the nodes          ABCD     ABCD     ABCD     ABCD

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/two_level.hpp"

namespace starling::allgather {
namespace {

constexpr std::array parts_on_node{Collective::allgatherv};
constexpr Hierarchy hierarchy{parts_on_node, Collective::allgatherv, true};

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  const Places& places = *team.places;
  const int nodes = places.nodes();
  const int ranks = levels.node().size();
  Schedule todo(team.blocks());
  std::vector<int> order;
  for (int place = 0; place < ranks; ++place)
    for (int node = 0; node < nodes; ++node) order.push_back(places.on_node(node).rank(place));
  const int mine = levels.place() * nodes;
  const Buffer by_lane = todo.add_scratch(order);
  todo.append(hierarchy.across(with).schedule(levels.across(nodes)),
              {.send = {Buffer::send}, .recv = {by_lane, mine}, .ranks = levels.lane()});
  todo.append(hierarchy.on_node(with).schedule(levels.within(ranks)),
              {.send = {by_lane, mine, nodes}, .recv = {by_lane, 0, nodes}, .ranks = levels.node()});
  int slot = 0;
  for (const int rank : order) todo.copy(at(by_lane, slot++), recvbuf(rank));
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 0;
  return situation.ranks + hierarchy.outer_scratch(situation, with) +
         (situation.places->nodes() * hierarchy.inner_scratch(situation, with));
}

}  // namespace

Algorithm multilane() {
  return {
      .collectives = {Collective::allgather, Collective::allgatherv},
      .name = "multilane",
      .says = "gathers in all lanes of ranks between the nodes, then among the lanes of each node",
      .source = "Träff and Hunold 2020",
      .group = "multilane",
      .parameters = {inner_parameter<hierarchy>({"simple", "shared", "domains", "native"}, "the allgather on a node"),
                     outer_parameter<hierarchy>({"bruck", "ring", "simple", "native"}, "the allgather of each lane")},
      .latency = "(q-1) alpha on a node of q ranks, and the allgather's among the nodes",
      .bandwidth = "(q-1)/q p s beta on a node of q ranks, and (p-q)/q s beta among the nodes",
      .refuses = refuses<hierarchy>,
      .scratch_blocks = scratch_blocks,
      .shares_memory = shares_memory<hierarchy>,
      .communicators = communicators<hierarchy>,
      .build = build,
  };
}

}  // namespace starling::allgather
