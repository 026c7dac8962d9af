// alltoall:bruck: blocks travel together by the digits, to base k, of the distance they have to go. Slot i holds what
// goes i ranks to the right; in the step of a digit, the slots where this digit is d move d of its places to the right,
// for all d at once. In the end slot i holds what came from i ranks to the left.
//
//   k = 2      rank 0        rank 1        rank 2        rank 3        "xy": from rank x to rank y
//   rotated    00 01 02 03   11 12 13 10   22 23 20 21   33 30 31 32
//   digit 1    00 30 02 32   11 01 13 03   22 12 20 10   33 23 31 21   slots 1, 3 went one to the right
//   digit 2    00 30 20 10   11 01 31 21   22 12 02 32   33 23 13 03   slots 2, 3 went two to the right

#include <algorithm>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/radix.hpp"

namespace starling::alltoall {
namespace {

/// The slots whose digit of weight `weight` is `digit`, as runs of neighbours in `moving`.
std::vector<Blocks> slots_of(Buffer moving, int size, int radix, int weight, int digit) {
  std::vector<Blocks> runs;
  const std::int64_t period = static_cast<std::int64_t>(weight) * radix;
  for (std::int64_t first = static_cast<std::int64_t>(weight) * digit; first < size; first += period)
    runs.push_back(at(moving, static_cast<int>(first), static_cast<int>(std::min<std::int64_t>(weight, size - first))));
  return runs;
}

Schedule build(const Team& team, const Parameters& with) {
  const int radix = static_cast<int>(with.number("k"));
  Schedule todo(team.blocks());
  if (team.size == 1) {
    todo.copy(sendbuf(0), recvbuf(0));
    return todo;
  }
  const Buffer moving = todo.add_scratch(team.size);
  const Buffer leaving = todo.add_scratch(team.size);
  const Buffer arriving = todo.add_scratch(team.size);

  todo.copy(sendbuf(team.rank, team.size - team.rank), at(moving, 0, team.size - team.rank));
  if (team.rank > 0) todo.copy(sendbuf(0, team.rank), at(moving, team.size - team.rank, team.rank));

  for (std::int64_t weight = 1; weight < team.size; weight *= radix) {
    const int place = static_cast<int>(weight);
    Round exchange;
    int packed = 0;
    for (int digit = 1; digit < radix && digit * weight < team.size; ++digit) {
      const int start = packed;
      for (const Blocks& run : slots_of(moving, team.size, radix, place, digit)) {
        todo.copy(run, at(leaving, packed, run.count));
        exchange.copy(at(arriving, packed, run.count), run);
        packed += run.count;
      }
      exchange.receive(at(arriving, start, packed - start), team.left(digit * place));
      exchange.send(at(leaving, start, packed - start), team.right(digit * place));
    }
    todo.round() = std::move(exchange);
  }
  for (int slot = 0; slot < team.size; ++slot) todo.copy(at(moving, slot), recvbuf(team.left(slot)));
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*any*/) {
  return situation.ranks > 1 ? std::int64_t{3} * situation.ranks : 0;
}

}  // namespace

Algorithm bruck() {
  return {
      .collectives = {Collective::alltoall},
      .name = "bruck",
      .says = "forwards blocks by the digits of their distance, in few steps but over several hops",
      .source = "Bruck, Ho, Kipnis, Upfal and Weathersby 1997",
      .group = "logarithmic",
      .parameters = {radix_parameter({"2", "4", "8", "16"}, "radix: k-1 messages at once in each of log_k p steps")},
      .probe_up_to = 256,
      .counterparts = {{.ompi = "modified_bruck", .mpich = "brucks", .ucc = "bruck", .with = "k=2"}},
      .latency = "ceil(log_k p) (k-1) alpha",
      .bandwidth = "ceil(log_k p) (k-1)/k p s beta",
      .refuses = radix_refusal,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::alltoall
