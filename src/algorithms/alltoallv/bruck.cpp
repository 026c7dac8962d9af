// alltoallv:bruck: blocks travel together by the digits, to base k, of the distance they have to go, as in
// alltoall:bruck. They differ in size, so what moves in a step does not take the place of what left: each step has room
// of its own, and a block is packed from where the latest step that moved it has put it.
//
//   k = 2      rank 0         rank 1         rank 2         rank 3         "xy": from rank x to rank y
//   send       00 01 02 03    10 11 12 13    20 21 22 23    30 31 32 33
//   digit 1    30 32          01 03          12 10          23 21          of distance 1 and 3, one to the right
//   digit 2    20 10          31 21          02 32          13 03          of distance 2 and 3, two to the right
//   recv       00 10 20 30    01 11 21 31    02 12 22 32    03 13 23 33

#include <cstdint>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/radix.hpp"

namespace starling::alltoallv {
namespace {

/// The distances below `ranks` whose digit of weight `weight` is `digit`.
std::vector<int> distances(int ranks, int radix, std::int64_t weight, int digit) {
  std::vector<int> all;
  for (std::int64_t first = weight * digit; first < ranks; first += weight * radix)
    for (std::int64_t one = first; one < first + weight && one < ranks; ++one) all.push_back(static_cast<int>(one));
  return all;
}

/// How many blocks a rank sends in all steps.
int moves(int ranks, int radix) {
  std::size_t count = 0;
  for (std::int64_t weight = 1; weight < ranks; weight *= radix)
    for (int digit = 1; digit < radix; ++digit) count += distances(ranks, radix, weight, digit).size();
  return static_cast<int>(count);
}

Schedule build(const Team& team, const Parameters& with) {
  const int radix = static_cast<int>(with.number("k"));
  Schedule todo(team.blocks());
  if (team.size == 1) {
    todo.copy(sendbuf(0), recvbuf(0));
    return todo;
  }
  const int room = moves(team.size, radix);
  const Buffer leaving = todo.add_scratch(room);
  const Buffer arriving = todo.add_scratch(room);
  std::vector<Blocks> lies;  // by distance
  for (int distance = 0; distance < team.size; ++distance) lies.push_back(sendbuf(team.right(distance)));

  int packed = 0;
  for (std::int64_t weight = 1; weight < team.size; weight *= radix) {
    Round exchange;
    for (int digit = 1; digit < radix && digit * weight < team.size; ++digit) {
      const int start = packed;
      for (const int distance : distances(team.size, radix, weight, digit)) {
        Blocks& block = lies[static_cast<std::size_t>(distance)];
        todo.copy(block, at(leaving, packed));
        block = at(arriving, packed++);
      }
      const int steps = static_cast<int>(digit * weight);
      exchange.receive(at(arriving, start, packed - start), team.left(steps));
      exchange.send(at(leaving, start, packed - start), team.right(steps));
    }
    todo.round() = std::move(exchange);
  }
  for (int distance = 0; distance < team.size; ++distance)
    todo.copy(lies[static_cast<std::size_t>(distance)], recvbuf(team.left(distance)));
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  if (situation.ranks == 1) return 0;
  return std::int64_t{2} * moves(situation.ranks, static_cast<int>(with.number("k")));
}

}  // namespace

Algorithm bruck() {
  return {
      .collectives = {Collective::alltoallv, Collective::alltoallw},
      .name = "bruck",
      .says = "forwards blocks by the digits of their distance, in few steps but over several hops",
      .source = "Fan, Gilray, Pascucci, Huang, Micinski and Kumar 2022: two-phase Bruck",
      .group = "logarithmic",
      .parameters = {radix_parameter({"2", "4", "8"}, "radix: k-1 messages at once in each of log_k p steps")},
      .latency = "2 ceil(log_k p) (k-1) alpha, half of it for sizes",
      .bandwidth = "ceil(log_k p) (k-1)/k p s beta",
      .refuses = radix_refusal,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::alltoallv
