#pragma once

#include <cstddef>
#include <span>

#include "knowledge/settings.hpp"

namespace starling {

/// How many of the numbers that ranks reduce are reduced in a fixed way: the last `maxima` to the maximum, and `means`
/// before them to the mean.
struct Fixed {
  std::size_t means = 0;
  std::size_t maxima = 0;
};

/// How the ranks of one context exchange numbers. All of them call the same functions in the same order.
class Consensus {
 public:
  /// Whether this is the first rank, which judges if only one does (Judge::first_rank).
  [[nodiscard]] virtual bool is_first() const = 0;
  /// This rank's number in MPI_COMM_WORLD, for the record.
  [[nodiscard]] virtual int rank_in_world() const = 0;
  /// Reduces `values` to the first rank, element by element: the last ones as `fixed` says, those before them to the
  /// mean, the maximum or the minimum. On the other ranks `values` are then undefined.
  virtual void reduce_to_first(std::span<double> values, Fixed fixed, SampleReduction reduction) = 0;
  /// Broadcasts the first rank's values.
  virtual void broadcast(std::span<double> values) = 0;

 protected:
  Consensus() = default;
  ~Consensus() = default;
  Consensus(const Consensus&) = default;
  Consensus& operator=(const Consensus&) = default;
};

}  // namespace starling
