// allgather:two_level: the first rank of each node gathers its blocks, these leaders gather those of all nodes, and
// each broadcasts everything on its node.
//
//   nodes  0 1 | 2 3      rank 0   rank 1   rank 2   rank 3
//   start                 A...     .B..     ..C.     ...D
//   on the nodes          AB..     .B..     ..CD     ...D
//   leaders               ABCD     .B..     ABCD     ...D
//   on the nodes          ABCD     ABCD     ABCD     ABCD

#include "algorithms/shared/two_level.hpp"

#include "algorithms/algorithm.hpp"

namespace starling::allgather {
namespace {

constexpr std::array parts_on_node{Collective::gather, Collective::bcast};
constexpr Hierarchy hierarchy{parts_on_node, Collective::allgatherv};
enum Parts : std::uint8_t { gathered, spread };

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  const Places& places = *team.places;
  const std::vector<int> order = by_node(places);
  const int ranks = levels.node().size();
  const int first = starts_of_nodes(places)[static_cast<std::size_t>(places.node_of(team.rank))];
  const bool in_order = are_consecutive(places);
  Schedule todo(team.blocks());
  const Buffer all = in_order ? Buffer::recv : todo.add_scratch(order);
  if (ranks > 1) {
    todo.append(hierarchy.on_node(with, gathered).schedule(levels.within(ranks)),
                {.send = {Buffer::send}, .recv = {all, first}, .ranks = levels.node()});
  } else {
    todo.copy(sendbuf(0), at(all, first));
  }
  if (levels.leads())
    todo.append(
        hierarchy.across(with).schedule(levels.across(places.nodes())),
        {.send = of_one_node({all, first}, ranks), .recv = of_all_nodes({all}, places), .ranks = levels.leaders()});
  const Origin whole{all, 0, team.blocks()};
  if (ranks > 1)
    todo.append(hierarchy.on_node(with, spread).schedule(levels.within()),
                {.send = whole, .recv = whole, .ranks = levels.node()});
  int slot = 0;
  for (const int rank : order) {
    if (in_order) break;
    todo.copy(at(all, slot++), recvbuf(rank));
  }
  return todo;
}

std::string refuses(const Situation& situation, const Parameters& with) {
  const Part gather = hierarchy.on_node(with, gathered);
  if (situation.collective == Collective::allgatherv && !gather.is_native() && gather.communicators() > 0)
    return "gathers only blocks of one size by parts of the MPI library's";
  return hierarchy.refusal(situation, with);
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 0;
  const std::int64_t most = situation.places->spread().ranks_per_node;
  return (are_consecutive(*situation.places) ? 0 : situation.ranks) +
         hierarchy.inner_scratch(situation, with, gathered) +
         (situation.ranks * hierarchy.inner_scratch(situation, with, spread)) +
         (most * hierarchy.outer_scratch(situation, with));
}

}  // namespace

Algorithm two_level() {
  return {
      .collectives = {Collective::allgather, Collective::allgatherv},
      .name = "two_level",
      .says = "gathers on each node, then among one rank of each node, and broadcasts everything on each node",
      .source = "Graham and Shipman 2008; Jain et al. 2018",
      .group = "two_level",
      .parameters = {inner_parameter<hierarchy>({"binomial", "sequential", "shared", "domains", "native"},
                                                "the gather and the bcast on a node"),
                     outer_parameter<hierarchy>({"ring", "bruck", "native"}, "the allgather of the leaders")},
      .latency = "2 ceil(log2 q) alpha on a node of q ranks, and the allgather's among the nodes",
      .bandwidth = "ceil(log2 q) p s beta on a node of q ranks, and (p-q) s beta among the nodes",
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .shares_memory = shares_memory<hierarchy>,
      .communicators = communicators<hierarchy>,
      .build = build,
  };
}

}  // namespace starling::allgather
