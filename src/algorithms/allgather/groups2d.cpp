// allgather:groups2d: ranks form a mesh, row by row; the MPI library gathers along every row, then along every column.
//
//   rows = 2        rank 0    rank 1    rank 2    rank 3    rank 4    rank 5        mesh   0 1 2
//   start           A.....    .B....    ..C...    ...D..    ....E.    .....F               3 4 5
//   along rows      ABC...    ABC...    ABC...    ...DEF    ...DEF    ...DEF
//   along columns   ABCDEF    ABCDEF    ABCDEF    ABCDEF    ABCDEF    ABCDEF

#include "algorithms/algorithm.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const int rows = static_cast<int>(with.number("rows"));
  const int columns = team.size / rows;
  const RankSet my_row = RankSet::row(team.rank / columns, columns);
  const RankSet my_column = RankSet::column(team.rank % columns, rows, columns);

  Schedule todo(team.blocks());
  const Buffer row = todo.add_scratch(columns);
  todo.round().join({Collective::allgather, my_row, 0, 1, sendbuf(0), at(row, 0, columns)});
  todo.round().join({Collective::allgather, my_column, 0, columns, at(row, 0, columns), recvbuf(0, team.size)});
  return todo;
}

std::string refuses(const Situation& situation, const Parameters& with) {
  const std::int64_t rows = with.number("rows");
  if (rows < 2) return "needs at least 2 rows";
  if (situation.ranks % rows != 0) return "needs a number of ranks that " + std::to_string(rows) + " divides";
  if (rows == situation.ranks) return "needs rows of at least 2 ranks";
  return {};
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  return situation.ranks / with.number("rows");
}

}  // namespace

Algorithm groups2d() {
  return {
      .collectives = {Collective::allgather},
      .name = "groups2d",
      .says = "lets the MPI library gather along the rows, then along the columns of a mesh of ranks",
      .source = "Hartmann, Kühnemann, Rauber and Rünger, section 2",
      .group = "groups",
      .parameters = {{"rows",
                      {"2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16"},
                      "rows of the mesh; it must divide the number of ranks"}},
      .latency = "that of the MPI library for p/rows and for rows ranks",
      .bandwidth = "(p-1) s beta",
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::allgather
