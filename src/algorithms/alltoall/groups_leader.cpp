// alltoall:groups_leader: ranks form a mesh, row by row; the MPI library gathers along every row to its first rank,
// lets these leaders exchange, and scatters along every row.
//
//   mesh = 2x2      rank 0                    rank 1        rank 2                    rank 3        mesh   0 1
//   start           A0 A1 A2 A3               B0 B1 B2 B3   C0 C1 C2 C3               D0 D1 D2 D3          2 3
//   rows            A0 .. A3, B0 .. B3                      C0 .. C3, D0 .. D3
//   leaders         A0 A1 B0 B1 C0 C1 D0 D1                 A2 A3 B2 B3 C2 C3 D2 D3
//   rows            A0 B0 C0 D0               A1 B1 C1 D1   A2 B2 C2 D2               A3 B3 C3 D3

#include <algorithm>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/orthogonal_groups.hpp"

namespace starling::alltoall {
namespace {

/// More blocks are copied one by one at a leader, which takes longer than any message.
constexpr std::int64_t most_blocks = 1 << 16;
constexpr std::int64_t most_mebibytes = 256;

Schedule build(const Team& team, const Parameters& with) {
  const OrthogonalGroups mesh(team, with);
  Schedule todo(team.blocks());
  const int holds = std::max(mesh.reach(), 1);
  BlocksOfRanks all{Buffer::recv, 0, team.size};
  if (mesh.heads(mesh.last()))
    all = {todo.add_scratch(mesh.ranks_of_part(holds) * team.size), mesh.first(holds), team.size};
  gather_up(todo, mesh, 1, sendbuf(0, team.size), all);
  if (mesh.leads(0)) {
    const int row = mesh.ranks_of_part(1);
    const Buffer packed = todo.add_scratch(row * team.size);
    for (int member = 0; member < row; ++member) {
      for (int first = 0; first < team.size; first += mesh.part(1)) {
        const int theirs = std::min(mesh.part(1), team.size - first);
        todo.copy(at(all.buffer, (member * team.size) + first, theirs),
                  at(packed, (first * row) + (member * theirs), theirs));
      }
    }
    const Blocks arrived = at(all.buffer, 0, row * team.size);
    todo.round().join({Collective::alltoall, mesh.line(0), 0, row * mesh.part(1), at(packed, 0, row * team.size),
                       arrived, row * mesh.missing(0)});
    for (int source = 0; source < team.size; ++source)
      for (int member = 0; member < row; ++member)
        todo.copy(at(all.buffer, (source * row) + member), at(packed, (member * team.size) + source));
    all.buffer = packed;
  }
  scatter_down(todo, mesh, 1, all, recvbuf(0, team.size));
  return todo;
}

std::int64_t blocks_of_a_row(const Situation& situation, const Parameters& with) {
  return std::int64_t{situation.ranks} * OrthogonalGroups({.size = situation.ranks, .rank = 0}, with).part(1);
}

std::string refuses(const Situation& situation, const Parameters& with) {
  if (std::string why = any_mesh_refusal(situation, with); !why.empty()) return why;
  const std::int64_t blocks = blocks_of_a_row(situation, with);
  if (blocks > most_blocks) return "would gather more than " + std::to_string(most_blocks) + " blocks on a leader";
  if (situation.bytes > most_mebibytes * 1024 * 1024 / blocks)
    return "would gather more than " + std::to_string(most_mebibytes) + " MiB on a leader";
  return {};
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  return 2 * blocks_of_a_row(situation, with);
}

}  // namespace

Algorithm groups_leader() {
  return {
      .collectives = {Collective::alltoall},
      .name = "groups_leader",
      .says =
          "lets the MPI library gather along the rows of a mesh of ranks, exchange among their first ranks, and "
          "scatter along the rows",
      .source = "after Hartmann, Kühnemann, Rauber and Rünger, section 2",
      .group = "groups_leader",
      .parameters = {mesh_parameter(Rows::last_may_be_short)},
      .latency = "that of the MPI library's gather and scatter for rows and alltoall for the leaders",
      .bandwidth = "c (p-1) s beta at a leader of c ranks, three times",
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .communicators = sides_of_mesh,
      .build = build,
  };
}

}  // namespace starling::alltoall
