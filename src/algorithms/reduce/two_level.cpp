// reduce:two_level: the ranks of each node reduce to its first one, the root on its own node, and these to the root.
//
//   nodes  0 1 2 | 3 4      rank 0   rank 1   rank 2   rank 3   rank 4      ranks that the vector is combined over
//   start                   0        1        2        3        4
//   on the nodes            012      1        2        34       4
//   leaders                 01234

#include "algorithms/shared/two_level.hpp"

#include "algorithms/algorithm.hpp"

namespace starling::reduce {
namespace {

constexpr std::array parts_on_node{Collective::reduce};
constexpr Hierarchy hierarchy{parts_on_node, Collective::reduce};
enum Parts : std::uint8_t { of_node, between };

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  Schedule todo(team.blocks());
  const auto whole = [&](Buffer buffer, Parts part) { return Origin{buffer, 0, team.scale_of(part)}; };
  Buffer own = Buffer::send;
  if (levels.node().size() > 1) {
    if (levels.leads()) own = todo.add_scratch(team.blocks());
    todo.append(hierarchy.on_node(with).schedule(levels.within(team.blocks_of(of_node))),
                {.send = whole(Buffer::send, of_node),
                 .recv = whole(levels.leads() ? own : Buffer::recv, of_node),
                 .ranks = levels.node(),
                 .sizes = whole(Buffer::recv, of_node)});
  }
  if (levels.leads())
    todo.append(hierarchy.across(with).schedule(levels.across(team.blocks_of(between))),
                {.send = whole(own, between), .recv = whole(Buffer::recv, between), .ranks = levels.leaders()});
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 1;
  return hierarchy.division(situation, with).blocks + hierarchy.scratch(situation, with);
}

}  // namespace

Algorithm two_level() {
  return {
      .collectives = {Collective::reduce},
      .name = "two_level",
      .says = "reduces on each node, then among one rank of each node",
      .source = "Graham and Shipman 2008; Jain et al. 2018",
      .group = "two_level",
      .needs = {.commutative = true},
      .parameters = {inner_parameter<hierarchy>({"binomial", "sequential", "shared", "domains", "native"},
                                                "the reduce on a node"),
                     outer_parameter<hierarchy>({"binomial", "sequential", "rabenseifner", "native"},
                                                "the reduce of the leaders")},
      .reduction_order = "two_level",
      .counterparts = {{.mpich = "smp"}},
      .latency = "ceil(log2 q) alpha on a node of q ranks, and the reduce's among the nodes",
      .bandwidth = "ceil(log2 q) m beta on a node of q ranks, and the reduce's among the nodes",
      .divide = divide<hierarchy>,
      .works_in_place = false,
      .refuses = refuses<hierarchy>,
      .scratch_blocks = scratch_blocks,
      .shares_memory = shares_memory<hierarchy>,
      .communicators = communicators<hierarchy>,
      .build = build,
  };
}

}  // namespace starling::reduce
