// reduce:shared: sums come up a k-nomial tree in memory that the ranks of a node share: each rank publishes its sum for
// its parent alone.
//
//   k = 4    0 <-- 4        rank 4 adds 5, 6, 7; the root adds 1, 2, 3, then 4 to 7; counted from the root
//            |- 1  |- 5
//            |- 2  |- 6
//            '- 3  '- 7

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/node_memory.hpp"
#include "algorithms/shared/radix.hpp"
#include "algorithms/shared/trees.hpp"
#include "algorithms/shared/whole_vector.hpp"

namespace starling::reduce {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  const TreePlace place = knomial_tree(team, static_cast<int>(with.number("k")));
  Schedule todo(team.blocks());
  if (place.children.empty()) {
    if (place.parent < 0) {
      todo.copy(sendbuf(0), recvbuf(0));
    } else {
      todo.round().publish(sendbuf(0), {place.parent});
    }
    return todo;
  }
  const Blocks sum = place.parent < 0 ? recvbuf(0) : at(todo.add_scratch(1), 0);
  Round& children = todo.round();
  // Those that are further left are combined onto those right of them.
  for (const int child : place.children) {
    const Blocks left = child == place.children.back() ? sendbuf(0) : nothing();
    children.take_between(left, child, child == place.children.front() ? nothing() : sum, sum);
  }
  if (place.parent >= 0) todo.round().publish(sum, {place.parent});
  return todo;
}

std::string refuses(const Situation& situation, const Parameters& with) {
  if (std::string why = node_memory_refusal(situation); !why.empty()) return why;
  return radix_refusal(situation, with);
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  return situation.ranks > with.number("k") + 1 ? 1 : 0;  // some rank has a parent and a child
}

}  // namespace

Algorithm shared() {
  return {
      .collectives = {Collective::reduce},
      .name = "shared",
      .says = "combines up a k-nomial tree in memory that ranks of a node share",
      .source = "Graham and Shipman 2008; Moody, Fernandez, Petrini and Panda 2003",
      .group = "shared",
      .needs = {.commutative = true, .one_node = true},
      .parameters = {radix_parameter({"2", "4", "8"}, "radix of the tree", true)},
      .reduction_order = "shared",
      .latency = "ceil(log_k p) (k-1) alpha of shared memory",
      .bandwidth = "ceil(log_k p) k m beta of a copy",
      .divide = whole_vector,
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .shares_memory = always_shares,
      .build = build,
  };
}

}  // namespace starling::reduce
