// gather:two_level: the first rank of each node gathers its blocks, the root those of its own, and the root gathers
// from these leaders.
//
//   nodes  0 1 | 2 3      rank 0   rank 1   rank 2   rank 3
//   start                 A        B        C        D
//   on the nodes          AB       B        CD       D
//   leaders               ABCD     B        CD       D

#include "algorithms/shared/two_level.hpp"

#include "algorithms/algorithm.hpp"
#include "algorithms/candidate.hpp"

namespace starling::gather {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  const Places& places = *team.places;
  const int ranks = levels.node().size();
  Schedule todo(team.blocks());
  Origin of_node{Buffer::recv};
  if (levels.leads()) of_node = {todo.add_scratch(ranks)};
  todo.append(part(Collective::gather, with.text("inner"), levels.within(ranks)),
              {.send = {Buffer::send}, .recv = of_node, .ranks = levels.node()});
  if (!levels.leads()) return todo;
  const bool is_root = team.rank == team.root;
  const bool in_order = are_consecutive(places);
  Origin all{Buffer::recv, 0, ranks};
  if (is_root && !in_order) all.buffer = todo.add_scratch(team.size);
  todo.append(part(Collective::gather, with.text("outer"), levels.across(places.nodes())),
              {.send = {of_node.buffer, 0, ranks}, .recv = all, .ranks = levels.leaders()});
  if (!is_root || in_order) return todo;
  for (int node = 0; node < places.nodes(); ++node)
    for (int place = 0; place < ranks; ++place)
      todo.copy(at(all.buffer, (node * ranks) + place), recvbuf(places.on_node(node).rank(place)));
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 0;
  const std::int64_t ranks = situation.places->on_node(0).size();
  return ranks + situation.ranks + inner_scratch_blocks(Collective::gather, situation, with) +
         (ranks *
          part_scratch_blocks(Collective::gather, with.text("outer"), across_nodes(Collective::gather, situation)));
}

std::string refuses(const Situation& situation, const Parameters& with) {
  if (std::string why = even_nodes_refusal(situation); !why.empty()) return why;
  if (std::string why = inner_refusal(Collective::gather, situation, with); !why.empty()) return why;
  return outer_refusal(Collective::gather, situation, with);
}

}  // namespace

Algorithm two_level() {
  return {
      .collectives = {Collective::gather},
      .name = "two_level",
      .says = "gathers on each node, then from one rank of each node",
      .source = "Graham and Shipman 2008; Jain et al. 2018",
      .group = "two_level",
      .parameters = {inner_parameter("the gather on a node"),
                     outer_parameter({"binomial", "sequential"}, "the gather from the leaders")},
      .latency = "ceil(log2 q) alpha on a node of q ranks, and the gather's among the nodes",
      .bandwidth = "(q-1) s beta on a node of q ranks, and (p-q) s beta among the nodes",
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .shares_memory = inner_shares_memory,
      .build = build,
  };
}

}  // namespace starling::gather
