#pragma once

#include "algorithms/algorithm.hpp"

namespace starling {

/// Combines block `own` of every rank, which each publishes for this one, into `into` on this rank, in the order of
/// ranks, by takes of `round`.
///
/// What is further left is combined onto what is right of it: so the last rank's comes first. This rank's own comes
/// with what its right neighbour has: one pass over the memory less than by itself.
inline void fold_shared(const Team& team, Round& round, Blocks own, Blocks into) {
  const int last = team.size - 1;
  bool is_first = true;
  for (int peer = last; peer >= 0; --peer) {
    if (peer == team.rank) continue;
    const Blocks right = !is_first ? into : team.rank == last ? own : nothing();
    round.take_between(peer == team.rank + 1 ? own : nothing(), peer, right, into);
    is_first = false;
  }
}

}  // namespace starling
