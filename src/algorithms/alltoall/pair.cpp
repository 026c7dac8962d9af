// alltoall:pair: in step i ranks j and j xor i exchange, so that every rank talks to one other at a time.
//
//            rank 0   rank 1   rank 2   rank 3
//   step 1   <-> 1    <-> 0    <-> 3    <-> 2
//   step 2   <-> 2    <-> 3    <-> 0    <-> 1
//   step 3   <-> 3    <-> 2    <-> 1    <-> 0

#include "algorithms/algorithm.hpp"

namespace starling::alltoall {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  todo.copy(sendbuf(team.rank), recvbuf(team.rank));
  for (int step = 1; step < team.size; ++step) {
    const int peer = team.rank ^ step;
    todo.round().receive(recvbuf(peer), peer).send(sendbuf(peer), peer);
  }
  return todo;
}

}  // namespace

Algorithm pair() {
  return {
      .collectives = {Collective::alltoall, Collective::alltoallv, Collective::alltoallw},
      .name = "pair",
      .says = "exchanges with one partner a step, chosen by exclusive or",
      .source = "STAR-MPI, section 3.1",
      .group = "ring",
      .needs = {.power_of_two = true},
      .synchronisations = {Synchronisation::none, Synchronisation::light_barrier, Synchronisation::mpi_barrier},
      .counterparts = {{.mpich = "pairwise"}},
      .latency = "(p-1) alpha",
      .bandwidth = "(p-1) s beta",
      .works_in_place = false,
      .build = build,
  };
}

}  // namespace starling::alltoall
