// alltoall:ring: in step i every rank sends to the rank i places to its right and receives from the one i to its left.
//
//            rank 0      rank 1      rank 2      rank 3
//   step 1   3 -> . -> 1 0 -> . -> 2 1 -> . -> 3 2 -> . -> 0
//   step 2   2 -> . -> 2 3 -> . -> 3 0 -> . -> 0 1 -> . -> 1
//   step 3   1 -> . -> 3 2 -> . -> 0 3 -> . -> 1 0 -> . -> 2

#include "algorithms/algorithm.hpp"

namespace starling::alltoall {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  todo.copy(sendbuf(team.rank), recvbuf(team.rank));
  for (int step = 1; step < team.size; ++step)
    todo.round().receive(recvbuf(team.left(step)), team.left(step)).send(sendbuf(team.right(step)), team.right(step));
  return todo;
}

}  // namespace

Algorithm ring() {
  return {
      .collectives = {Collective::alltoall, Collective::alltoallv, Collective::alltoallw},
      .name = "ring",
      .says = "exchanges with ranks further and further away, one a step",
      .source = "STAR-MPI, section 3.1",
      .group = "ring",
      .synchronisations = {Synchronisation::none, Synchronisation::light_barrier, Synchronisation::mpi_barrier},
      .counterparts = {{.ompi = "pairwise", .ucc = "pairwise"}},
      .latency = "(p-1) alpha",
      .bandwidth = "(p-1) s beta",
      .works_in_place = false,
      .build = build,
  };
}

}  // namespace starling::alltoall
