// alltoall:multilane: ranks exchange on each node what goes to the lane of each, the ranks that stand on the other
// nodes where it stands; then every lane exchanges. Few large messages leave a node in place of many small ones.
//
//   nodes  0 1 | 2 3    rank 0        rank 1        rank 2        rank 3        "xy": from rank x to rank y
//   start               00 01 02 03   10 11 12 13   20 21 22 23   30 31 32 33
//   by lane             00 02 01 03   10 12 11 13   20 22 21 23   30 32 31 33
//   on the nodes        00 02 10 12   01 03 11 13   20 22 30 32   21 23 31 33
//   by node             00 10 02 12   01 11 03 13   20 30 22 32   21 31 23 33
//   lanes  0 2 | 1 3    00 10 20 30   01 11 21 31   02 12 22 32   03 13 23 33

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/two_level.hpp"

namespace starling::alltoall {
namespace {

constexpr std::array parts_on_node{Collective::alltoall};
constexpr Hierarchy hierarchy{parts_on_node, Collective::alltoall, true};

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  const Places& places = *team.places;
  const int nodes = places.nodes();
  const int ranks = levels.node().size();
  Schedule todo(team.blocks());
  const Buffer by_lane = todo.add_scratch(team.size);
  const Buffer on_node = todo.add_scratch(team.size);

  for (int place = 0; place < ranks; ++place)
    for (int node = 0; node < nodes; ++node)
      todo.copy(sendbuf(places.on_node(node).rank(place)), at(by_lane, (place * nodes) + node));
  todo.append(hierarchy.on_node(with).schedule(levels.within(ranks)),
              {.send = {by_lane, 0, nodes}, .recv = {on_node, 0, nodes}, .ranks = levels.node()});
  const Buffer by_node = by_lane;
  for (int node = 0; node < nodes; ++node)
    for (int place = 0; place < ranks; ++place)
      todo.copy(at(on_node, (place * nodes) + node), at(by_node, (node * ranks) + place));
  const bool in_order = are_consecutive(places);
  const Buffer arrived = in_order ? Buffer::recv : on_node;
  todo.append(hierarchy.across(with).schedule(levels.across(nodes)),
              {.send = {by_node, 0, ranks}, .recv = {arrived, 0, ranks}, .ranks = levels.lane()});
  if (in_order) return todo;
  for (int node = 0; node < nodes; ++node)
    for (int place = 0; place < ranks; ++place)
      todo.copy(at(arrived, (node * ranks) + place), recvbuf(places.on_node(node).rank(place)));
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 0;
  const std::int64_t ranks = situation.places->on_node(0).size();
  const std::int64_t nodes = situation.places->nodes();
  return (2 * std::int64_t{situation.ranks}) + (nodes * hierarchy.inner_scratch(situation, with)) +
         (ranks * hierarchy.outer_scratch(situation, with));
}

}  // namespace

Algorithm multilane() {
  return {
      .collectives = {Collective::alltoall},
      .name = "multilane",
      .says = "exchanges on each node the blocks for each lane of ranks, then in all lanes between the nodes",
      .source = "Träff and Hunold 2020; Bienz, Olson and Gropp 2019",
      .group = "multilane",
      .parameters = {inner_parameter<hierarchy>({"simple", "shared", "domains", "native"}, "the alltoall on a node"),
                     outer_parameter<hierarchy>({"bruck", "simple", "ring", "native"}, "the alltoall of each lane")},
      .latency = "(q-1) alpha on a node of q ranks, and the alltoall's among the nodes",
      .bandwidth = "(q-1)/q p s beta on a node of q ranks, and (p-q) s beta among the nodes",
      .refuses = refuses<hierarchy>,
      .scratch_blocks = scratch_blocks,
      .shares_memory = shares_memory<hierarchy>,
      .communicators = communicators<hierarchy>,
      .build = build,
  };
}

}  // namespace starling::alltoall
