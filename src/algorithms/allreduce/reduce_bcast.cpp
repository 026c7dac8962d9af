// allreduce:reduce_bcast: reduce:binomial to rank 0, then bcast:binomial from it.
//
//            rank 0   rank 1   rank 2   rank 3        ranks that the vector is combined over
//   start    0        1        2        3
//   up       0123     1        23       3
//   down     0123     0123     0123     0123

#include "algorithms/algorithm.hpp"
#include "algorithms/part.hpp"
#include "algorithms/shared/whole_vector.hpp"

namespace starling::allreduce {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  const Placement everywhere{.send = {Buffer::send}, .recv = {Buffer::recv}};
  Schedule todo(team.blocks());
  todo.append(Part::named(Collective::reduce, "binomial").schedule(team), everywhere);
  todo.append(Part::named(Collective::bcast, "binomial").schedule(team), everywhere);
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*none*/) {
  // Rank 0 is the root: it needs none for one other rank.
  return situation.ranks > 2 ? Part::named(Collective::reduce, "binomial").scratch_blocks(situation) : 0;
}

}  // namespace

Algorithm reduce_bcast() {
  return {
      .collectives = {Collective::allreduce},
      .name = "reduce_bcast",
      .says = "combines whole vectors on rank 0, which broadcasts the result",
      .source = "Thakur, Rabenseifner and Gropp 2005, section 4.5",
      .group = "tree",
      .reduction_order = "knomial k=2",
      .counterparts = {{.ompi = "nonoverlapping"}},
      .latency = "2 ceil(log2 p) alpha",
      .bandwidth = "2 ceil(log2 p) m beta",
      .divide = whole_vector,
      .works_in_place = false,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::allreduce
