// alltoall:recursive_doubling: allgather:recursive_doubling of everything, blocks for others too; then every rank picks
// its own. A mesh of log2(p) dimensions.
//
//            rank 0        rank 1        rank 2        rank 3        all blocks of the ranks named
//   start    0             1             2             3
//   step 1   01            01            23            23
//   step 2   0123          0123          0123          0123
//   pick     00 10 20 30   01 11 21 31   02 12 22 32   03 13 23 33   "xy": from rank x to rank y

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/gather_everything.hpp"

namespace starling::alltoall {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  return gather_then_pick(team, "recursive_doubling");
}

std::string refuses(const Situation& situation, const Parameters& /*none*/) {
  return gather_then_pick_refusal(situation, "recursive_doubling");
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*none*/) {
  return scratch_of_gather_then_pick(situation, "recursive_doubling");
}

}  // namespace

Algorithm recursive_doubling() {
  return {
      .collectives = {Collective::alltoall},
      .name = "recursive_doubling",
      .says = "gathers all blocks on all ranks by recursive doubling, then takes its own blocks",
      .source = "STAR-MPI, section 3.1",
      .group = "logarithmic",
      .needs = {.power_of_two = true},
      .probe_up_to = 256,
      .latency = "log2(p) alpha",
      .bandwidth = "p (p-1) s beta",
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::alltoall
