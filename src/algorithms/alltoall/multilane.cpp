// alltoall:multilane: ranks exchange on each node what goes to the lane of each, the ranks that stand on the other
// nodes where it stands; then every lane exchanges. Few large messages leave a node in place of many small ones.
//
//   nodes  0 1 | 2 3    rank 0        rank 1        rank 2        rank 3        "xy": from rank x to rank y
//   start               00 01 02 03   10 11 12 13   20 21 22 23   30 31 32 33
//   by lane             00 02 01 03   10 12 11 13   20 22 21 23   30 32 31 33
//   on the nodes        00 02 10 12   01 03 11 13   20 22 30 32   21 23 31 33
//   by node             00 10 02 12   01 11 03 13   20 30 22 32   21 31 23 33
//   lanes  0 2 | 1 3    00 10 20 30   01 11 21 31   02 12 22 32   03 13 23 33
//
// Where a node has more ranks than there are lanes, the others get their blocks from those that stand for lanes.

#include <span>
#include <utility>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/lanes.hpp"
#include "algorithms/shared/two_level.hpp"

namespace starling::alltoall {
namespace {

constexpr std::array parts_on_node{Collective::alltoall};
constexpr Hierarchy hierarchy{parts_on_node, Collective::alltoall, true};
/// Where parts exchange blocks of different sizes: those of ranks differ, or nodes have different numbers of ranks.
constexpr std::array uneven_parts_on_node{Collective::alltoallv};
constexpr Hierarchy uneven_hierarchy{uneven_parts_on_node, Collective::alltoallv, true};

bool are_parts_even(Collective collective, const Places& places) {
  return all_know_sizes(collective) && places.are_even();
}

const Hierarchy& hierarchy_of(Collective collective, const Places& places) {
  return are_parts_even(collective, places) ? hierarchy : uneven_hierarchy;
}

/// One rank's view of the exchange. A rank that stands for a lane has, for each node, the blocks of all ranks here for
/// each of the lane's ranks there; then those of all ranks there for each of the lane's ranks here.
struct Exchange {
  const Team& team;
  const Parameters& with;
  TwoLevels levels{team};
  Lanes lanes{*team.places};
  int nodes = team.places->nodes();
  int node = team.places->node_of(team.rank);
  int ranks = levels.node().size();
  int lane = levels.place() % lanes.count();
  std::span<const int> mine = lanes.of(lane, node);
  const Hierarchy& parts = hierarchy_of(team.collective, *team.places);
  /// Whether blocks that come later fit where others lay.
  bool may_reuse = all_know_sizes(team.collective);

  [[nodiscard]] int of_lane(int there) const { return static_cast<int>(lanes.of(lane, there).size()); }
  [[nodiscard]] bool stands_for_lane() const { return levels.place() == lane; }
};

/// Gives a rank that stands for a lane what all ranks of the node have for the lane: `count` blocks of each.
Buffer exchange_on_node(Schedule& todo, const Exchange& all, Buffer by_lane, int count) {
  const Buffer on_node = todo.add_scratch(all.ranks * count);
  int slot = 0;
  for (const int rank : all.lanes.order()) todo.copy(sendbuf(rank), at(by_lane, slot++));
  todo.append(
      all.parts.on_node(all.with).schedule(all.levels.within(all.ranks)),
      {.send = all.lanes.by_lane({by_lane}, all.ranks), .recv = {on_node, 0, count}, .ranks = all.levels.node()});
  return on_node;
}

/// Exchanges in the lane what `exchange_on_node` has given it, put in the order of nodes in `by_node` before. What
/// arrives in `arrived` is that of each rank, node after node, for each of the lane's ranks here.
void exchange_in_lane(Schedule& todo, const Exchange& all, Buffer on_node, Buffer by_node, Buffer arrived) {
  const auto count = static_cast<int>(all.lanes.of(all.lane).size());
  const bool even = all.team.places->are_even();
  std::vector<int> to{0};
  std::vector<int> from{0};
  for (int there = 0, before = 0; there < all.nodes; before += all.of_lane(there), ++there) {
    int slot = to.back();
    for (int place = 0; place < all.ranks; ++place)
      for (int i = 0; i < all.of_lane(there); ++i)
        todo.copy(at(on_node, (place * count) + before + i), at(by_node, slot++));
    to.push_back(slot);
    from.push_back(from.back() + (all.team.places->ranks_on(there) * all.of_lane(all.node)));
  }
  const auto placed = [&](Buffer buffer, std::vector<int> starts) {
    return even ? Origin{buffer, 0, starts[1]} : Origin{buffer, 0, 1, std::move(starts)};
  };
  todo.append(all.parts.across(all.with).schedule(all.levels.across(all.nodes)),
              {.send = placed(by_node, to), .recv = placed(arrived, from), .ranks = all.levels.lane()});
}

Schedule build(const Team& team, const Parameters& with) {
  const Exchange all{team, with};
  const std::vector<int> order = by_node(*team.places);
  const bool in_order = are_consecutive(*team.places);
  Schedule todo(team.blocks());
  const Buffer by_lane = todo.add_scratch(team.size);
  // A block of each rank, node after node.
  const auto put_in_order = [&](Buffer from, int stride) {
    for (int slot = 0; slot < team.size; ++slot)
      todo.copy(at(from, slot * stride), recvbuf(order[static_cast<std::size_t>(slot)]));
  };
  if (!all.stands_for_lane()) {
    exchange_on_node(todo, all, by_lane, 0);
    const Buffer result = in_order ? Buffer::recv : todo.add_scratch(team.size);
    todo.round().receive(at(result, 0, team.size), all.mine.front());
    if (!in_order) put_in_order(result, 1);
    return todo;
  }
  const auto count = static_cast<int>(all.lanes.of(all.lane).size());
  const Buffer on_node = exchange_on_node(todo, all, by_lane, count);
  const Buffer by_node =
      all.may_reuse && all.ranks * count == team.size ? by_lane : todo.add_scratch(all.ranks * count);
  const auto here = static_cast<int>(all.mine.size());
  const bool fits = all.may_reuse && all.ranks * count >= team.size * here;
  const Buffer arrived = here == 1 && in_order ? Buffer::recv : fits ? on_node : todo.add_scratch(team.size * here);
  exchange_in_lane(todo, all, on_node, by_node, arrived);
  if (arrived == Buffer::recv) return todo;
  put_in_order(arrived, here);
  if (here == 1) return todo;
  const Buffer handed = todo.add_scratch(team.size * (here - 1));
  for (int i = 1; i < here; ++i)
    for (int slot = 0; slot < team.size; ++slot)
      todo.copy(at(arrived, (slot * here) + i), at(handed, (team.size * (i - 1)) + slot));
  Round& round = todo.round();
  for (int i = 1; i < here; ++i)
    round.send(at(handed, team.size * (i - 1), team.size), all.mine[static_cast<std::size_t>(i)]);
  return todo;
}

std::string refuses_alltoall(const Situation& situation, const Parameters& with) {
  if (std::string why = two_level_refusal(situation); !why.empty()) return why;
  return hierarchy_of(situation.collective, *situation.places).refusal(situation, with);
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 0;
  const Lanes lanes(*situation.places);
  const std::int64_t ranks = situation.places->spread().ranks_per_node;
  const std::int64_t most = lanes.most();
  const bool even = are_parts_even(situation.collective, *situation.places);
  const std::int64_t here = lanes.most_on_a_node();
  const Hierarchy& parts = hierarchy_of(situation.collective, *situation.places);
  return situation.ranks + ((even ? 1 : 2) * ranks * most) + (here > 1 ? (2 * here - 1) * situation.ranks : 0) +
         (even ? 0 : situation.ranks) + (most * parts.inner_scratch(situation, with)) +
         (ranks * here * parts.outer_scratch(situation, with));
}

}  // namespace

Algorithm multilane() {
  return {
      .collectives = {Collective::alltoall, Collective::alltoallv, Collective::alltoallw},
      .name = "multilane",
      .says = "exchanges on each node the blocks for each lane of ranks, then in all lanes between the nodes",
      .source = "Träff and Hunold 2020; Bienz, Olson and Gropp 2019",
      .group = "multilane",
      .parameters = {inner_parameter<hierarchy, uneven_hierarchy>({"simple", "shared", "domains", "native"},
                                                                  "the alltoall on a node"),
                     outer_parameter<hierarchy, uneven_hierarchy>({"bruck", "simple", "ring", "native"},
                                                                  "the alltoall of each lane")},
      .latency = "(q-1) alpha on a node of q ranks, and the alltoall's among the nodes",
      .bandwidth = "(q-1)/q p s beta on a node of q ranks, and (p-q) s beta among the nodes",
      .refuses = refuses_alltoall,
      .scratch_blocks = scratch_blocks,
      .shares_memory = shares_memory<hierarchy>,
      .communicators = communicators<hierarchy>,
      .build = build,
  };
}

}  // namespace starling::alltoall
