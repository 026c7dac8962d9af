// alltoall:hypercube: along one dimension of a hypercube after the other, ranks that differ in one bit of their numbers
// exchange the blocks for the other's half.
//
//            rank 0        rank 1        rank 2        rank 3
//   start    A0 A1 A2 A3   B0 B1 B2 B3   C0 C1 C2 C3   D0 D1 D2 D3
//   step 1   A0 B0 A2 B2   A1 B1 A3 B3   C0 D0 C2 D2   C1 D1 C3 D3
//   step 2   A0 B0 C0 D0   A1 B1 C1 D1   A2 B2 C2 D2   A3 B3 C3 D3

#include "algorithms/algorithm.hpp"

namespace starling::alltoall {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  const int half = team.size / 2;
  todo.copy(sendbuf(0, team.size), recvbuf(0, team.size));
  if (team.size == 1) return todo;
  const Buffer leaving = todo.add_scratch(half);
  const Buffer arriving = todo.add_scratch(half);
  for (int bit = 1; bit < team.size; bit *= 2) {
    const int peer = team.rank ^ bit;
    // Blocks whose places differ from this rank's number in that bit stand in runs as long as the bit.
    for (int done = 0; done < half; done += bit)
      todo.copy(recvbuf((2 * done) + (peer & bit), bit), at(leaving, done, bit));
    todo.round().receive(at(arriving, 0, half), peer).send(at(leaving, 0, half), peer);
    for (int done = 0; done < half; done += bit)
      todo.copy(at(arriving, done, bit), recvbuf((2 * done) + (peer & bit), bit));
  }
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*none*/) {
  return std::int64_t{situation.ranks} / 2 * 2;
}

}  // namespace

Algorithm hypercube() {
  return {
      .collectives = {Collective::alltoall},
      .name = "hypercube",
      .says = "exchanges half of all blocks with one partner in each dimension of a hypercube",
      .source = "Johnsson and Ho 1989; Hartmann et al., section 3.1: hypercube",
      .group = "logarithmic",
      .needs = {.power_of_two = true},
      .latency = "log2(p) alpha",
      .bandwidth = "p/2 log2(p) s beta",
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::alltoall
