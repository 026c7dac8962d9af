// alltoall:groups: ranks form a mesh, row by row; along every row the MPI library takes each block to the column of its
// destination, and along every column to its row.
//
//   mesh = 2x2      rank 0        rank 1        rank 2        rank 3                mesh   0 1
//   start           A0 A1 A2 A3   B0 B1 B2 B3   C0 C1 C2 C3   D0 D1 D2 D3                  2 3
//   along rows      A0 A2 B0 B2   A1 A3 B1 B3   C0 C2 D0 D2   C1 C3 D1 D3
//   along columns   A0 B0 C0 D0   A1 B1 C1 D1   A2 B2 C2 D2   A3 B3 C3 D3

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/orthogonal_groups.hpp"

namespace starling::alltoall {
namespace {

/// A block for each place of the mesh. Those of one place in the dimension `outer` stand together, in the order of the
/// other places; in the dimension -1 all stand in the order of places.
int slot(const OrthogonalGroups& mesh, int block, int outer) {
  if (outer < 0) return block;
  const int inner = mesh.part(outer + 1);
  const int place = block / inner % mesh.side(outer);
  const int others = (block / (inner * mesh.side(outer)) * inner) + (block % inner);
  return (place * (mesh.part(0) / mesh.side(outer))) + others;
}

Schedule build(const Team& team, const Parameters& with) {
  const OrthogonalGroups mesh(team, with);
  Schedule todo(team.blocks());
  const Buffer packed = todo.add_scratch(team.size);
  const Buffer arrived = todo.add_scratch(team.size);
  Buffer from = Buffer::send;
  int order = -1;
  for (int dimension = mesh.last(); dimension >= 0; --dimension) {
    for (int block = 0; block < team.size; ++block)
      todo.copy(at(from, slot(mesh, block, order)), at(packed, slot(mesh, block, dimension)));
    from = dimension == 0 ? Buffer::recv : arrived;
    todo.round().join({Collective::alltoall, mesh.line(dimension), 0, team.size / mesh.side(dimension),
                       at(packed, 0, team.size), at(from, 0, team.size)});
    order = dimension;
  }
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*any*/) {
  return std::int64_t{2} * situation.ranks;
}

}  // namespace

Algorithm groups() {
  return {
      .collectives = {Collective::alltoall},
      .name = "groups",
      .says = "lets the MPI library exchange along the rows, then along the columns of a mesh of ranks",
      .source = "after Hartmann, Kühnemann, Rauber and Rünger, section 2",
      .group = "groups",
      .parameters = {mesh_parameter()},
      .latency = "that of the MPI library's alltoall for each side of the mesh",
      .bandwidth = "(p-1) s beta for each side, about",
      .refuses = mesh_parameter_refusal,
      .scratch_blocks = scratch_blocks,
      .communicators = sides_of_mesh,
      .build = build,
  };
}

}  // namespace starling::alltoall
