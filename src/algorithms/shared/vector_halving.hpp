#pragma once

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/folding.hpp"

namespace starling {

/// The blocks that a worker works on before the step in which partners are `distance` apart, in `buffer`: of a vector
/// with a block for each worker the half that it kept in each step before, the lower one where the step's bit in its
/// number is 0. With `distance` = `workers` it is the one block left in the end.
Blocks halved(Buffer buffer, int worker, int distance, int workers);

/// The `divide` of an algorithm that works on a block for each worker.
Division block_for_each_worker(const Situation& situation, const Parameters& any);

/// Scatters the sum: the halves of `vector`, all of this worker's data, go to partners first 1, then 2, 4, ... workers
/// away, so that the largest messages go to the nearest. `spare` is as large. Rabenseifner 2004, section 3.
/// `rank_of` gives the rank of a worker.
template <class RankOf>
void halve_vector(Schedule& todo, int worker, int workers, Buffer vector, Buffer spare, RankOf rank_of) {
  for (int distance = 1; distance < workers; distance *= 2) {
    const int peer = worker ^ distance;
    const Blocks incoming = halved(spare, worker, 2 * distance, workers);
    todo.round()
        .receive(incoming, rank_of(peer))
        .send(halved(vector, peer, 2 * distance, workers), rank_of(peer))
        .combine(incoming, halved(vector, worker, 2 * distance, workers));
  }
}

}  // namespace starling
