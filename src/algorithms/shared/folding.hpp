#pragma once

#include <bit>

#include "algorithms/algorithm.hpp"

namespace starling {

/// How algorithms for a power of two serve any number of ranks: of the first 2 r ranks, r being what is left beyond the
/// largest power of two, the odd ones work for their even neighbours too, which rest. The order of ranks is kept.
/// Rabenseifner 2004.
struct Folding {
  int workers;  ///< the largest power of two
  int resting;  ///< ranks that have a neighbour work for them

  explicit constexpr Folding(int ranks)
      : workers(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))), resting(ranks - workers) {}

  [[nodiscard]] constexpr bool rests(int rank) const { return rank < 2 * resting && rank % 2 == 0; }
  [[nodiscard]] constexpr bool works_for_two(int rank) const { return rank < 2 * resting && rank % 2 == 1; }
  /// The number among workers of a rank that does not rest.
  [[nodiscard]] constexpr int worker(int rank) const { return rank < 2 * resting ? rank / 2 : rank - resting; }
  /// The rank of a worker.
  [[nodiscard]] constexpr int rank(int worker) const { return worker < resting ? (2 * worker) + 1 : worker + resting; }
  /// The first rank that a worker works for; for `workers` the number of ranks.
  [[nodiscard]] constexpr int first_block(int worker) const { return worker < resting ? 2 * worker : worker + resting; }
};

/// What a rank does in a reduce_scatter that takes no part in its steps, because it is alone or rests; then true. The
/// result of a rank that rests comes from rank `holder`.
bool stands_aside(Schedule& todo, const Team& team, const Folding& folding, int holder);

}  // namespace starling
