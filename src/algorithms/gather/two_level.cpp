// gather:two_level: the first rank of each node gathers its blocks, the root those of its own, and the root gathers
// from these leaders.
//
//   nodes  0 1 | 2 3      rank 0   rank 1   rank 2   rank 3
//   start                 A        B        C        D
//   on the nodes          AB       B        CD       D
//   leaders               ABCD     B        CD       D

#include "algorithms/shared/two_level.hpp"

#include "algorithms/algorithm.hpp"

namespace starling::gather {
namespace {

constexpr std::array parts_on_node{Collective::gather};
constexpr Hierarchy hierarchy{parts_on_node, Collective::gather};

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  const Places& places = *team.places;
  const int ranks = levels.node().size();
  Schedule todo(team.blocks());
  const std::vector<int> mine = listed(levels.node());
  const std::vector<int> order = by_node(places);
  Origin of_node{Buffer::recv};
  if (levels.leads()) of_node = {todo.add_scratch(mine)};
  if (ranks > 1) {
    todo.append(
        hierarchy.on_node(with).schedule(levels.within(ranks)),
        {.send = {Buffer::send}, .recv = of_node, .ranks = levels.node(), .sizes = Origin{Buffer::recv}, .like = mine});
  } else {
    todo.copy(sendbuf(0), at(of_node.buffer, 0));
  }
  if (!levels.leads()) return todo;
  const bool is_root = team.rank == team.root;
  const bool in_order = are_consecutive(places);
  const Origin all{.buffer = is_root && !in_order ? todo.add_scratch(order) : Buffer::recv};
  todo.append(hierarchy.across(with).schedule(levels.across(places.nodes())), {.send = of_one_node(of_node, ranks),
                                                                               .recv = of_all_nodes(all, places),
                                                                               .ranks = levels.leaders(),
                                                                               .like = order});
  if (!is_root || in_order) return todo;
  int slot = 0;
  for (const int rank : order) todo.copy(at(all.buffer, slot++), recvbuf(rank));
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 0;
  const std::int64_t most = situation.places->spread().ranks_per_node;
  return most + situation.ranks + hierarchy.inner_scratch(situation, with) +
         (most * hierarchy.outer_scratch(situation, with));
}

}  // namespace

Algorithm two_level() {
  return {
      .collectives = {Collective::gather, Collective::gatherv},
      .name = "two_level",
      .says = "gathers on each node, then from one rank of each node",
      .source = "Graham and Shipman 2008; Jain et al. 2018",
      .group = "two_level",
      .parameters = {inner_parameter<hierarchy>({"binomial", "sequential", "shared", "domains", "native"},
                                                "the gather on a node"),
                     outer_parameter<hierarchy>({"binomial", "sequential", "native"}, "the gather from the leaders")},
      .latency = "ceil(log2 q) alpha on a node of q ranks, and the gather's among the nodes",
      .bandwidth = "(q-1) s beta on a node of q ranks, and (p-q) s beta among the nodes",
      .refuses = refuses<hierarchy>,
      .scratch_blocks = scratch_blocks,
      .shares_memory = shares_memory<hierarchy>,
      .communicators = communicators<hierarchy>,
      .build = build,
  };
}

}  // namespace starling::gather
