// scatter:groups: ranks form a mesh, row by row; the MPI library scatters in the root's column, the leader group, then
// in all rows at once.
//
//   mesh = 3x2      rank 0    rank 1    rank 2    rank 3    rank 4    rank 5        mesh   0 1
//   start           ABCDEF                                                                 2 3
//   column          AB                  CD                  EF                             4 5
//   rows            A         B         C         D         E         F

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/orthogonal_groups.hpp"

namespace starling::scatter {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const OrthogonalGroups mesh(team, with);
  Schedule todo(team.blocks());
  BlocksOfRanks all{Buffer::send};
  if (team.rank != team.root && mesh.heads(mesh.last()))
    all = {todo.add_scratch(mesh.ranks_of_part(mesh.reach()), mesh.first(mesh.reach())), mesh.first(mesh.reach())};
  scatter_down(todo, mesh, 0, all, recvbuf(0));
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  const OrthogonalGroups mesh({.size = situation.ranks, .rank = 0}, with);
  return mesh.missing(0) > 0 ? situation.ranks : mesh.part(1);  // another rank may lead in the root's place
}

}  // namespace

Algorithm groups() {
  return {
      .collectives = {Collective::scatter},
      .name = "groups",
      .says = "lets the MPI library scatter along the root's column, then along all rows of a mesh of ranks",
      .source = "Hartmann, Kühnemann, Rauber and Rünger, section 2",
      .group = "groups",
      .parameters = {mesh_parameter(Rows::last_may_be_short)},
      .latency = "that of the MPI library's scatter for each side of the mesh",
      .bandwidth = "(p-1) s beta at the root",
      .refuses = any_mesh_of_blocks_refusal,
      .scratch_blocks = scratch_blocks,
      .communicators = sides_of_mesh,
      .build = build,
  };
}

}  // namespace starling::scatter
