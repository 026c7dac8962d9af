// reduce_scatter:groups_leader: ranks form a mesh, row by row; the MPI library reduces along every row to its first
// rank, lets these leaders reduce and scatter, and scatters along every row.
//
//   mesh = 3x2      rank 0    rank 1    rank 2    rank 3    rank 4    rank 5        mesh   0 1
//   start           012345    012345    012345    012345    012345    012345               2 3
//   rows            012345              012345              012345                         4 5
//   leaders         01....              ..23..              ....45
//   rows            0.....    .1....    ..2...    ...3..    ....4.    .....5

#include <algorithm>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/orthogonal_groups.hpp"

namespace starling::reduce_scatter {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const OrthogonalGroups mesh(team, with);
  Schedule todo(team.blocks());
  const int holds = std::max(mesh.reach(), 1);
  BlocksOfRanks sums{Buffer::recv};
  if (mesh.heads(mesh.last())) {
    const Blocks whole = at(todo.add_scratch(team.size), 0, team.size);
    reduce_up(todo, mesh, 1, sendbuf(0, team.size), whole);
    sums = {todo.add_scratch(mesh.ranks_of_part(holds), mesh.first(holds)), mesh.first(holds)};
    if (mesh.leads(0)) {
      const Blocks share = sums.of_part(mesh, 1);
      todo.round().join(
          {Collective::reduce_scatter_block, mesh.line(0), 0, mesh.part(1), whole, share, mesh.missing(0)});
    }
  } else {
    reduce_up(todo, mesh, 1, sendbuf(0, team.size), nothing());
  }
  scatter_down(todo, mesh, 1, sums, recvbuf(0));
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  return situation.ranks + OrthogonalGroups({.size = situation.ranks, .rank = 0}, with).part(1);
}

}  // namespace

Algorithm groups_leader() {
  return {
      .collectives = {Collective::reduce_scatter, Collective::reduce_scatter_block},
      .name = "groups_leader",
      .says =
          "lets the MPI library reduce along the rows of a mesh of ranks, reduce and scatter among their first ranks, "
          "and scatter along the rows",
      .source = "after Hartmann, Kühnemann, Rauber and Rünger, section 2",
      .group = "groups_leader",
      .parameters = {mesh_parameter(Rows::last_may_be_short)},
      .reduction_order = "groups_leader",
      .latency = "that of the MPI library's reduce and scatter for rows and reduce_scatter for the leaders",
      .bandwidth = "that of the MPI library's reduce for rows and (p-1) s beta",
      .refuses = any_mesh_of_blocks_refusal,
      .scratch_blocks = scratch_blocks,
      .communicators = sides_of_mesh,
      .build = build,
  };
}

}  // namespace starling::reduce_scatter
