// reduce_scatter:recursive_doubling: in each step partners exchange sums of what either still needs: the other's own
// block, and the blocks of all ranks that it has not met yet. The order of ranks is kept.
//
//            rank 0        rank 1        rank 2        rank 3        blocks kept, and the ranks they are combined over
//   start    0123          0123          0123          0123
//   step 1   023 (0,1)     123 (0,1)     012 (2,3)     013 (2,3)
//   step 2   0 (all)       1 (all)       2 (all)       3 (all)
//
// Where p is no power of two, the first ranks form pairs (Folding), and the odd one works for both.

#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/folding.hpp"
#include "algorithms/shared/running_sum.hpp"

namespace starling::reduce_scatter {
namespace {

/// The blocks that a worker needs when it has met the workers `first`, ..., `end` - 1, itself among them.
std::vector<Blocks> needed_by(const Folding& folding, int worker, int first, int end) {
  std::vector<Blocks> ranges;
  const auto add = [&](int from, int to) {
    const int block = folding.first_block(from);
    if (from < to) ranges.push_back(sendbuf(block, folding.first_block(to) - block));
  };
  add(0, first);
  add(worker, worker + 1);
  add(end, folding.workers);
  return ranges;
}

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  const Folding folding(team.size);
  if (stands_aside(todo, team, folding, team.rank + 1)) return todo;

  RunningSum sum(todo);
  const int me = folding.worker(team.rank);
  if (folding.works_for_two(team.rank)) sum.exchange(team.rank, team.rank - 1, {}, std::vector{sendbuf(0, team.size)});
  for (int distance = 1; distance < folding.workers; distance *= 2) {
    const int peer = me ^ distance;
    const int first = me & -(2 * distance);
    const int end = first + (2 * distance);
    sum.exchange(team.rank, folding.rank(peer), needed_by(folding, peer, first, end),
                 needed_by(folding, me, first, end));
  }
  todo.copy(sum.now(sendbuf(team.rank)), recvbuf(0));
  if (folding.works_for_two(team.rank)) todo.round().send(sum.now(sendbuf(team.rank - 1)), team.rank - 1);
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*none*/) {
  return situation.ranks > 1 ? std::int64_t{2} * situation.ranks : 0;
}

}  // namespace

Algorithm recursive_doubling() {
  return {
      .collectives = {Collective::reduce_scatter, Collective::reduce_scatter_block},
      .name = "recursive_doubling",
      .says = "exchanges sums of all blocks that are still needed, with a partner twice as far away in each step",
      .source = "Thakur, Rabenseifner and Gropp 2005, section 4.4",
      .group = "logarithmic",
      .reduction_order = "recursive_doubling",
      .counterparts = {{.mpich = "recursive_doubling"}},
      .latency = "log2(p) alpha; 2 alpha more where p is no power of two",
      .bandwidth = "(p log2(p) - 2 (p-1)) s beta and log2(p) s beta",
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::reduce_scatter
