// bcast:two_level: the root sends to one rank of each other node, and each of these broadcasts on its node.
//
//   nodes  0 1 2 | 3 4      rank 0   rank 1   rank 2   rank 3   rank 4
//   start                   A
//   leaders                 A                          A
//   on the nodes            A        A        A        A        A

#include "algorithms/shared/two_level.hpp"

#include "algorithms/algorithm.hpp"

namespace starling::bcast {
namespace {

constexpr std::array parts_on_node{Collective::bcast};
constexpr Hierarchy hierarchy{parts_on_node, Collective::bcast};
enum Parts : std::uint8_t { spread, between };

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  Schedule todo(team.blocks());
  const auto whole = [&](Parts part) { return Origin{Buffer::recv, 0, team.scale_of(part)}; };
  if (levels.leads())
    todo.append(hierarchy.across(with).schedule(levels.across(team.blocks_of(between))),
                {.send = whole(between), .recv = whole(between), .ranks = levels.leaders()});
  if (levels.node().size() > 1)
    todo.append(hierarchy.on_node(with).schedule(levels.within(team.blocks_of(spread))),
                {.send = whole(spread), .recv = whole(spread), .ranks = levels.node()});
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  return situation.places == nullptr ? 0 : hierarchy.scratch(situation, with);
}

}  // namespace

Algorithm two_level() {
  return {
      .collectives = {Collective::bcast},
      .name = "two_level",
      .says = "broadcasts to one rank of each node, then on each node",
      .source = "Graham and Shipman 2008; Jain et al. 2018",
      .group = "two_level",
      .parameters = {inner_parameter<hierarchy>({"binomial", "sequential", "shared", "domains", "native"},
                                                "the bcast on a node"),
                     outer_parameter<hierarchy>({"binomial", "scatter_allgather", "native"},
                                                "the bcast to the leaders")},
      .counterparts = {{.mpich = "smp"}},
      .latency = "ceil(log2 q) alpha on a node of q ranks, and the bcast's among the nodes",
      .bandwidth = "ceil(log2 q) m beta on a node of q ranks, and the bcast's among the nodes",
      .divide = divide<hierarchy>,
      .refuses = refuses<hierarchy>,
      .scratch_blocks = scratch_blocks,
      .shares_memory = shares_memory<hierarchy>,
      .communicators = communicators<hierarchy>,
      .build = build,
  };
}

}  // namespace starling::bcast
