// allgather:recursive_doubling: in each step ranks exchange all they have with the rank twice as far away as before.
//
//            rank 0   rank 1   rank 2   rank 3
//   start    A...     .B..     ..C.     ...D
//   step 1   AB..     AB..     ..CD     ..CD
//   step 2   ABCD     ABCD     ABCD     ABCD

#include "algorithms/algorithm.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  todo.copy(sendbuf(0), recvbuf(team.rank));
  for (int have = 1; have < team.size; have *= 2) {
    const int peer = team.rank ^ have;
    todo.round().receive(recvbuf(peer & -have, have), peer).send(recvbuf(team.rank & -have, have), peer);
  }
  return todo;
}

}  // namespace

Algorithm recursive_doubling() {
  return {
      .collectives = {Collective::allgather, Collective::allgatherv},
      .name = "recursive_doubling",
      .says = "exchanges twice as much in each step, with a partner twice as far away",
      .source = "Thakur, Rabenseifner and Gropp 2005, section 4.1; Hartmann et al., section 3.1: hypercube",
      .group = "logarithmic",
      .needs = {.power_of_two = true},
      .counterparts = {{.ompi = "recursive_doubling", .mpich = "recursive_doubling"}},
      .latency = "log2(p) alpha",
      .bandwidth = "(p-1) s beta",
      .build = build,
  };
}

}  // namespace starling::allgather
