// allreduce:rab1: Rabenseifner's algorithm: reduce_scatter:recursive_halving, then an allgather of one's choice.
//
//            rank 0   rank 1   rank 2   rank 3        blocks whose sum is complete; here with the ring
//   step 2   0...     .1..     ..2.     ...3          after the reduce-scatter
//   step 3   0..3     01..     .12.     ..23
//   step 4   0.23     01.3     012.     .123
//   step 5   0123     0123     0123     0123

#include "algorithms/algorithm.hpp"
#include "algorithms/part.hpp"
#include "algorithms/shared/reduce_then_gather.hpp"

namespace starling::allreduce {
namespace {

constexpr std::string_view halving = "recursive_halving";

Schedule build(const Team& team, const Parameters& with) {
  return reduce_then_gather(team, halving, with.text("allgather"));
}

std::string refuses(const Situation& situation, const Parameters& with) {
  return Part::named(Collective::allgatherv, with.text("allgather")).refusal(situation);
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  return scratch_of_reduce_then_gather(situation, halving, with.text("allgather"));
}

/// That of the allgather's barriers.
int communicators(const Parameters& with) {
  return Part::named(Collective::allgatherv, with.text("allgather")).communicators();
}

}  // namespace

Algorithm rab1() {
  return {
      .collectives = {Collective::allreduce},
      .name = "rab1",
      .says = "scatters the sum by recursive halving, then gathers it",
      .source = "Rabenseifner 2004; STAR-MPI, section 3.1",
      .group = "rab1",
      .needs = {.commutative = true},
      .parameters = {{"allgather",
                      {"ring", "pairwise", "pairwise_light_barrier", "pairwise_mpi_barrier", "recursive_doubling",
                       "bruck", "simple", "mesh2d", "mesh3d", "switch_ring"},
                      "the allgather that spreads the result; what STAR-MPI calls ring is pairwise"}},
      .reduction_order = "recursive_halving",
      .latency = "log2(p) alpha and the allgather's",
      .bandwidth = "2 (p-1)/p m beta",
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .communicators = communicators,
      .build = build,
  };
}

}  // namespace starling::allreduce
