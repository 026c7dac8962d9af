// bcast:two_level: the root sends to one rank of each other node, and each of these broadcasts on its node.
//
//   nodes  0 1 2 | 3 4      rank 0   rank 1   rank 2   rank 3   rank 4
//   start                   A
//   leaders                 A                          A
//   on the nodes            A        A        A        A        A

#include "algorithms/shared/two_level.hpp"

#include "algorithms/algorithm.hpp"
#include "algorithms/candidate.hpp"

namespace starling::bcast {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  Schedule todo(team.blocks());
  if (levels.leads())
    todo.append(part(Collective::bcast, with.text("outer"), levels.across(team.blocks())),
                {.send = {Buffer::recv}, .recv = {Buffer::recv}, .ranks = levels.leaders()});
  const Origin whole{Buffer::recv, 0, team.blocks()};
  if (levels.node().size() > 1)
    todo.append(part(Collective::bcast, with.text("inner"), levels.within()),
                {.send = whole, .recv = whole, .ranks = levels.node()});
  return todo;
}

Division divide(const Situation& situation, const Parameters& with) {
  return {division_across(Collective::bcast, situation, with).blocks};
}

std::string refuses(const Situation& situation, const Parameters& with) {
  if (std::string why = two_level_refusal(situation); !why.empty()) return why;
  if (std::string why = inner_refusal(Collective::bcast, situation, with); !why.empty()) return why;
  return outer_refusal(Collective::bcast, situation, with);
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 0;
  return part_scratch_blocks(Collective::bcast, with.text("outer"), across_nodes(Collective::bcast, situation));
}

}  // namespace

Algorithm two_level() {
  return {
      .collectives = {Collective::bcast},
      .name = "two_level",
      .says = "broadcasts to one rank of each node, then on each node",
      .source = "Graham and Shipman 2008; Jain et al. 2018",
      .group = "two_level",
      .parameters = {inner_parameter("the bcast on a node"),
                     outer_parameter({"binomial", "scatter_allgather"}, "the bcast to the leaders")},
      .counterparts = {{.mpich = "smp"}},
      .latency = "ceil(log2 q) alpha on a node of q ranks, and the bcast's among the nodes",
      .bandwidth = "ceil(log2 q) m beta on a node of q ranks, and the bcast's among the nodes",
      .divide = divide,
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .shares_memory = inner_shares_memory,
      .build = build,
  };
}

}  // namespace starling::bcast
