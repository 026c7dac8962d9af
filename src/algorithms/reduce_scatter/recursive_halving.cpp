// reduce_scatter:recursive_halving: in each step ranks exchange halves of what they still work on with a partner half
// as far away as before, and combine the half they keep.
//
//            rank 0    rank 1    rank 2    rank 3        "ab": blocks a and b, combined over the ranks in brackets
//   start    0123      0123      0123      0123
//   step 1   01 (0,2)  01 (1,3)  23 (0,2)  23 (1,3)
//   step 2   0 (all)   1 (all)   2 (all)   3 (all)
//
// Where p is no power of two, the first 2 r ranks (r = p less the largest power of two in it) form pairs: the even one
// gives all of its data to the odd one, which works for both, and gets its block back in the end.

#include <array>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/folding.hpp"

namespace starling::reduce_scatter {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  const Folding folding(team.size);
  if (stands_aside(todo, team, folding, team.rank + 1)) return todo;

  Blocks mine = sendbuf(0, team.size);
  if (folding.works_for_two(team.rank)) {
    const Blocks both = at(todo.add_scratch(team.size), 0, team.size);
    todo.round().receive(both, team.rank - 1).combine(mine, both);
    mine = both;
  }
  // Buffers take turns: what a step keeps lies within what the step before the last kept.
  struct Half {
    Buffer buffer;
    int first_block;
  };
  std::array<Half, 2> halves{};
  const int me = folding.worker(team.rank);
  int first_block = 0;  // of `mine`
  int step = 0;
  for (int distance = folding.workers / 2; distance > 0; distance /= 2, ++step) {
    const int peer = folding.rank(me ^ distance);
    const int lowest = me & -(2 * distance);  // workers lowest, ..., lowest + 2 distance - 1 share what I work on
    const int middle = folding.first_block(lowest + distance);
    const int end = first_block + mine.count;
    const bool keep_lower = (me & distance) == 0;
    const int kept = keep_lower ? first_block : middle;
    const int kept_count = keep_lower ? middle - first_block : end - middle;
    const int given = keep_lower ? middle : first_block;

    Half& half = halves[static_cast<std::size_t>(step % 2)];
    if (step < 2) half = {todo.add_scratch(kept_count, kept), kept};
    const Blocks into = at(half.buffer, kept - half.first_block, kept_count);
    const auto within = [&](int block, int count) { return at(mine.buffer, mine.first + block - first_block, count); };
    todo.round()
        .receive(into, peer)
        .send(within(given, mine.count - kept_count), peer)
        .combine(within(kept, kept_count), into);
    mine = into;
    first_block = kept;
  }

  todo.copy(at(mine.buffer, mine.first + team.rank - first_block), recvbuf(0));
  if (folding.works_for_two(team.rank))
    todo.round().send(at(mine.buffer, mine.first + team.rank - 1 - first_block), team.rank - 1);
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*none*/) {
  const Folding folding(situation.ranks);
  if (situation.ranks == 1) return 0;
  // The largest half, the largest quarter, and all blocks where one works for two.
  const std::int64_t half = folding.workers > 1 ? folding.first_block(folding.workers / 2) : 0;
  const std::int64_t quarter = folding.workers > 2 ? folding.first_block(folding.workers / 4) : 0;
  return half + quarter + (folding.resting > 0 ? situation.ranks : 0);
}

}  // namespace

Algorithm recursive_halving() {
  return {
      .collectives = {Collective::reduce_scatter, Collective::reduce_scatter_block},
      .name = "recursive_halving",
      .says = "halves the data of every rank in each step, with a partner half as far away",
      .source = "Thakur, Rabenseifner and Gropp 2005, section 4.4; Hartmann et al., section 3.1: hypercube",
      .group = "logarithmic",
      .needs = {.commutative = true},
      .reduction_order = "recursive_halving",
      .counterparts = {{.ompi = "recursive_halving", .mpich = "recursive_halving"}},
      .latency = "log2(p) alpha; 2 alpha more where p is no power of two",
      .bandwidth = "(p-1) s beta; p s beta more where p is no power of two",
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::reduce_scatter
