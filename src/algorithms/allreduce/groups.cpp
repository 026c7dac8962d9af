// allreduce:groups: ranks form a mesh, row by row; the MPI library reduces and scatters along every row, so that each
// column has a share of the vector, sums that along the column, and gathers the shares along every row. A sum is made
// in one column only: were whole vectors summed in all columns, their results could differ in their last bits.
//
//   mesh = 3x2      rank 0    rank 1    rank 2    rank 3    rank 4    rank 5        mesh   0 1
//   start           0 0       1 1       2 2       3 3       4 4       5 5                  2 3
//   along rows      01 .      . 01      23 .      . 23      45 .      . 45                 4 5
//   along columns   all .     . all     all .     . all     all .     . all
//   along rows      all all   all all   all all   all all   all all   all all

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/orthogonal_groups.hpp"

namespace starling::allreduce {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const OrthogonalGroups mesh(team, with);
  Schedule todo(team.blocks());
  int first = 0;
  int count = team.blocks();
  Blocks sum = sendbuf(first, count);
  for (int dimension = mesh.last(); dimension >= 1; --dimension) {
    count /= mesh.side(dimension);
    first += mesh.place(dimension) * count;
    const Blocks share = at(todo.add_scratch(count, first), 0, count);
    todo.round().join({Collective::reduce_scatter_block, mesh.line(dimension), 0, count, sum, share});
    sum = share;
  }
  todo.round().join({Collective::allreduce, mesh.line(0), 0, 1, sum, sum});
  for (int dimension = 1; dimension < mesh.dimensions(); ++dimension) {
    first -= mesh.place(dimension) * count;
    const Blocks all = recvbuf(first, count * mesh.side(dimension));
    todo.round().join({Collective::allgather, mesh.line(dimension), 0, count, sum, all});
    count = all.count;
    sum = all;
  }
  return todo;
}

/// A share of the vector for each column.
Division shares(const Situation& situation, const Parameters& with) {
  return {OrthogonalGroups({.size = situation.ranks, .rank = 0}, with).part(1)};
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  const OrthogonalGroups mesh({.size = situation.ranks, .rank = 0}, with);
  std::int64_t blocks = 0;
  int count = mesh.part(1);
  for (int dimension = mesh.last(); dimension >= 1; --dimension) blocks += count /= mesh.side(dimension);
  return blocks;
}

}  // namespace

Algorithm groups() {
  return {
      .collectives = {Collective::allreduce},
      .name = "groups",
      .says =
          "lets the MPI library reduce shares of the vector along the rows, then along the columns of a mesh of ranks, "
          "and gather them",
      .source = "after Hartmann, Kühnemann, Rauber and Rünger, section 2",
      .group = "groups",
      .parameters = {mesh_parameter()},
      .reduction_order = "groups",
      .latency = "that of the MPI library's reduce_scatter and allgather for rows and allreduce for columns",
      .bandwidth = "2 (c-1)/c m beta and the allreduce's of m/c bytes, with c columns",
      .divide = shares,
      .refuses = mesh_of_blocks_refusal,
      .scratch_blocks = scratch_blocks,
      .communicators = sides_of_mesh,
      .build = build,
  };
}

}  // namespace starling::allreduce
