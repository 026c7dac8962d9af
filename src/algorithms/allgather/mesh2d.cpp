// allgather:mesh2d: ranks form a mesh of two dimensions; everything is gathered along one after the other.
//
//   mesh  0 1        rank 0   rank 1   rank 2   rank 3
//         2 3
//   start            A...     .B..     ..C.     ...D
//   along rows       AB..     AB..     ..CD     ..CD
//   along columns    ABCD     ABCD     ABCD     ABCD

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/mesh.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  return mesh_allgather(team, 2);
}

std::string refuses(const Situation& situation, const Parameters& /*none*/) {
  return mesh_refusal(situation, 2);
}

}  // namespace

Algorithm mesh2d() {
  return {
      .collectives = {Collective::allgather, Collective::allgatherv},
      .name = "mesh2d",
      .says = "gathers along the two dimensions of a mesh of ranks, one after the other",
      .source = "STAR-MPI, section 3.1",
      .group = "logarithmic",
      .latency = "2 (sqrt(p)-1) alpha",
      .bandwidth = "(p-1) s beta",
      .refuses = refuses,
      .build = build,
  };
}

}  // namespace starling::allgather
