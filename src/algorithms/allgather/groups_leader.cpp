// allgather:groups_leader: ranks form a mesh, row by row; the MPI library gathers along every row to its first rank,
// lets these leaders gather from each other, and broadcasts along every row.
//
//   mesh = 3x2      rank 0    rank 1    rank 2    rank 3    rank 4    rank 5        mesh   0 1
//   start           A.....    .B....    ..C...    ...D..    ....E.    .....F               2 3
//   rows            AB....    .B....    ..CD..    ...D..    ....EF    .....F               4 5
//   leaders         ABCDEF    .B....    ABCDEF    ...D..    ABCDEF    .....F
//   rows            ABCDEF    ABCDEF    ABCDEF    ABCDEF    ABCDEF    ABCDEF

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/orthogonal_groups.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const OrthogonalGroups mesh(team, with);
  Schedule todo(team.blocks());
  gather_up(todo, mesh, 1, sendbuf(0), {Buffer::recv});
  const Blocks all = recvbuf(0, team.size);
  if (mesh.leads(0)) {
    const Blocks own = recvbuf(mesh.first(1), mesh.ranks_of_part(1));
    todo.round().join({Collective::allgather, mesh.line(0), 0, mesh.part(1), own, all, mesh.missing(0)});
  }
  bcast_down(todo, mesh, 1, all);
  return todo;
}

}  // namespace

Algorithm groups_leader() {
  return {
      .collectives = {Collective::allgather, Collective::allgatherv},
      .name = "groups_leader",
      .says =
          "lets the MPI library gather along the rows of a mesh of ranks, among their first ranks, and broadcast along "
          "the rows",
      .source = "after Hartmann, Kühnemann, Rauber and Rünger, section 2",
      .group = "groups_leader",
      .parameters = {mesh_parameter(Rows::last_may_be_short)},
      .latency = "that of the MPI library's gather and bcast for rows and allgather for the leaders",
      .bandwidth = "(p-1) s beta and the bcast's",
      .refuses = any_mesh_of_blocks_refusal,
      .communicators = sides_of_mesh,
      .build = build,
  };
}

}  // namespace starling::allgather
