#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "knowledge/run_record.hpp"
#include "tuning/consensus.hpp"

namespace starling {

/// When ranks come to the calls of a collective that no rank can end before all have begun: the rank that comes last
/// then takes the least time, which is that of the transfer; all that others take above it is waiting. Compares the
/// latest calls before each agreement.
class Arrivals {
 public:
  /// The most calls that are compared at an agreement.
  static constexpr std::size_t most_calls = 4;
  /// The numbers of one agreement.
  static constexpr Fixed numbers{.means = 1, .maxima = 3 * most_calls};

  /// Takes this rank's seconds of a call. The same calls on all ranks, in the same order.
  void add(double seconds) { latest_[since_++ % most_calls] = seconds; }
  /// Takes a call whose seconds are not known; more than `most_calls` that are known come before `contribute`.
  void pass() { ++since_; }
  /// Appends the numbers that the ranks reduce as `numbers` says.
  void contribute(std::vector<double>& to, int rank_in_world);
  /// Takes the reduced numbers, the same on all ranks.
  void take(std::span<const double> reduced);
  /// What the comparisons so far tell. Nothing is told before the first.
  [[nodiscard]] std::optional<ArrivalsRecord> record() const;

 private:
  [[nodiscard]] std::size_t compared() const { return std::min(since_, most_calls); }

  std::array<double, most_calls> latest_{};  ///< seconds on this rank
  std::size_t since_ = 0;                    ///< calls since the last agreement
  std::array<bool, most_calls> was_last_{};  ///< this rank came last to these calls before the last agreement
  ArrivalsRecord sums_;                      ///< seconds in all
};

}  // namespace starling
