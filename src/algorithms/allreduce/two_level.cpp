// allreduce:two_level: the ranks of each node reduce to its first one, these leaders reduce to all of them, and each
// broadcasts the result on its node.
//
//   nodes  0 1 2 | 3 4      rank 0   rank 1   rank 2   rank 3   rank 4      ranks that the vector is combined over
//   start                   0        1        2        3        4
//   on the nodes            012      1        2        34       4
//   leaders                 01234    1        2        01234    4
//   on the nodes            01234    01234    01234    01234    01234

#include "algorithms/shared/two_level.hpp"

#include "algorithms/algorithm.hpp"

namespace starling::allreduce {
namespace {

constexpr std::array parts_on_node{Collective::reduce, Collective::bcast};
constexpr Hierarchy hierarchy{parts_on_node, Collective::allreduce};
enum Parts : std::uint8_t { reduced, spread, between };

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  const int blocks = team.blocks();
  Schedule todo(blocks);
  const Buffer sum = levels.leads() ? todo.add_scratch(blocks) : Buffer::recv;
  const auto whole = [&](Buffer buffer, Parts part) { return Origin{buffer, 0, team.scale_of(part)}; };
  if (levels.node().size() == 1) {
    todo.copy(sendbuf(0, blocks), at(sum, 0, blocks));
  } else {
    todo.append(hierarchy.on_node(with, reduced).schedule(levels.within(team.blocks_of(reduced))),
                {.send = whole(Buffer::send, reduced),
                 .recv = whole(sum, reduced),
                 .ranks = levels.node(),
                 .sizes = whole(Buffer::recv, reduced)});
  }
  if (levels.leads())
    todo.append(hierarchy.across(with).schedule(levels.across(team.blocks_of(between))),
                {.send = whole(sum, between), .recv = whole(Buffer::recv, between), .ranks = levels.leaders()});
  if (levels.node().size() > 1)
    todo.append(hierarchy.on_node(with, spread).schedule(levels.within(team.blocks_of(spread))),
                {.send = whole(Buffer::recv, spread), .recv = whole(Buffer::recv, spread), .ranks = levels.node()});
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 1;
  return hierarchy.division(situation, with).blocks + hierarchy.scratch(situation, with);
}

}  // namespace

Algorithm two_level() {
  return {
      .collectives = {Collective::allreduce},
      .name = "two_level",
      .says = "reduces on each node, then among one rank of each node, and broadcasts on each node",
      .source = "Graham and Shipman 2008; Jain et al. 2018",
      .group = "two_level",
      .needs = {.commutative = true},
      .parameters = {inner_parameter<hierarchy>({"binomial", "sequential", "shared", "domains", "native"},
                                                "the reduce and the bcast on a node"),
                     outer_parameter<hierarchy>({"recursive_doubling", "rabenseifner", "ring", "native"},
                                                "the allreduce of the leaders")},
      .reduction_order = "two_level",
      .counterparts = {{.mpich = "smp"}},
      .latency = "2 ceil(log2 q) alpha on a node of q ranks, and the allreduce's among the nodes",
      .bandwidth = "2 ceil(log2 q) m beta on a node of q ranks, and the allreduce's among the nodes",
      .divide = divide<hierarchy>,
      .refuses = refuses<hierarchy>,
      .scratch_blocks = scratch_blocks,
      .shares_memory = shares_memory<hierarchy>,
      .communicators = communicators<hierarchy>,
      .build = build,
  };
}

}  // namespace starling::allreduce
