// reduce:rabenseifner: ranks halve the vector with partners 1, 2, 4, ... away; on the way back, one of each two
// partners hands over what it has, and the root is left with all of it.
//
//            rank 0     rank 1     rank 2     rank 3       blocks that a rank works on, over the ranks in brackets
//   start    0123       0123       0123       0123
//   step 1   01 (0,1)   23 (0,1)   01 (2,3)   23 (2,3)
//   step 2   0 (all)    2 (all)    1 (all)    3 (all)
//   step 3   01         23                                 root 0
//   step 4   0123
//
// Where p is no power of two, of the first 2 r ranks (r = p less the largest power of two in it) one of each two gives
// its vector to the other, which works for both; the root is always one that works.

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/vector_halving.hpp"

namespace starling::reduce {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  if (team.size == 1) {
    todo.copy(sendbuf(0, team.blocks()), recvbuf(0, team.blocks()));
    return todo;
  }
  const Folding folding(team.size);
  // Where the root would rest, it and its neighbour change places.
  const bool changes = folding.rests(team.root);
  const auto place = [&](int rank) {
    if (changes && rank == team.root) return rank + 1;
    return changes && rank == team.root + 1 ? rank - 1 : rank;
  };
  const auto rank_of = [&](int worker) { return place(folding.rank(worker)); };
  const int here = place(team.rank);
  if (folding.rests(here)) {
    todo.round().send(sendbuf(0, team.blocks()), place(here + 1));
    return todo;
  }
  const Buffer vector = team.rank == team.root ? Buffer::recv : todo.add_scratch(team.blocks());
  const Buffer spare = todo.add_scratch(team.blocks());
  todo.copy(sendbuf(0, team.blocks()), at(vector, 0, team.blocks()));
  if (folding.works_for_two(here))
    todo.round()
        .receive(at(spare, 0, team.blocks()), place(here - 1))
        .combine(at(spare, 0, team.blocks()), at(vector, 0, team.blocks()));

  const int me = folding.worker(here);
  const int root = folding.worker(place(team.root));
  halve_vector(todo, me, folding.workers, vector, spare, rank_of);
  for (int distance = folding.workers / 2; distance > 0; distance /= 2) {
    const int peer = me ^ distance;
    if (((me ^ root) & distance) != 0) {
      todo.round().send(halved(vector, me, 2 * distance, folding.workers), rank_of(peer));
      break;
    }
    todo.round().receive(halved(vector, peer, 2 * distance, folding.workers), rank_of(peer));
  }
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  return situation.ranks == 1 ? 0 : std::int64_t{2} * block_for_each_worker(situation, with).blocks;
}

}  // namespace

Algorithm rabenseifner() {
  return {
      .collectives = {Collective::reduce},
      .name = "rabenseifner",
      .says = "halves the vector with ever farther partners, then hands the parts to the root on the same way back",
      .source = "Rabenseifner 2004, section 3",
      .group = "rabenseifner",
      .needs = {.commutative = true},
      .reduction_order = "vector_halving",
      .counterparts = {{.ompi = "rabenseifner", .mpich = "reduce_scatter_gather", .ucc = "srg"}},
      .latency = "2 ceil(log2 p) alpha",
      .bandwidth = "2 (p-1)/p m beta; m beta more where p is no power of two",
      .divide = block_for_each_worker,
      .works_in_place = false,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::reduce
