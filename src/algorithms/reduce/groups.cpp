// reduce:groups: ranks form a mesh, row by row; the MPI library reduces in all rows at once to the root's column, the
// leader group, then there.
//
//   mesh = 3x2      rank 0    rank 1    rank 2    rank 3    rank 4    rank 5        mesh   0 1
//   start           0         1         2         3         4         5                    2 3
//   rows            01                  23                  45                             4 5
//   column          012345

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/orthogonal_groups.hpp"
#include "algorithms/shared/whole_vector.hpp"

namespace starling::reduce {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const OrthogonalGroups mesh(team, with);
  Schedule todo(team.blocks());
  const bool needs_scratch = mesh.heads(mesh.last()) && team.rank != team.root;
  const Buffer sum = needs_scratch ? todo.add_scratch(team.blocks()) : Buffer::recv;
  reduce_up(todo, mesh, 0, sendbuf(0, team.blocks()), at(sum, 0, team.blocks()));
  return todo;
}

std::int64_t scratch_blocks(const Situation& /*any*/, const Parameters& /*any*/) {
  return 1;
}

}  // namespace

Algorithm groups() {
  return {
      .collectives = {Collective::reduce},
      .name = "groups",
      .says = "lets the MPI library reduce along all rows, then along the root's column of a mesh of ranks",
      .source = "after Hartmann, Kühnemann, Rauber and Rünger, section 2",
      .group = "groups",
      .parameters = {mesh_parameter(Rows::last_may_be_short)},
      .reduction_order = "groups",
      .latency = "that of the MPI library's reduce for each side of the mesh",
      .bandwidth = "that of the MPI library's reduce for each side of the mesh",
      .divide = whole_vector,
      .works_in_place = false,
      .refuses = any_mesh_refusal,
      .scratch_blocks = scratch_blocks,
      .communicators = sides_of_mesh,
      .build = build,
  };
}

}  // namespace starling::reduce
