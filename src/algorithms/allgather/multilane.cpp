// allgather:multilane: the ranks that stand where a rank stands on the other nodes, its lane, gather their blocks; then
// each node gathers what its lanes have. Each block comes to a node once, and all ranks take part in fetching them.
//
//   nodes  0 1 | 2 3      rank 0   rank 1   rank 2   rank 3
//   start                 A...     .B..     ..C.     ...D
//   lanes  0 2 | 1 3      A.C.     .B.D     A.C.     .B.D
//   on the nodes          ABCD     ABCD     ABCD     ABCD
//
// Where a node has more ranks than there are lanes, the others first give their blocks to those that stand for lanes.

#include <span>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/lanes.hpp"
#include "algorithms/shared/two_level.hpp"

namespace starling::allgather {
namespace {

constexpr std::array parts_on_node{Collective::allgatherv};
constexpr Hierarchy hierarchy{parts_on_node, Collective::allgatherv, true};

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  const Lanes lanes(*team.places);
  const int lane = levels.place() % lanes.count();
  const bool stands_for_it = levels.place() == lane;
  const std::span<const int> mine = lanes.of(lane, team.places->node_of(team.rank));
  Schedule todo(team.blocks());
  const Buffer all = todo.add_scratch(lanes.order());
  if (stands_for_it) {
    Origin blocks{Buffer::send};
    if (mine.size() > 1) {
      blocks = {all, lanes.start(lane, team.places->node_of(team.rank)), static_cast<int>(mine.size())};
      todo.copy(sendbuf(0), at(all, blocks.first));
      Round& round = todo.round();
      for (int i = 1; i < blocks.scale; ++i)
        round.receive(at(all, blocks.first + i), mine[static_cast<std::size_t>(i)]);
    }
    todo.append(hierarchy.across(with).schedule(levels.across(team.places->nodes())),
                {.send = blocks, .recv = lanes.by_node({all, lanes.start(lane)}, lane), .ranks = levels.lane()});
  } else {
    todo.round().send(sendbuf(0), mine.front());
  }
  const int ranks = levels.node().size();
  const int blocks = stands_for_it ? static_cast<int>(lanes.of(lane).size()) : 0;
  todo.append(hierarchy.on_node(with).schedule(levels.within(ranks)),
              {.send = {all, lanes.start(lane), blocks}, .recv = lanes.by_lane({all}, ranks), .ranks = levels.node()});
  int slot = 0;
  for (const int rank : lanes.order()) todo.copy(at(all, slot++), recvbuf(rank));
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 0;
  const Lanes lanes(*situation.places);
  return situation.ranks + (lanes.most_on_a_node() * hierarchy.outer_scratch(situation, with)) +
         (lanes.most() * hierarchy.inner_scratch(situation, with));
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
