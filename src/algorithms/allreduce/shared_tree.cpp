// allreduce:shared_tree: a reduce:shared to rank 0, then a bcast:shared from there.
//
//            rank 0   rank 1   rank 2   rank 3      ranks that the vector is combined over
//   start    0        1        2        3
//   reduce   0123     1        23       3
//   bcast    0123     0123     0123     0123

#include <string>

#include "algorithms/algorithm.hpp"
#include "algorithms/part.hpp"
#include "algorithms/shared/node_memory.hpp"
#include "algorithms/shared/radix.hpp"
#include "algorithms/shared/whole_vector.hpp"

namespace starling::allreduce {
namespace {

std::string reduce_of(const Parameters& with) {
  return "shared?k=" + std::string(with.text("k"));
}

Schedule build(const Team& team, const Parameters& with) {
  Schedule todo(team.blocks());
  todo.append(Part::named(Collective::reduce, reduce_of(with)).schedule(team),
              {.send = {Buffer::send}, .recv = {Buffer::recv}});
  todo.append(Part::named(Collective::bcast, "shared").schedule(team),
              {.send = {Buffer::recv}, .recv = {Buffer::recv}});
  return todo;
}

std::string refuses(const Situation& situation, const Parameters& with) {
  if (std::string why = node_memory_refusal(situation); !why.empty()) return why;
  return radix_refusal(situation, with);
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  return Part::named(Collective::reduce, reduce_of(with)).scratch_blocks(situation);
}

}  // namespace

Algorithm shared_tree() {
  return {
      .collectives = {Collective::allreduce},
      .name = "shared_tree",
      .says = "combines up a k-nomial tree in memory that ranks of a node share, and publishes the sum there",
      .source = "Graham and Shipman 2008; Jain et al. 2018",
      .group = "shared",
      .needs = {.one_node = true},
      .parameters = {radix_parameter({"2", "4", "8"}, "radix of the tree", true)},
      .reduction_order = "shared_tree",
      .latency = "(ceil(log_k p) (k-1) + 1) alpha of shared memory",
      .bandwidth = "(ceil(log_k p) k + 1) m beta of a copy",
      .divide = whole_vector,
      .works_in_place = false,
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .shares_memory = always_shares,
      .build = build,
  };
}

}  // namespace starling::allreduce
