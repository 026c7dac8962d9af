// bcast:groups: ranks form a mesh, row by row; the MPI library broadcasts in the root's column, the leader group, then
// in all rows at once.
//
//   mesh = 3x2      rank 0    rank 1    rank 2    rank 3    rank 4    rank 5        mesh   0 1
//   start           A                                                                      2 3
//   column          A                   A                   A                              4 5
//   rows            A         A         A         A         A         A

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/orthogonal_groups.hpp"
#include "algorithms/shared/whole_vector.hpp"

namespace starling::bcast {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  Schedule todo(team.blocks());
  bcast_down(todo, OrthogonalGroups(team, with), 0, recvbuf(0, team.blocks()));
  return todo;
}

}  // namespace

Algorithm groups() {
  return {
      .collectives = {Collective::bcast},
      .name = "groups",
      .says = "lets the MPI library broadcast along the root's column, then along all rows of a mesh of ranks",
      .source = "Hartmann, Kühnemann, Rauber and Rünger, section 2",
      .group = "groups",
      .parameters = {mesh_parameter(Rows::last_may_be_short)},
      .latency = "that of the MPI library's bcast for each side of the mesh",
      .bandwidth = "that of the MPI library's bcast for each side of the mesh",
      .divide = whole_vector,
      .refuses = any_mesh_refusal,
      .communicators = sides_of_mesh,
      .build = build,
  };
}

}  // namespace starling::bcast
