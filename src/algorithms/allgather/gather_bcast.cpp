// allgather:gather_bcast: rank 0 gathers all blocks up a binomial tree and broadcasts them down the same tree.
//
//            rank 0   rank 1   rank 2   rank 3
//   start    A...     .B..     ..C.     ...D
//   gather   ABCD     .B..     ..CD     ...D
//   bcast    ABCD     ABCD     ABCD     ABCD

#include "algorithms/algorithm.hpp"
#include "algorithms/part.hpp"
#include "algorithms/shared/trees.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  todo.copy(sendbuf(0), recvbuf(team.rank));
  gather_up_binomial_tree(todo, team, Buffer::recv);
  todo.append(Part::named(Collective::bcast, "binomial").schedule({team.size, team.rank, 0, 1}),
              {.send = {Buffer::send}, .recv = {Buffer::recv, 0, team.size}});
  return todo;
}

}  // namespace

Algorithm gather_bcast() {
  return {
      .collectives = {Collective::allgather, Collective::allgatherv},
      .name = "gather_bcast",
      .says = "gathers all blocks on rank 0, which broadcasts them",
      .source = "Pjesivac-Grbovic et al. 2007",
      .group = "gather_bcast",
      .counterparts = {{.ompi = "linear"}},
      .latency = "2 ceil(log2 p) alpha",
      .bandwidth = "(p-1) s beta and ceil(log2 p) p s beta",
      .build = build,
  };
}

}  // namespace starling::allgather
