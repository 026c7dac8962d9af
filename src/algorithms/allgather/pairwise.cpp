// allgather:pairwise: in step i every rank sends its own block to the rank i places to its right and receives that of
// the one i to its left, as alltoall:ring does with blocks of their own for every rank.
//
//            rank 0      rank 1      rank 2      rank 3
//   step 1   3 -> . -> 1 0 -> . -> 2 1 -> . -> 3 2 -> . -> 0
//   step 2   2 -> . -> 2 3 -> . -> 3 0 -> . -> 0 1 -> . -> 1
//   step 3   1 -> . -> 3 2 -> . -> 0 3 -> . -> 1 0 -> . -> 2

#include "algorithms/algorithm.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  todo.copy(sendbuf(0), recvbuf(team.rank));
  for (int step = 1; step < team.size; ++step)
    todo.round().receive(recvbuf(team.left(step)), team.left(step)).send(sendbuf(0), team.right(step));
  return todo;
}

}  // namespace

Algorithm pairwise() {
  return {
      .collectives = {Collective::allgather, Collective::allgatherv},
      .name = "pairwise",
      .says = "sends its own block to ranks further and further away, one a step",
      .source =
          "STAR-MPI, section 3.1, where it is called ring; pairwise as in Thakur, Rabenseifner and Gropp 2005, "
          "section 4.3",
      .group = "ring",
      .synchronisations = {Synchronisation::none, Synchronisation::light_barrier, Synchronisation::mpi_barrier},
      .latency = "(p-1) alpha",
      .bandwidth = "(p-1) s beta",
      .build = build,
  };
}

}  // namespace starling::allgather
