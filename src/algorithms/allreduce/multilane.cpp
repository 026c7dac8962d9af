// allreduce:multilane: the ranks of each node reduce and scatter, so that each has a share of the vector, reduce this
// with the ranks that stand on the other nodes where they stand, their lane, and gather all shares on each node. All
// ranks send to other nodes at once.
//
//   nodes  0 1 | 2 3         rank 0   rank 1   rank 2   rank 3      two shares
//   start                    0 0      1 1      2 2      3 3
//   on the nodes             01 .     . 01     23 .     . 23
//   lanes  0 2 | 1 3         all .    . all    all .    . all
//   on the nodes             all all  all all  all all  all all

#include "algorithms/algorithm.hpp"
#include "algorithms/candidate.hpp"
#include "algorithms/shared/two_level.hpp"

namespace starling::allreduce {
namespace {

/// The allgatherv on a node that goes with the reduce_scatter there.
std::string_view gather(const Parameters& with) {
  return inner_shares_memory(with) ? with.text("inner") : "simple";
}

int ranks_on_a_node(const Situation& situation) {
  return situation.places->on_node(0).size();
}

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  const int ranks = levels.node().size();
  const int share = team.blocks() / ranks;
  const int mine = levels.place() * share;
  Schedule todo(team.blocks());
  const Buffer sum = todo.add_scratch(share, mine);
  const Origin whole{Buffer::recv, 0, share};
  todo.append(part(Collective::reduce_scatter, with.text("inner"), levels.within(ranks)),
              {.send = {Buffer::send, 0, share}, .recv = {sum, 0, share}, .ranks = levels.node(), .sizes = whole});
  todo.append(part(Collective::allreduce, with.text("outer"), levels.across(share)),
              {.send = {sum}, .recv = {Buffer::recv, mine}, .ranks = levels.lane()});
  todo.append(part(Collective::allgatherv, gather(with), levels.within(ranks)),
              {.send = {Buffer::recv, mine, share}, .recv = whole, .ranks = levels.node()});
  return todo;
}

Division divide(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return {};
  const int ranks = ranks_on_a_node(situation);
  return {ranks * division_across(Collective::allreduce, situation, with, ranks).blocks};
}

std::string refuses(const Situation& situation, const Parameters& with) {
  if (std::string why = even_nodes_refusal(situation); !why.empty()) return why;
  if (std::string why = inner_refusal(Collective::reduce_scatter, situation, with); !why.empty()) return why;
  return part_refusal(Collective::allreduce, with.text("outer"),
                      across_nodes(Collective::allreduce, situation, ranks_on_a_node(situation)));
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 1;
  const int ranks = ranks_on_a_node(situation);
  const Situation lane = across_nodes(Collective::allreduce, situation, ranks);
  const std::int64_t share = division_across(Collective::allreduce, situation, with, ranks).blocks;
  return share + (share * inner_scratch_blocks(Collective::reduce_scatter, situation, with)) +
         part_scratch_blocks(Collective::allreduce, with.text("outer"), lane);
}

}  // namespace

Algorithm multilane() {
  return {
      .collectives = {Collective::allreduce},
      .name = "multilane",
      .says =
          "reduces shares of the vector on each node, then each share across the nodes, and gathers them on each node",
      .source = "Träff and Hunold 2020",
      .group = "multilane",
      .needs = {.commutative = true},
      .parameters = {inner_parameter("the reduce_scatter and the allgather on a node", {"pairwise", "shared"}),
                     outer_parameter({"recursive_doubling", "rabenseifner", "ring"}, "the allreduce of each lane")},
      .reduction_order = "multilane",
      .latency = "2 (q-1) alpha on a node of q ranks, and the allreduce's among the nodes",
      .bandwidth = "2 (q-1)/q m beta on a node of q ranks, and the allreduce's of m/q bytes among the nodes",
      .divide = divide,
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .shares_memory = inner_shares_memory,
      .build = build,
  };
}

}  // namespace starling::allreduce
