#pragma once

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
  /// `synchronises`: no rank can end a call before all have begun it. Where one can, ranks never count as waiting.
  explicit Waiting(bool synchronises) : synchronises_(synchronises) {}

  /// Takes the calls of a plan, those of each step in turn. Returns whether ranks begin or cease to wait.
  bool has_changed(std::span<const PlannedCalls> plan, std::span<const AgreedCall> calls);
  /// Forgets the calls so far, but not whether ranks wait.
  void forget();
  explicit operator bool() const { return waits_; }
  /// Whether ranks wait, and the slowest one takes longer with `candidate` than with native: the fastest rank's time is
  /// then not all that a candidate costs the program.
  [[nodiscard]] bool delays(int candidate) const;
  /// How many times as long as on the fastest rank calls with `candidate` take on the slowest; 1 where that is not
  /// known.
  [[nodiscard]] double ratio(int candidate) const;

 private:
  /// Of a candidate's latest calls, logarithms: their means.
  struct Times {
    int candidate;
    float ratio = 0;     ///< of the slowest rank's seconds and the fastest's
    float slowest = 0;   ///< seconds
    float variance = 0;  ///< of `slowest`'s calls
    int calls = 0;
  };
  [[nodiscard]] const Times* find(int candidate) const;
  Times& of(int candidate);

  std::vector<Times> times_;  ///< of those with calls: few of many
  bool synchronises_;
  bool waits_ = false;
};

}  // namespace starling
