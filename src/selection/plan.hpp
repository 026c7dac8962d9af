#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace starling {

/// Calls in a row with one candidate, part of a plan.
struct PlannedCalls {
  int candidate;
  std::int64_t calls;
  bool is_trial;  ///< to learn how long it takes, or to wait for that; else it is the best known

  /// The times of so many of the latest calls are exchanged at most.
  static constexpr std::size_t most_times = 8;
  [[nodiscard]] std::size_t times() const {
    return static_cast<std::size_t>(std::min<std::int64_t>(calls, most_times));
  }
};

/// A measured call: its time on the slowest rank, on the fastest and in the mean over ranks, and the work of the rank
/// that had most. Where a rank can end a call before others have begun it, only the slowest one's time is exchanged.
/// Ranks began it `together` where nobody can have waited for late ones.
struct AgreedCall {
  double slowest;
  double fastest;
  double mean;
  double work;
  bool together = false;
};

}  // namespace starling
