// reduce_scatter:butterfly: halves what every rank works on in each step, as recursive halving does, but with the
// nearest partner first, so that the order of ranks is kept. Then every result goes to its owner.
//
//            rank 0    rank 1    rank 2    rank 3        "ab": blocks a and b, combined over the ranks in brackets
//   start    0123      0123      0123      0123
//   step 1   01 (0,1)  23 (0,1)  01 (2,3)  23 (2,3)
//   step 2   0 (all)   2 (all)   1 (all)   3 (all)
//   step 3   0 (all)   1 (all)   2 (all)   3 (all)       ranks whose bits are each other's mirror image exchange
//
// Where p is no power of two, the first ranks form pairs (Folding), and the odd one works for both.

#include <array>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/folding.hpp"
#include "algorithms/shared/running_sum.hpp"

namespace starling::reduce_scatter {
namespace {

/// `number`, less than `end`, a power of two, with its bits in reverse order.
int mirrored(int number, int end) {
  int mirror = 0;
  for (int bit = 1; bit < end; bit *= 2, number /= 2) mirror = (mirror * 2) + (number % 2);
  return mirror;
}

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  const Folding folding(team.size);
  // The worker that has the result of block `team.rank` in the end.
  const int holder = folding.rank(mirrored(folding.worker(team.rank), folding.workers));
  if (stands_aside(todo, team, folding, holder)) return todo;

  RunningSum sum(todo);
  if (folding.works_for_two(team.rank)) {
    const std::array everything{sendbuf(0, team.size)};
    sum.exchange(team.rank, team.rank - 1, {}, everything);
  }
  const int me = folding.worker(team.rank);
  int lowest = 0;  // worker whose block is the first that I work on
  for (int distance = 1, half = folding.workers / 2; half > 0; distance *= 2, half /= 2) {
    const auto blocks_of = [&](int first, int end) {
      return std::array{sendbuf(folding.first_block(first), folding.first_block(end) - folding.first_block(first))};
    };
    const auto lower = blocks_of(lowest, lowest + half);
    const auto upper = blocks_of(lowest + half, lowest + (2 * half));
    const bool keeps_lower = (me & distance) == 0;
    if (!keeps_lower) lowest += half;
    sum.exchange(team.rank, folding.rank(me ^ distance), keeps_lower ? upper : lower, keeps_lower ? lower : upper);
  }

  Round& round = todo.round();
  if (holder != team.rank) round.receive(recvbuf(0), holder);
  for (int owner = folding.first_block(lowest); owner < folding.first_block(lowest + 1); ++owner) {
    const Blocks result = sum.now(sendbuf(owner));
    if (owner == team.rank) {
      round.copy(result, recvbuf(0));
    } else {
      round.send(result, owner);
    }
  }
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*none*/) {
  return situation.ranks > 1 ? std::int64_t{2} * situation.ranks : 0;
}

}  // namespace

Algorithm butterfly() {
  return {
      .collectives = {Collective::reduce_scatter, Collective::reduce_scatter_block},
      .name = "butterfly",
      .says = "halves the data of every rank in each step, the nearest partner first, and keeps the order of ranks",
      .source = "Träff 2005",
      .group = "logarithmic",
      .reduction_order = "recursive_doubling",
      .counterparts = {{.ompi = "butterfly"}},
      .latency = "(log2(p)+1) alpha; 1 alpha more where p is no power of two",
      .bandwidth = "p s beta; p s beta more where p is no power of two",
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::reduce_scatter
