// reduce_scatter:multilane: the ranks of each node reduce and scatter, so that each has what goes to its lane, the
// ranks that stand on the other nodes where it stands; then every lane reduces and scatters.
//
//   nodes  0 1 | 2 3      rank 0    rank 1    rank 2    rank 3       four blocks
//   start                 0 0 0 0   1 1 1 1   2 2 2 2   3 3 3 3
//   on the nodes          01 . 01 . . 01 . 01 23 . 23 . . 23 . 23
//   lanes  0 2 | 1 3      all . . . . all . . . . all . . . . all

#include <cstddef>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/two_level.hpp"

namespace starling::reduce_scatter {
namespace {

constexpr std::array parts_on_node{Collective::reduce_scatter};
constexpr Hierarchy hierarchy{parts_on_node, Collective::reduce_scatter, true};

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  const Places& places = *team.places;
  const int nodes = places.nodes();
  const int ranks = levels.node().size();
  Schedule todo(team.blocks());
  std::vector<int> by_lane;
  for (int place = 0; place < ranks; ++place)
    for (int node = 0; node < nodes; ++node) by_lane.push_back(places.on_node(node).rank(place));
  const Buffer vector = todo.add_scratch(by_lane);
  for (int slot = 0; slot < team.size; ++slot)
    todo.copy(sendbuf(by_lane[static_cast<std::size_t>(slot)]), at(vector, slot));
  const auto mine = by_lane.begin() + (std::ptrdiff_t{levels.place()} * nodes);
  const Buffer sum = todo.add_scratch(std::vector<int>(mine, mine + nodes));
  const Origin lanes{vector, 0, nodes};
  todo.append(hierarchy.on_node(with).schedule(levels.within(ranks)),
              {.send = lanes, .recv = {sum, 0, nodes}, .ranks = levels.node(), .sizes = lanes});
  todo.append(hierarchy.across(with).schedule(levels.across(nodes)),
              {.send = {sum}, .recv = {Buffer::recv}, .ranks = levels.lane(), .sizes = Origin{sum}});
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 0;
  const std::int64_t nodes = situation.places->nodes();
  return situation.ranks + nodes + (nodes * hierarchy.inner_scratch(situation, with)) +
         hierarchy.outer_scratch(situation, with);
}

}  // namespace

Algorithm multilane() {
  return {
      .collectives = {Collective::reduce_scatter, Collective::reduce_scatter_block},
      .name = "multilane",
      .says = "reduces on each node for each lane of ranks, then in all lanes between the nodes",
      .source = "Träff and Hunold 2020",
      .group = "multilane",
      .needs = {.commutative = true},
      .parameters = {inner_parameter<hierarchy>({"pairwise", "shared", "domains", "native"},
                                                "the reduce_scatter on a node"),
                     outer_parameter<hierarchy>({"recursive_halving", "pairwise", "native"},
                                                "the reduce_scatter of each lane")},
      .reduction_order = "multilane",
      .latency = "(q-1) alpha on a node of q ranks, and the reduce_scatter's among the nodes",
      .bandwidth = "(q-1)/q p s beta on a node of q ranks, and (p-q)/q s beta among the nodes",
      .refuses = refuses<hierarchy>,
      .scratch_blocks = scratch_blocks,
      .shares_memory = shares_memory<hierarchy>,
      .communicators = communicators<hierarchy>,
      .build = build,
  };
}

}  // namespace starling::reduce_scatter
