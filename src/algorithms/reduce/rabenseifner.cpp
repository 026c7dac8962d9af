// reduce:rabenseifner: reduce_scatter:recursive_halving leaves every rank one block of the result; a binomial tree
// gathers them on the root.
//
//            rank 0   rank 1   rank 2   rank 3        blocks whose sum is complete
//   step 2   0...     .1..     ..2.     ...3          after the reduce-scatter
//   step 3   01..              ..23                   root 0: 1 sends to 0, 3 to 2
//   step 4   0123

#include "algorithms/algorithm.hpp"
#include "algorithms/candidate.hpp"
#include "algorithms/shared/trees.hpp"

namespace starling::reduce {
namespace {

constexpr std::string_view halving = "recursive_halving";

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks);
  const Buffer result = team.rank == team.root ? Buffer::recv : todo.add_scratch(team.size);
  todo.append(part(Collective::reduce_scatter, halving, team),
              {.send = {Buffer::send}, .recv = {result, team.rank}, .sizes = Origin{Buffer::send}});
  gather_up_binomial_tree(todo, team, result);
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*none*/) {
  if (situation.ranks == 1) return 0;
  return situation.ranks + part_scratch_blocks(Collective::reduce_scatter, halving, situation);
}

}  // namespace

Algorithm rabenseifner() {
  return {
      .collectives = {Collective::reduce},
      .name = "rabenseifner",
      .says = "scatters the sum by recursive halving, then gathers it on the root",
      .source = "Rabenseifner 2004",
      .group = "rabenseifner",
      .needs = {.commutative = true},
      .reduction_order = "recursive_halving",
      .counterparts = {{.ompi = "rabenseifner", .mpich = "reduce_scatter_gather", .ucc = "srg"}},
      .latency = "2 ceil(log2 p) alpha",
      .bandwidth = "2 (p-1)/p m beta",
      .works_in_place = false,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::reduce
