#include "algorithms/shared/vector_halving.hpp"

namespace starling {

Blocks halved(Buffer buffer, int worker, int distance, int workers) {
  int first = 0;
  for (int step = 1; step < distance; step *= 2)
    if ((worker & step) != 0) first += workers / (2 * step);
  return at(buffer, first, workers / distance);
}

Division block_for_each_worker(const Situation& situation, const Parameters& /*any*/) {
  return {Folding(situation.ranks).workers};
}

}  // namespace starling
