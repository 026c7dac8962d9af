// reduce_scatter:multilane: the ranks of each node reduce and scatter, so that each has what goes to its lane, the
// ranks that stand on the other nodes where it stands; then every lane reduces and scatters.
//
//   nodes  0 1 | 2 3      rank 0    rank 1    rank 2    rank 3       four blocks
//   start                 0 0 0 0   1 1 1 1   2 2 2 2   3 3 3 3
//   on the nodes          01 . 01 . . 01 . 01 23 . 23 . . 23 . 23
//   lanes  0 2 | 1 3      all . . . . all . . . . all . . . . all
//
// Where a node has more ranks than there are lanes, the others get their blocks from those that stand for lanes.

#include <span>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/lanes.hpp"
#include "algorithms/shared/two_level.hpp"

namespace starling::reduce_scatter {
namespace {

constexpr std::array parts_on_node{Collective::reduce_scatter};
constexpr Hierarchy hierarchy{parts_on_node, Collective::reduce_scatter, true};

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  const Lanes lanes(*team.places);
  const int lane = levels.place() % lanes.count();
  const bool stands_for_it = levels.place() == lane;
  Schedule todo(team.blocks());
  const Buffer vector = todo.add_scratch(lanes.order());
  int slot = 0;
  for (const int rank : lanes.order()) todo.copy(sendbuf(rank), at(vector, slot++));
  const auto of_lane = stands_for_it ? lanes.of(lane) : std::span<const int>();
  const Buffer sum = todo.add_scratch(std::vector<int>(of_lane.begin(), of_lane.end()));
  const Origin whole = lanes.by_lane({vector}, levels.node().size());
  todo.append(
      hierarchy.on_node(with).schedule(levels.within(levels.node().size())),
      {.send = whole, .recv = {sum, 0, static_cast<int>(of_lane.size())}, .ranks = levels.node(), .sizes = whole});
  const std::span<const int> mine = lanes.of(lane, team.places->node_of(team.rank));
  if (!stands_for_it) {
    todo.round().receive(recvbuf(0), mine.front());
    return todo;
  }
  const Origin nodes = lanes.by_node({sum}, lane);
  const auto blocks = static_cast<int>(mine.size());
  const Buffer result = blocks == 1 ? Buffer::recv : todo.add_scratch(std::vector<int>(mine.begin(), mine.end()));
  todo.append(hierarchy.across(with).schedule(levels.across(team.places->nodes())),
              {.send = nodes, .recv = {result, 0, blocks}, .ranks = levels.lane(), .sizes = nodes});
  if (blocks == 1) return todo;
  Round& round = todo.round();
  for (int i = 1; i < blocks; ++i) round.send(at(result, i), mine[static_cast<std::size_t>(i)]);
  round.copy(at(result, 0), recvbuf(0));
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 0;
  const Lanes lanes(*situation.places);
  const std::int64_t on_node = lanes.most_on_a_node();
  return situation.ranks + (lanes.most() * (1 + hierarchy.inner_scratch(situation, with))) +
         (on_node * hierarchy.outer_scratch(situation, with)) + (on_node > 1 ? on_node : 0);
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
