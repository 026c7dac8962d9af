// allreduce:groups_leader: ranks form a mesh, row by row; the MPI library reduces along every row to its first rank,
// lets these leaders reduce to all of them, and broadcasts along every row.
//
//   mesh = 3x2      rank 0    rank 1    rank 2    rank 3    rank 4    rank 5        mesh   0 1
//   start           0         1         2         3         4         5                    2 3
//   rows            01        1         23        3         45        5                    4 5
//   leaders         012345    1         012345    3         012345    5
//   rows            012345    012345    012345    012345    012345    012345

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/orthogonal_groups.hpp"
#include "algorithms/shared/whole_vector.hpp"

namespace starling::allreduce {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const OrthogonalGroups mesh(team, with);
  Schedule todo(team.blocks());
  const Blocks sum = recvbuf(0, team.blocks());
  reduce_up(todo, mesh, 1, sendbuf(0, team.blocks()), sum);
  if (mesh.leads(0)) todo.round().join({Collective::allreduce, mesh.line(0), 0, 1, sum, sum});
  bcast_down(todo, mesh, 1, sum);
  return todo;
}

}  // namespace

Algorithm groups_leader() {
  return {
      .collectives = {Collective::allreduce},
      .name = "groups_leader",
      .says =
          "lets the MPI library reduce along the rows of a mesh of ranks, among their first ranks, and broadcast along "
          "the rows",
      .source = "after Hartmann, Kühnemann, Rauber and Rünger, section 2",
      .group = "groups_leader",
      .parameters = {mesh_parameter(Rows::last_may_be_short)},
      .reduction_order = "groups_leader",
      .latency = "that of the MPI library's reduce and bcast for rows and allreduce for the leaders",
      .bandwidth = "that of the MPI library's reduce and bcast for rows and allreduce for the leaders",
      .divide = whole_vector,
      .refuses = any_mesh_refusal,
      .communicators = sides_of_mesh,
      .build = build,
  };
}

}  // namespace starling::allreduce
