#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "selection/plan.hpp"

namespace starling {

/// Whether ranks wait for one that comes late. The slowest rank of a call then takes much longer than the fastest,
/// which came last, whichever candidate carries the call out. Where one candidate hardly makes ranks wait, the waiting
/// of the others is their own: on a node with more ranks than processors, for example, of ranks that are not scheduled.
/// One candidate alone does not tell.
class Waiting {
 public:
  /// For a collective in which no rank can end before all have begun; with 0 candidates ranks never count as waiting.
  explicit Waiting(std::size_t candidates) : ratios_(candidates) {}

  /// Takes the calls of a plan, those of each step in turn. Returns whether ranks begin or cease to wait.
  bool has_changed(std::span<const PlannedCalls> plan, std::span<const AgreedCall> calls);
  /// Forgets the calls so far, but not whether ranks wait.
  void forget();
  explicit operator bool() const { return waits_; }

 private:
  /// How much longer the slowest rank of a candidate's calls takes than the fastest.
  struct Ratio {
    float log_mean = 0;  ///< of the latest calls
    int calls = 0;
  };

  std::vector<Ratio> ratios_;
  bool waits_ = false;
};

}  // namespace starling
