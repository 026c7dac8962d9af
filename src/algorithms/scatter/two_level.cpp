// scatter:two_level: the root scatters to one rank of each node what goes to that node, and each of these scatters it
// there.
//
//   nodes  0 1 | 2 3      rank 0   rank 1   rank 2   rank 3
//   start                 ABCD
//   leaders               ABCD              CD
//   on the nodes          A        B        C        D

#include "algorithms/shared/two_level.hpp"

#include "algorithms/algorithm.hpp"
#include "algorithms/candidate.hpp"

namespace starling::scatter {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  const Places& places = *team.places;
  const int ranks = levels.node().size();
  Schedule todo(team.blocks());
  Origin of_node{Buffer::send};
  if (levels.leads()) {
    of_node = {todo.add_scratch(ranks)};
    Origin all{Buffer::send, 0, ranks};
    if (team.rank == team.root && !are_consecutive(places)) {
      all.buffer = todo.add_scratch(team.size);
      for (int node = 0; node < places.nodes(); ++node)
        for (int place = 0; place < ranks; ++place)
          todo.copy(sendbuf(places.on_node(node).rank(place)), at(all.buffer, (node * ranks) + place));
    }
    const Origin share{of_node.buffer, 0, ranks};
    todo.append(part(Collective::scatter, with.text("outer"), levels.across(places.nodes())),
                {.send = all, .recv = share, .ranks = levels.leaders(), .sizes = Origin{Buffer::send, 0, ranks}});
  }
  todo.append(part(Collective::scatter, with.text("inner"), levels.within(ranks)),
              {.send = of_node, .recv = {Buffer::recv}, .ranks = levels.node(), .sizes = Origin{Buffer::send}});
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 0;
  const std::int64_t ranks = situation.places->on_node(0).size();
  return ranks + situation.ranks + inner_scratch_blocks(Collective::scatter, situation, with) +
         (ranks *
          part_scratch_blocks(Collective::scatter, with.text("outer"), across_nodes(Collective::scatter, situation)));
}

std::string refuses(const Situation& situation, const Parameters& with) {
  if (std::string why = even_nodes_refusal(situation); !why.empty()) return why;
  if (std::string why = inner_refusal(Collective::scatter, situation, with); !why.empty()) return why;
  return outer_refusal(Collective::scatter, situation, with);
}

}  // namespace

Algorithm two_level() {
  return {
      .collectives = {Collective::scatter},
      .name = "two_level",
      .says = "scatters to one rank of each node, then on each node",
      .source = "Graham and Shipman 2008; Jain et al. 2018",
      .group = "two_level",
      .parameters = {inner_parameter("the scatter on a node"),
                     outer_parameter({"binomial", "sequential"}, "the scatter to the leaders")},
      .latency = "ceil(log2 q) alpha on a node of q ranks, and the scatter's among the nodes",
      .bandwidth = "(q-1) s beta on a node of q ranks, and (p-q) s beta among the nodes",
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .shares_memory = inner_shares_memory,
      .build = build,
  };
}

}  // namespace starling::scatter
