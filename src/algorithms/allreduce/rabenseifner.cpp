// allreduce:rabenseifner: ranks halve the vector with partners 1, 2, 4, ... away, then put it together the same way
// back. The largest messages go to the nearest ranks, which spares the links between switches.
//
//            rank 0     rank 1     rank 2     rank 3       blocks that a rank works on, over the ranks in brackets
//   start    0123       0123       0123       0123
//   step 1   01 (0,1)   23 (0,1)   01 (2,3)   23 (2,3)
//   step 2   0 (all)    2 (all)    1 (all)    3 (all)
//   step 3   01         23         01         23
//   step 4   0123       0123       0123       0123
//
// Where p is no power of two, the first 2 r ranks (r = p less the largest power of two in it) form pairs: the even one
// gives its vector to the odd one, which works for both, and gets the result in the end.

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/vector_halving.hpp"

namespace starling::allreduce {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  const Blocks everything = recvbuf(0, team.blocks());
  const Folding folding(team.size);
  if (folding.rests(team.rank)) {
    todo.round().send(sendbuf(0, team.blocks()), team.rank + 1);
    todo.round().receive(everything, team.rank + 1);
    return todo;
  }
  todo.copy(sendbuf(0, team.blocks()), everything);
  if (team.size == 1) return todo;
  const Buffer spare = todo.add_scratch(team.blocks());
  if (folding.works_for_two(team.rank))
    todo.round().receive(at(spare, 0, team.blocks()), team.rank - 1).combine(at(spare, 0, team.blocks()), everything);

  const int me = folding.worker(team.rank);
  const auto rank_of = [&](int worker) { return folding.rank(worker); };
  halve_vector(todo, me, folding.workers, Buffer::recv, spare, rank_of);
  for (int distance = folding.workers / 2; distance > 0; distance /= 2) {
    const int peer = me ^ distance;
    todo.round()
        .receive(halved(Buffer::recv, peer, 2 * distance, folding.workers), rank_of(peer))
        .send(halved(Buffer::recv, me, 2 * distance, folding.workers), rank_of(peer));
  }
  if (folding.works_for_two(team.rank)) todo.round().send(everything, team.rank - 1);
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  return situation.ranks == 1 ? 0 : block_for_each_worker(situation, with).blocks;
}

}  // namespace

Algorithm rabenseifner() {
  return {
      .collectives = {Collective::allreduce},
      .name = "rabenseifner",
      .says = "halves the vector with ever farther partners, then puts it together on the same way back",
      .source = "Rabenseifner 2004, section 3; Thakur, Rabenseifner and Gropp 2005, section 4.5",
      .group = "rabenseifner",
      .needs = {.commutative = true},
      .reduction_order = "vector_halving",
      .counterparts = {{.ompi = "rabenseifner", .mpich = "reduce_scatter_allgather", .ucc = "sra_knomial"}},
      .latency = "2 log2(p) alpha; 2 alpha more where p is no power of two",
      .bandwidth = "2 (p-1)/p m beta; 2 m beta more where p is no power of two",
      .divide = block_for_each_worker,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::allreduce
