// allgather:sparbit: as bruck with the distances halved instead of doubled: what a rank has lies at multiples of the
// distance to its left, and every block goes straight to its place. Most data moves over short distances.
//
//                       rank 0   rank 1   rank 2   rank 3   rank 4
//   start               A....    .B...    ..C..    ...D.    ....E
//   step 1, distance 4  AB...    .BC..    ..CD.    ...DE    A...E
//   step 2, distance 2  AB.D.    .BC.E    A.CD.    .B.DE    A.C.E
//   step 3, distance 1  ABCDE    ABCDE    ABCDE    ABCDE    ABCDE

#include <bit>

#include "algorithms/algorithm.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  todo.copy(sendbuf(0), recvbuf(team.rank));
  const auto multiples = [&](int distance) { return ((team.size - 1) / distance) + 1; };
  for (int distance = static_cast<int>(std::bit_ceil(static_cast<unsigned>(team.size))) / 2; distance > 0;
       distance /= 2) {
    Round& round = todo.round();
    const int had = multiples(2 * distance);
    for (int i = 0; i < multiples(distance) - had; ++i) {
      round.receive(recvbuf(team.left(((2 * i) + 1) * distance)), team.left(distance));
      round.send(recvbuf(team.left(2 * i * distance)), team.right(distance));
    }
  }
  return todo;
}

}  // namespace

Algorithm sparbit() {
  return {
      .collectives = {Collective::allgather, Collective::allgatherv},
      .name = "sparbit",
      .says = "doubles the blocks of every rank in each step, over distances that halve",
      .source = "Loch and Koslovski 2021",
      .group = "logarithmic",
      .counterparts = {{.ompi = "sparbit", .ucc = "sparbit"}},
      .latency = "ceil(log2 p) alpha",
      .bandwidth = "(p-1) s beta",
      .build = build,
  };
}

}  // namespace starling::allgather
