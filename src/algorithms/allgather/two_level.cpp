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
#include "algorithms/candidate.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  const int ranks = levels.node().size();
  const int first = team.rank - levels.place();
  Schedule todo(team.blocks());
  todo.append(part(Collective::gather, with.text("inner"), levels.within(ranks)),
              {.send = {Buffer::send}, .recv = {Buffer::recv, first}, .ranks = levels.node()});
  const Team across = levels.across(team.size / ranks);
  if (levels.leads())
    todo.append(part(Collective::allgatherv, with.text("outer"), across),
                {.send = {Buffer::recv, first, ranks}, .recv = {Buffer::recv, 0, ranks}, .ranks = levels.leaders()});
  const Origin whole{Buffer::recv, 0, team.blocks()};
  todo.append(part(Collective::bcast, with.text("inner"), levels.within()),
              {.send = whole, .recv = whole, .ranks = levels.node()});
  return todo;
}

std::string refuses(const Situation& situation, const Parameters& with) {
  if (std::string why = even_nodes_refusal(situation); !why.empty()) return why;
  if (!are_consecutive(*situation.places)) return "needs consecutive ranks on each node";
  if (std::string why = inner_refusal(Collective::gather, situation, with); !why.empty()) return why;
  return outer_refusal(Collective::allgatherv, situation, with);
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 0;
  const std::int64_t ranks = situation.places->on_node(0).size();
  return inner_scratch_blocks(Collective::gather, situation, with) +
         (ranks * part_scratch_blocks(Collective::allgatherv, with.text("outer"),
                                      across_nodes(Collective::allgatherv, situation)));
}

}  // namespace

Algorithm two_level() {
  return {
      .collectives = {Collective::allgather},
      .name = "two_level",
      .says = "gathers on each node, then among one rank of each node, and broadcasts everything on each node",
      .source = "Graham and Shipman 2008; Jain et al. 2018",
      .group = "two_level",
      .parameters = {inner_parameter("the gather and the bcast on a node"),
                     outer_parameter({"ring", "bruck"}, "the allgather of the leaders")},
      .latency = "2 ceil(log2 q) alpha on a node of q ranks, and the allgather's among the nodes",
      .bandwidth = "ceil(log2 q) p s beta on a node of q ranks, and (p-q) s beta among the nodes",
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .shares_memory = inner_shares_memory,
      .build = build,
  };
}

}  // namespace starling::allgather
