// allreduce:tree: segments are combined up a k-nomial tree, and each goes down again as soon as rank 0 has it, while
// the next ones still come up.
//
//   k = 2      rank 0          rank 1         rank 2         rank 3        segments A, B; lower case: partial sums
//   time 1                                    a from 3       a to 2
//   time 2     a from 1, 2     a to 0         a to 0, b in   b to 2
//   time 3     b from 1, 2     b to 0         b to 0
//              A to 1, 2       A from 0       A from 0
//   time 4     B to 1, 2       B from 0       B in, A to 3   A from 2
//   time 5                                    B to 3         B from 2

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/radix.hpp"
#include "algorithms/shared/tree_sum.hpp"

namespace starling::allreduce {
namespace {

/// The number of levels below the root of the k-nomial tree of all ranks, rounded up.
int height_of(int ranks, std::int64_t radix) {
  int height = 0;
  for (std::int64_t reach = 1; reach < ranks; reach *= radix) ++height;
  return height;
}

/// Levels between a rank and the root: one for each digit that is not 0.
int depth_of(int rank, int radix) {
  int depth = 0;
  for (; rank > 0; rank /= radix)
    if (rank % radix != 0) ++depth;
  return depth;
}

Schedule build(const Team& team, const Parameters& with) {
  const int radix = static_cast<int>(with.number("k"));
  const TreePlace place = knomial_tree(team, radix);
  const int height = height_of(team.size, radix);
  const int depth = depth_of(team.rank, radix);
  const bool has_parent = place.parent >= 0;
  const bool has_children = !place.children.empty();
  Schedule todo(team.blocks());
  const TreeSum tree(todo, team, place, Buffer::recv);
  if (team.size == 1) todo.copy(sendbuf(0, team.blocks()), recvbuf(0, team.blocks()));

  // A message has the same time on both sides, so nobody waits in a circle.
  for (int time = 0; time < team.blocks() + (2 * height); ++time) {
    const auto is_block = [&](int block) { return block >= 0 && block < team.blocks(); };
    const int sum_leaves = time - (height - depth);
    const int sum_arrives = sum_leaves + 1;
    const int result_leaves = time - (height + depth);
    const int result_arrives = result_leaves + 1;
    const bool sends_up = has_parent && is_block(sum_leaves);
    const bool receives_up = has_children && is_block(sum_arrives);
    const bool sends_down = has_children && is_block(result_leaves);
    const bool receives_down = has_parent && is_block(result_arrives);
    if (!sends_up && !receives_up && !sends_down && !receives_down) continue;
    Round& round = todo.round();
    if (receives_down) round.receive(recvbuf(result_arrives), place.parent);
    if (sends_up) tree.send(round, sum_leaves);
    if (sends_down)
      for (const int child : place.children) round.send(recvbuf(result_leaves), child);
    if (receives_up) tree.receive(todo, round, sum_arrives);
  }
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  return situation.ranks > 2 ? segments(situation, with).blocks : 0;
}

}  // namespace

Algorithm tree() {
  return {
      .collectives = {Collective::allreduce},
      .name = "tree",
      .says = "combines segments up a k-nomial tree, and sends each down again while the next come up",
      .source = "Nishtala et al., sections 3.1 and 3.2",
      .group = "tree",
      .parameters = {radix_parameter({"2", "4", "8"}, "radix of the tree", true), coarse_segment_parameter()},
      .reduction_order = "knomial",
      .counterparts = {{.mpich = "tree"}},
      .latency = "2 ceil(log_k p) (k-1) alpha",
      .bandwidth = "2 ceil(log_k p) (k-1) m beta",
      .divide = segments,
      .works_in_place = false,
      .refuses = radix_or_segment_refusal,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::allreduce
