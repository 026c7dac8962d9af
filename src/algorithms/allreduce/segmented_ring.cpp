// allreduce:segmented_ring: the vector is divided into pieces of p segments; the ring works on piece after piece, so
// that what is combined is still in the cache.
//
//   2 pieces   rank 0      rank 1      rank 2      rank 3        blocks whose sum is complete
//   step 3     0...        .1..        ..2.        ...3
//   step 6     0123        0123        0123        0123          the first piece is ready
//   step 9     0123 4...   0123 .5..   0123 ..6.   0123 ...7
//   step 12    0123 4567   0123 4567   0123 4567   0123 4567

#include <algorithm>

#include "algorithms/algorithm.hpp"

namespace starling::allreduce {
namespace {

constexpr std::int64_t most_pieces = 1024;

std::int64_t pieces(const Situation& situation, const Parameters& with) {
  const std::int64_t piece = std::max<std::int64_t>(with.number("segment"), 1) * situation.ranks;
  return std::max<std::int64_t>(1, ((situation.bytes - 1) / piece) + 1);
}

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  Schedule todo(team.blocks());
  if (team.size == 1) {
    todo.copy(sendbuf(0, team.blocks()), recvbuf(0, team.blocks()));
    return todo;
  }
  const Buffer sums = todo.add_scratch(team.blocks());
  for (int piece = 0; piece < team.blocks(); piece += team.size) {
    const auto segment_of = [&](int steps) { return piece + team.left(steps); };
    for (int step = 1; step < team.size; ++step) {
      const int leaving = segment_of(step);
      const int arriving = segment_of(step + 1);
      todo.round()
          .receive(at(sums, arriving), team.left())
          .send(step == 1 ? sendbuf(leaving) : at(sums, leaving), team.right())
          .combine(sendbuf(arriving), at(sums, arriving));
    }
    todo.copy(at(sums, segment_of(0)), recvbuf(segment_of(0)));
    for (int step = 1; step < team.size; ++step)
      todo.round().receive(recvbuf(segment_of(step)), team.left()).send(recvbuf(segment_of(step - 1)), team.right());
  }
  return todo;
}

Division divide(const Situation& situation, const Parameters& with) {
  return {static_cast<int>(std::min(pieces(situation, with), most_pieces)) * situation.ranks};
}

std::string refuses(const Situation& situation, const Parameters& with) {
  const std::int64_t count = pieces(situation, with);
  if (count == 1) return "a rank's share of the vector is one segment";
  if (count > most_pieces) return "would divide the vector into more than " + std::to_string(most_pieces) + " pieces";
  return {};
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  return situation.ranks > 1 ? divide(situation, with).blocks : 0;
}

}  // namespace

Algorithm segmented_ring() {
  return {
      .collectives = {Collective::allreduce},
      .name = "segmented_ring",
      .says = "runs the ring on one piece of the vector after the other",
      .source = "Open MPI's segmented ring; Patarasuk and Yuan 2009",
      .group = "ring",
      .needs = {.commutative = true},
      .parameters = {{"segment",
                      {"1048576", "262144", "65536"},
                      "bytes of a segment, of which a piece has one for each rank",
                      true}},
      .reduction_order = "segmented_ring",
      .counterparts = {{.ompi = "segmented_ring"}},
      .latency = "2 n (p-1) alpha with n pieces",
      .bandwidth = "2 (p-1)/p m beta",
      .divide = divide,
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::allreduce
