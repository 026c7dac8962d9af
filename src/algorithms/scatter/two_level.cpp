// scatter:two_level: the root scatters to one rank of each node what goes to that node, and each of these scatters it
// there.
//
//   nodes  0 1 | 2 3      rank 0   rank 1   rank 2   rank 3
//   start                 ABCD
//   leaders               ABCD              CD
//   on the nodes          A        B        C        D

#include "algorithms/shared/two_level.hpp"

#include "algorithms/algorithm.hpp"

namespace starling::scatter {
namespace {

constexpr std::array parts_on_node{Collective::scatter};
constexpr Hierarchy hierarchy{parts_on_node, Collective::scatter};

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  const Places& places = *team.places;
  const int ranks = levels.node().size();
  Schedule todo(team.blocks());
  Origin of_node{Buffer::send};
  const std::vector<int> mine = listed(levels.node());
  if (levels.leads()) {
    const std::vector<int> order = by_node(places);
    of_node = {todo.add_scratch(mine)};
    Origin all{Buffer::send};
    if (team.rank == team.root && !are_consecutive(places)) {
      all = {todo.add_scratch(order)};
      int slot = 0;
      for (const int rank : order) todo.copy(sendbuf(rank), at(all.buffer, slot++));
    }
    todo.append(hierarchy.across(with).schedule(levels.across(places.nodes())),
                {.send = of_all_nodes(all, places),
                 .recv = of_one_node(of_node, ranks),
                 .ranks = levels.leaders(),
                 .sizes = of_all_nodes({Buffer::send}, places),
                 .like = order});
  }
  if (ranks == 1) {
    todo.copy(at(of_node.buffer, 0), recvbuf(0));
    return todo;
  }
  todo.append(
      hierarchy.on_node(with).schedule(levels.within(ranks)),
      {.send = of_node, .recv = {Buffer::recv}, .ranks = levels.node(), .sizes = Origin{Buffer::send}, .like = mine});
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 0;
  const std::int64_t most = situation.places->spread().ranks_per_node;
  return most + situation.ranks + hierarchy.inner_scratch(situation, with) +
         (most * hierarchy.outer_scratch(situation, with));
}

/// In a scatterv a rank that expects less than the root sends would leave others waiting in the MPI library.
bool is_tried(std::string_view value, Collective collective) {
  return collective != Collective::scatterv || value != "native";
}

Parameter tried(Parameter part) {
  part.serves = is_tried;
  return part;
}

std::string refuses_native_parts(const Situation& situation, const Parameters& with) {
  if (situation.collective == Collective::scatterv && hierarchy.communicators(with) > 0)
    return "has a part by the MPI library, where ranks would wait for one that expects less than the root sends";
  return hierarchy.refusal(situation, with);
}

}  // namespace

Algorithm two_level() {
  return {
      .collectives = {Collective::scatter, Collective::scatterv},
      .name = "two_level",
      .says = "scatters to one rank of each node, then on each node",
      .source = "Graham and Shipman 2008; Jain et al. 2018",
      .group = "two_level",
      .parameters = {tried(inner_parameter<hierarchy>({"binomial", "sequential", "shared", "domains", "native"},
                                                      "the scatter on a node")),
                     tried(outer_parameter<hierarchy>({"binomial", "sequential", "native"},
                                                      "the scatter to the leaders"))},
      .latency = "ceil(log2 q) alpha on a node of q ranks, and the scatter's among the nodes",
      .bandwidth = "(q-1) s beta on a node of q ranks, and (p-q) s beta among the nodes",
      .refuses = refuses_native_parts,
      .scratch_blocks = scratch_blocks,
      .shares_memory = shares_memory<hierarchy>,
      .communicators = communicators<hierarchy>,
      .build = build,
  };
}

}  // namespace starling::scatter
