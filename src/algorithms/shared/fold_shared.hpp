#pragma once

#include "algorithms/algorithm.hpp"

namespace starling {

/// Combines block `from` of every rank, which each publishes for this one, into `into` on this rank, in the order of
/// ranks. `round` is this rank's publication of its own, to which the first takes are added.
///
/// The last rank's comes first, since what is further left is combined onto it; so ranks right of this one are taken
/// first, then this rank's own is added, then those left of it are taken.
inline void fold_shared(Schedule& todo, const Team& team, Round& round, Blocks from, Blocks into) {
  const int last = team.size - 1;
  if (team.rank < last) round.take(into, last);
  for (int peer = last - 1; peer > team.rank; --peer) round.take_combined(into, peer);
  if (team.rank == last) {
    round.copy(from, into);
  } else {
    round.combine(from, into);
  }
  if (team.rank == 0) return;
  Round& left = todo.round();
  for (int peer = team.rank - 1; peer >= 0; --peer) left.take_combined(into, peer);
}

}  // namespace starling
