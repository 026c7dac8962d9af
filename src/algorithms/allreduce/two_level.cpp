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
#include "algorithms/candidate.hpp"

namespace starling::allreduce {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  const int blocks = team.blocks();
  Schedule todo(blocks);
  const Buffer sum = levels.leads() ? todo.add_scratch(blocks) : Buffer::recv;
  const Origin whole{Buffer::recv, 0, blocks};
  if (levels.node().size() == 1) {
    todo.copy(sendbuf(0, blocks), at(sum, 0, blocks));
  } else {
    todo.append(part(Collective::reduce, with.text("inner"), levels.within()),
                {.send = {Buffer::send, 0, blocks}, .recv = {sum, 0, blocks}, .ranks = levels.node(), .sizes = whole});
  }
  if (levels.leads())
    todo.append(part(Collective::allreduce, with.text("outer"), levels.across(blocks)),
                {.send = {sum}, .recv = {Buffer::recv}, .ranks = levels.leaders()});
  if (levels.node().size() > 1)
    todo.append(part(Collective::bcast, with.text("inner"), levels.within()),
                {.send = whole, .recv = whole, .ranks = levels.node()});
  return todo;
}

Division divide(const Situation& situation, const Parameters& with) {
  return {division_across(Collective::allreduce, situation, with).blocks};
}

std::string refuses(const Situation& situation, const Parameters& with) {
  if (std::string why = two_level_refusal(situation); !why.empty()) return why;
  if (std::string why = inner_refusal(Collective::reduce, situation, with); !why.empty()) return why;
  return outer_refusal(Collective::allreduce, situation, with);
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 1;
  const std::int64_t blocks = divide(situation, with).blocks;
  const Situation outer = across_nodes(Collective::allreduce, situation);
  return blocks + (blocks * inner_scratch_blocks(Collective::reduce, situation, with)) +
         part_scratch_blocks(Collective::allreduce, with.text("outer"), outer);
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
      .parameters = {inner_parameter("the reduce and the bcast on a node"),
                     outer_parameter({"recursive_doubling", "rabenseifner", "ring"}, "the allreduce of the leaders")},
      .reduction_order = "two_level",
      .counterparts = {{.mpich = "smp"}},
      .latency = "2 ceil(log2 q) alpha on a node of q ranks, and the allreduce's among the nodes",
      .bandwidth = "2 ceil(log2 q) m beta on a node of q ranks, and the allreduce's among the nodes",
      .divide = divide,
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .shares_memory = inner_shares_memory,
      .build = build,
  };
}

}  // namespace starling::allreduce
