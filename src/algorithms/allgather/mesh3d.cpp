// allgather:mesh3d: ranks form a mesh of three dimensions; everything is gathered along one after the other.
//
//   planes  0 1  4 5        rank 0     rank 1     rank 2     ...   rank 7
//           2 3  6 7
//   start                   A.......   .B......   ..C.....         .......H
//   along rows              AB......   AB......   ..CD....         ......GH
//   along columns           ABCD....   ABCD....   ABCD....         ....EFGH
//   across planes           ABCDEFGH   ABCDEFGH   ABCDEFGH         ABCDEFGH

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/mesh.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  return mesh_allgather(team, 3);
}

std::string refuses(const Situation& situation, const Parameters& /*none*/) {
  return mesh_refusal(situation, 3);
}

}  // namespace

Algorithm mesh3d() {
  return {
      .collectives = {Collective::allgather, Collective::allgatherv},
      .name = "mesh3d",
      .says = "gathers along the three dimensions of a mesh of ranks, one after the other",
      .source = "STAR-MPI, section 3.1",
      .group = "logarithmic",
      .latency = "3 (cbrt(p)-1) alpha",
      .bandwidth = "(p-1) s beta",
      .refuses = refuses,
      .build = build,
  };
}

}  // namespace starling::allgather
