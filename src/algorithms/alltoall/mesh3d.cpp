// alltoall:mesh3d: allgather:mesh3d of everything, blocks for others too; then every rank picks its own.
//
//   planes  0 1  4 5        rank 0      rank 1      ...   rank 7      all blocks of the ranks named
//           2 3  6 7
//   start                   0           1                 7
//   along rows              01          01                67
//   along columns           0123        0123              4567
//   across planes           01234567    01234567          01234567
//   pick                    00 ... 70   01 ... 71         07 ... 77   "xy": from rank x to rank y

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/gather_everything.hpp"

namespace starling::alltoall {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  return gather_then_pick(team, "mesh3d");
}

std::string refuses(const Situation& situation, const Parameters& /*none*/) {
  return gather_then_pick_refusal(situation, "mesh3d");
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*none*/) {
  return scratch_of_gather_then_pick(situation, "mesh3d");
}

}  // namespace

Algorithm mesh3d() {
  return {
      .collectives = {Collective::alltoall},
      .name = "mesh3d",
      .says = "gathers everything along the three dimensions of a mesh, then takes its own blocks",
      .source = "STAR-MPI, section 3.1",
      .group = "logarithmic",
      .probe_up_to = 256,
      .latency = "3 (cbrt(p)-1) alpha",
      .bandwidth = "p (p-1) s beta",
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::alltoall
