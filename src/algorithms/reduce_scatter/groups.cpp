// reduce_scatter:groups: ranks form a mesh, row by row; the MPI library reduces and scatters along every column, so
// that each row has its own blocks, then along every row.
//
//   mesh = 3x2      rank 0    rank 1    rank 2    rank 3    rank 4    rank 5        mesh   0 1
//   start           012345    012345    012345    012345    012345    012345               2 3
//   along columns   01....    01....    ..23..    ..23..    ....45    ....45               4 5
//   along rows      0.....    .1....    ..2...    ...3..    ....4.    .....5

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/orthogonal_groups.hpp"

namespace starling::reduce_scatter {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const OrthogonalGroups mesh(team, with);
  Schedule todo(team.blocks());
  Blocks sums = sendbuf(0, team.size);
  for (int dimension = 0; dimension < mesh.dimensions(); ++dimension) {
    const int count = mesh.part(dimension + 1);
    const bool ends = dimension == mesh.last();
    const Blocks share = ends ? recvbuf(0) : at(todo.add_scratch(count, mesh.first(dimension + 1)), 0, count);
    todo.round().join({Collective::reduce_scatter_block, mesh.line(dimension), 0, count, sums, share});
    sums = share;
  }
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  const OrthogonalGroups mesh({.size = situation.ranks, .rank = 0}, with);
  std::int64_t blocks = 0;
  for (int dimension = 1; dimension < mesh.dimensions(); ++dimension) blocks += mesh.part(dimension);
  return blocks;
}

}  // namespace

Algorithm groups() {
  return {
      .collectives = {Collective::reduce_scatter, Collective::reduce_scatter_block},
      .name = "groups",
      .says = "lets the MPI library reduce and scatter along the columns, then along the rows of a mesh of ranks",
      .source = "after Hartmann, Kühnemann, Rauber and Rünger, section 2",
      .group = "groups",
      .needs = {.commutative = true},
      .parameters = {mesh_parameter()},
      .reduction_order = "groups",
      .latency = "that of the MPI library's reduce_scatter for each side of the mesh",
      .bandwidth = "(p-1) s beta",
      .refuses = mesh_of_blocks_refusal,
      .scratch_blocks = scratch_blocks,
      .communicators = sides_of_mesh,
      .build = build,
  };
}

}  // namespace starling::reduce_scatter
