// allgather:groups: ranks form a mesh, row by row; the MPI library gathers along every row, then along every column.
//
//   mesh = 3x2      rank 0    rank 1    rank 2    rank 3    rank 4    rank 5        mesh   0 1
//   start           A.....    .B....    ..C...    ...D..    ....E.    .....F               2 3
//   along rows      AB....    AB....    ..CD..    ..CD..    ....EF    ....EF               4 5
//   along columns   ABCDEF    ABCDEF    ABCDEF    ABCDEF    ABCDEF    ABCDEF

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/orthogonal_groups.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const OrthogonalGroups mesh(team, with);
  Schedule todo(team.blocks());
  Blocks own = sendbuf(0);
  for (int dimension = mesh.last(); dimension >= 0; --dimension) {
    const Blocks all = recvbuf(mesh.first(dimension), mesh.part(dimension));
    todo.round().join({Collective::allgather, mesh.line(dimension), 0, mesh.part(dimension + 1), own, all});
    own = all;
  }
  return todo;
}

}  // namespace

Algorithm groups() {
  return {
      .collectives = {Collective::allgather, Collective::allgatherv},
      .name = "groups",
      .says = "lets the MPI library gather along the rows, then along the columns of a mesh of ranks",
      .source = "Hartmann, Kühnemann, Rauber and Rünger, section 2",
      .group = "groups",
      .parameters = {mesh_parameter()},
      .latency = "that of the MPI library's allgather for each side of the mesh",
      .bandwidth = "(p-1) s beta",
      .refuses = mesh_of_blocks_refusal,
      .communicators = sides_of_mesh,
      .build = build,
  };
}

}  // namespace starling::allgather
