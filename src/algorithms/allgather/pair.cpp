// allgather:pair: in step i ranks j and j xor i exchange their own blocks, so that every rank talks to one other at a
// time.
//
//            rank 0       rank 1       rank 2       rank 3
//   start    A...         .B..         ..C.         ...D
//   step 1   AB..  <-> 1  AB..  <-> 0  ..CD  <-> 3  ..CD  <-> 2
//   step 2   ABC.  <-> 2  AB.D  <-> 3  A.CD  <-> 0  .BCD  <-> 1
//   step 3   ABCD  <-> 3  ABCD  <-> 2  ABCD  <-> 1  ABCD  <-> 0

#include "algorithms/algorithm.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  todo.copy(sendbuf(0), recvbuf(team.rank));
  for (int step = 1; step < team.size; ++step) {
    const int peer = team.rank ^ step;
    todo.round().receive(recvbuf(peer), peer).send(sendbuf(0), peer);
  }
  return todo;
}

}  // namespace

Algorithm pair() {
  return {
      .collectives = {Collective::allgather, Collective::allgatherv},
      .name = "pair",
      .says = "exchanges its block with one partner a step, chosen by exclusive or",
      .source = "STAR-MPI, section 3.1",
      .group = "ring",
      .needs = {.power_of_two = true},
      .synchronisations = {Synchronisation::none, Synchronisation::light_barrier, Synchronisation::mpi_barrier},
      .latency = "(p-1) alpha",
      .bandwidth = "(p-1) s beta",
      .build = build,
  };
}

}  // namespace starling::allgather
