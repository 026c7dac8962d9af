// allreduce:multilane: the ranks of each node reduce and scatter, so that each has a share of the vector, reduce this
// with the ranks that stand on the other nodes where they stand, their lane, and gather all shares on each node. All
// ranks send to other nodes at once.
//
//   nodes  0 1 | 2 3         rank 0   rank 1   rank 2   rank 3      two shares
//   start                    0 0      1 1      2 2      3 3
//   on the nodes             01 .     . 01     23 .     . 23
//   lanes  0 2 | 1 3         all .    . all    all .    . all
//   on the nodes             all all  all all  all all  all all
//
// There are as many shares as the smallest node has ranks. The other ranks of larger nodes have none.

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/lanes.hpp"
#include "algorithms/shared/two_level.hpp"

namespace starling::allreduce {
namespace {

constexpr std::array parts_on_node{Collective::reduce_scatter, Collective::allgatherv};
constexpr Hierarchy hierarchy{parts_on_node, Collective::allreduce, true};
enum Parts : std::uint8_t { reduced, spread };

/// How the allreduce of a lane divides its share.
int blocks_of_a_share(const Situation& situation, const Parameters& with) {
  return hierarchy.across(with)
      .division(across_nodes(Collective::allreduce, situation, lanes_of(*situation.places)))
      .blocks;
}

Schedule build(const Team& team, const Parameters& with) {
  const TwoLevels levels(team);
  const int lanes = lanes_of(*team.places);
  const int ranks = levels.node().size();
  const int share = team.blocks() / lanes;
  const bool has_share = levels.place() < lanes;
  const int first = has_share ? levels.place() * share : 0;
  const int count = has_share ? share : 0;
  std::vector<int> starts;
  for (int lane = 0; lane <= lanes; ++lane) starts.push_back(lane * share);
  Schedule todo(team.blocks());
  const Buffer sum = todo.add_scratch(count, first);
  const Origin whole = for_lanes({Buffer::recv}, starts, ranks);
  todo.append(hierarchy.on_node(with, reduced).schedule(levels.within(ranks)),
              {.send = for_lanes({Buffer::send}, starts, ranks),
               .recv = {sum, 0, count},
               .ranks = levels.node(),
               .sizes = whole});
  if (has_share)
    todo.append(hierarchy.across(with).schedule(levels.across(share)),
                {.send = {sum}, .recv = {Buffer::recv, first}, .ranks = levels.lane()});
  todo.append(hierarchy.on_node(with, spread).schedule(levels.within(ranks)),
              {.send = {Buffer::recv, first, count}, .recv = whole, .ranks = levels.node()});
  return todo;
}

Division divide_in_shares(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return {};
  return {lanes_of(*situation.places) * blocks_of_a_share(situation, with)};
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.places == nullptr) return 1;
  const std::int64_t share = blocks_of_a_share(situation, with);
  return share +
         (share *
          (hierarchy.inner_scratch(situation, with, reduced) + hierarchy.inner_scratch(situation, with, spread))) +
         hierarchy.outer_scratch(situation, with);
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
      .parameters = {inner_parameter<hierarchy>({"pairwise+simple", "shared", "native"},
                                                "the reduce_scatter and the allgather on a node"),
                     outer_parameter<hierarchy>({"recursive_doubling", "rabenseifner", "ring", "native"},
                                                "the allreduce of each lane")},
      .reduction_order = "multilane",
      .latency = "2 (q-1) alpha on a node of q ranks, and the allreduce's among the nodes",
      .bandwidth = "2 (q-1)/q m beta on a node of q ranks, and the allreduce's of m/q bytes among the nodes",
      .divide = divide_in_shares,
      .refuses = refuses<hierarchy>,
      .scratch_blocks = scratch_blocks,
      .shares_memory = shares_memory<hierarchy>,
      .communicators = communicators<hierarchy>,
      .build = build,
  };
}

}  // namespace starling::allreduce
