// allgather:ring: in each step every rank passes on to its right the block that it got in the step before.
//
//            rank 0   rank 1   rank 2   rank 3
//   start    A...     .B..     ..C.     ...D
//   step 1   A..D     AB..     .BC.     ..CD
//   step 2   A.CD     AB.D     ABC.     .BCD
//   step 3   ABCD     ABCD     ABCD     ABCD

#include "algorithms/algorithm.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  todo.copy(sendbuf(0), recvbuf(team.rank));
  for (int step = 1; step < team.size; ++step)
    todo.round().receive(recvbuf(team.left(step)), team.left()).send(recvbuf(team.left(step - 1)), team.right());
  return todo;
}

}  // namespace

Algorithm ring() {
  return {
      .collectives = {Collective::allgather, Collective::allgatherv},
      .name = "ring",
      .says = "passes blocks around a ring, one hop a step",
      .source =
          "Thakur, Rabenseifner and Gropp 2005, section 4.1; STAR-MPI, section 4.2, calls it MPICH's logical ring; "
          "Hartmann et al., section 3.1: ring",
      .group = "logical_ring",
      .synchronisations = {Synchronisation::none, Synchronisation::light_barrier, Synchronisation::mpi_barrier},
      .counterparts = {{.ompi = "ring", .mpich = "ring", .ucc = "ring"}},
      .latency = "(p-1) alpha",
      .bandwidth = "(p-1) s beta",
      .build = build,
  };
}

}  // namespace starling::allgather
