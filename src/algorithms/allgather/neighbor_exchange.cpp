// allgather:neighbor_exchange: neighbours exchange, first their own blocks, then in turn with the other neighbour the
// two blocks that came last. Half as many steps as the ring.
//
//            rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
//   start    A.....   .B....   ..C...   ...D..   ....E.   .....F
//   step 1   AB....   AB....   ..CD..   ..CD..   ....EF   ....EF
//   step 2   AB..EF   ABCD..   ABCD..   ..CDEF   ..CDEF   AB..EF
//   step 3   ABCDEF   ABCDEF   ABCDEF   ABCDEF   ABCDEF   ABCDEF

#include <array>

#include "algorithms/algorithm.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  todo.copy(sendbuf(0), recvbuf(team.rank));
  if (team.size == 1) return todo;

  // The even rank of a pair looks right first, the odd one left; what comes from a side moves away by two each time.
  const int side = team.rank % 2 == 0 ? 1 : -1;
  const std::array<int, 2> neighbours{team.right(side), team.left(side)};
  int last = team.rank - (team.rank % 2);  // first of the two blocks that came last
  std::array<int, 2> from_side{last, last};
  todo.round().receive(recvbuf(neighbours[0]), neighbours[0]).send(recvbuf(team.rank), neighbours[0]);
  for (int step = 1; step < team.size / 2; ++step) {
    const auto turn = static_cast<std::size_t>(step % 2);
    int& arriving = from_side[turn];
    arriving = team.wrap(arriving + (turn == 0 ? 2 * side : -2 * side));
    todo.round().receive(recvbuf(arriving, 2), neighbours[turn]).send(recvbuf(last, 2), neighbours[turn]);
    last = arriving;
  }
  return todo;
}

std::string refuses(const Situation& situation, const Parameters& /*none*/) {
  return situation.ranks > 1 && situation.ranks % 2 == 1 ? "needs an even number of ranks" : "";
}

}  // namespace

Algorithm neighbor_exchange() {
  return {
      .collectives = {Collective::allgather, Collective::allgatherv},
      .name = "neighbor_exchange",
      .says = "exchanges two blocks with the left and the right neighbour in turn",
      .source = "Chen, Zhang, Zhang and Yuan 2005",
      .group = "logical_ring",
      .counterparts = {{.ompi = "neighbor", .ucc = "neighbor"}},
      .latency = "p/2 alpha",
      .bandwidth = "(p-1) s beta",
      .refuses = refuses,
      .build = build,
  };
}

}  // namespace starling::allgather
