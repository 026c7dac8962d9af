// allreduce:rab2: an alltoall brings block i of every vector to rank i, which combines them; an allgather spreads the
// results.
//
//            rank 0        rank 1        rank 2        rank 3        "xi": block i of rank x
//   step 3   00 10 20 30   01 11 21 31   02 12 22 32   03 13 23 33   after the alltoall, here the ring
//   then     0...          .1..          ..2.          ...3          blocks whose sum is complete
//   step 6   0123          0123          0123          0123

#include <string>

#include "algorithms/algorithm.hpp"
#include "algorithms/part.hpp"
#include "algorithms/shared/combining.hpp"

namespace starling::allreduce {
namespace {

/// The allgather with the alltoall's synchronisation, where it is the same exchange; the ring of switches has none.
std::string gather_of(const Parameters& with) {
  constexpr std::string_view exchange = "ring";
  std::string gather(with.text("allgather"));
  if (gather == "pairwise") gather.append(with.text("alltoall").substr(exchange.size()));
  return gather;
}

Schedule build(const Team& team, const Parameters& with) {
  Schedule todo(team.blocks());
  const Buffer arrived = todo.add_scratch_like(team.size, team.rank);
  todo.append(Part::named(Collective::alltoall, with.text("alltoall")).schedule(team),
              {.send = {Buffer::send}, .recv = {arrived}});
  combine_in_order(todo, arrived, team.size, team.rank);
  todo.append(Part::named(Collective::allgatherv, gather_of(with)).schedule(team),
              {.send = {Buffer::recv, team.rank}, .recv = {Buffer::recv}});
  return todo;
}

std::string refuses(const Situation& situation, const Parameters& with) {
  return Part::named(Collective::allgatherv, gather_of(with)).refusal(situation);
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*any*/) {
  return situation.ranks;
}

/// That of the alltoall's barriers.
int communicators(const Parameters& with) {
  return Part::named(Collective::alltoall, with.text("alltoall")).communicators();
}

}  // namespace

Algorithm rab2() {
  return {
      .collectives = {Collective::allreduce},
      .name = "rab2",
      .says = "exchanges blocks all to all, combines them, then gathers the results",
      .source = "STAR-MPI, section 3.1",
      .group = "rab2",
      .parameters = {{"alltoall",
                      {"ring", "ring_light_barrier", "ring_mpi_barrier"},
                      "the alltoall that brings blocks together"},
                     {"allgather",
                      {"pairwise", "switch_ring"},
                      "the allgather that spreads the result; pairwise, STAR-MPI's ring, is synchronised as the "
                      "alltoall is"}},
      .reduction_order = "by_rank",
      .latency = "2 (p-1) alpha",
      .bandwidth = "2 (p-1)/p m beta",
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .communicators = communicators,
      .build = build,
  };
}

}  // namespace starling::allreduce
