// allreduce:gather_reduce: every rank gathers the whole vectors of all ranks and combines them itself, in their order.
//
//            rank 0   rank 1   rank 2   rank 3        here with recursive doubling
//   start    A...     .B..     ..C.     ...D
//   step 1   AB..     AB..     ..CD     ..CD
//   step 2   ABCD     ABCD     ABCD     ABCD
//   then     A+(B+(C+D)) everywhere

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/combining.hpp"
#include "algorithms/shared/gather_everything.hpp"
#include "algorithms/shared/whole_vector.hpp"

namespace starling::allreduce {
namespace {

Schedule build(const Team& team, const Parameters& with) {
  Schedule todo(team.blocks());
  const Buffer vectors = gather_everything(todo, team, with.text("allgather"), 1);
  combine_in_order(todo, vectors, team.size, 0);
  return todo;
}

std::string refuses(const Situation& situation, const Parameters& with) {
  return gather_everything_refusal(situation, with.text("allgather"), 1, situation.bytes);
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  return scratch_of_gather_everything(situation, with.text("allgather"), 1);
}

}  // namespace

Algorithm gather_reduce() {
  return {
      .collectives = {Collective::allreduce},
      .name = "gather_reduce",
      .says = "gathers the vectors of all ranks on every rank, which combines them by itself",
      .source = "STAR-MPI, section 3.1",
      .group = "gather_reduce",
      .parameters = {{"allgather",
                      {"bruck", "mesh2d", "mesh3d", "recursive_doubling", "pairwise", "ring"},
                      "the allgather that spreads the vectors"}},
      .reduction_order = "by_rank",
      .latency = "the allgather's",
      .bandwidth = "(p-1) m beta",
      .divide = whole_vector,
      .refuses = refuses,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::allreduce
