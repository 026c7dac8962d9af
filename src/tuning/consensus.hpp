#pragma once

#include <cstddef>
#include <span>

#include "knowledge/settings.hpp"

namespace starling {

/// How the ranks that share a tuner exchange numbers. All of them call the same functions in the same order.
class Consensus {
 public:
  /// Whether this is the rank that judges where one does.
  [[nodiscard]] virtual bool is_first() const = 0;
  /// Reduces over ranks, element by element, to the mean, the largest or the smallest, and the last `always` to the
  /// largest, into `values` on the first rank; on the others they become anything.
  virtual void reduce_to_first(std::span<double> values, std::size_t always, SampleReduction reduction) = 0;
  /// Gives the first rank's values to all.
  virtual void broadcast(std::span<double> values) = 0;

 protected:
  Consensus() = default;
  ~Consensus() = default;
  Consensus(const Consensus&) = default;
  Consensus& operator=(const Consensus&) = default;
};

}  // namespace starling
