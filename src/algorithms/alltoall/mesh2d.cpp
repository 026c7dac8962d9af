// alltoall:mesh2d: allgather:mesh2d of everything, blocks for others too; then every rank picks its own.
//
//   mesh  0 1        rank 0        rank 1        rank 2        rank 3        all blocks of the ranks named
//         2 3
//   start            0             1             2             3
//   along rows       01            01            23            23
//   along columns    0123          0123          0123          0123
//   pick             00 10 20 30   01 11 21 31   02 12 22 32   03 13 23 33   "xy": from rank x to rank y

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/gather_everything.hpp"

namespace starling::alltoall {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  return gather_then_pick(team, "mesh2d");
}

std::string refuses(const Situation& situation, const Parameters& /*none*/) {
  return gather_then_pick_refusal(situation, "mesh2d");
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*none*/) {
  return scratch_of_gather_then_pick(situation, "mesh2d");
}

}  // namespace

Algorithm mesh2d() {
  return {
      .collectives = {Collective::alltoall},
      .name = "mesh2d",
      .says = "gathers everything along rows, then columns of a mesh, then takes its own blocks",
      .source = "STAR-MPI, section 3.1",
      .group = "logarithmic",
      .probe_up_to = 256,
      .latency = "2 (sqrt(p)-1) alpha",
      .bandwidth = "p (p-1) s beta",
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::alltoall
