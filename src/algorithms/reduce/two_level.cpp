// reduce:two_level: the ranks of each node reduce to its first one, the root on its own node, and these to the root.
//
//   nodes  0 1 2 | 3 4      rank 0   rank 1   rank 2   rank 3   rank 4      ranks that the vector is combined over
//   start                   0        1        2        3        4
//   on the nodes            012      1        2        34       4
//   leaders                 01234

#include "algorithms/shared/two_level.hpp"

#include "algorithms/algorithm.hpp"
#include "algorithms/candidate.hpp"
#include "algorithms/shared/whole_vector.hpp"

namespace starling::reduce {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  Schedule todo(team.blocks());
  Buffer own = Buffer::send;
  if (levels.node().size() > 1) {
    if (levels.leads()) own = todo.add_scratch(1);
    todo.append(part(Collective::reduce, with.text("inner"), levels.within()),
                {.send = {Buffer::send}, .recv = {levels.leads() ? own : Buffer::recv}, .ranks = levels.node()});
  }
  if (levels.leads())
    todo.append(part(Collective::reduce, with.text("outer"), levels.across(1)),
                {.send = {own}, .recv = {Buffer::recv}, .ranks = levels.leaders()});
  return todo;
}

std::string refuses(const Situation& situation, const Parameters& with) {
  if (std::string why = two_level_refusal(situation); !why.empty()) return why;
  if (std::string why = inner_refusal(Collective::reduce, situation, with); !why.empty()) return why;
  return outer_refusal(Collective::reduce, situation, with);
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 1;
  return 1 + inner_scratch_blocks(Collective::reduce, situation, with) +
         part_scratch_blocks(Collective::reduce, with.text("outer"), across_nodes(Collective::reduce, situation));
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
      .parameters = {inner_parameter("the reduce on a node"),
                     outer_parameter({"binomial", "sequential"}, "the reduce of the leaders")},
      .reduction_order = "two_level",
      .counterparts = {{.mpich = "smp"}},
      .latency = "ceil(log2 q) alpha on a node of q ranks, and the reduce's among the nodes",
      .bandwidth = "ceil(log2 q) m beta on a node of q ranks, and the reduce's among the nodes",
      .divide = whole_vector,
      .works_in_place = false,
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .shares_memory = inner_shares_memory,
      .build = build,
  };
}

}  // namespace starling::reduce
