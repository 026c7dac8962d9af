// allreduce:ring: reduce_scatter:ring, then allgather:ring. Every rank sends and receives 2 (p-1) blocks of m / p
// bytes.
//
//            rank 0   rank 1   rank 2   rank 3        blocks whose sum is complete
//   step 3   0...     .1..     ..2.     ...3          after the reduce-scatter
//   step 4   0..3     01..     .12.     ..23
//   step 5   0.23     01.3     012.     .123
//   step 6   0123     0123     0123     0123

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/reduce_then_gather.hpp"

namespace starling::allreduce {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  return reduce_then_gather(team, "ring", "ring");
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*none*/) {
  return scratch_of_reduce_then_gather(situation, "ring", "ring");
}

}  // namespace

Algorithm ring() {
  return {
      .collectives = {Collective::allreduce},
      .name = "ring",
      .says = "sends each block's sum around a ring, and then the result once more",
      .source = "Patarasuk and Yuan 2009; Hartmann et al., section 3.1: ring",
      .group = "ring",
      .needs = {.commutative = true},
      .reduction_order = "ring",
      .counterparts = {{.ompi = "ring", .mpich = "ring", .ucc = "ring"}},
      .latency = "2 (p-1) alpha",
      .bandwidth = "2 (p-1)/p m beta",
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::allreduce
