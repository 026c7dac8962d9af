#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "selection/plan.hpp"
#include "selection/strategy.hpp"

namespace starling {

/// How the times of some calls go from ranks to the one that judges: what each contributes, to be reduced to maxima but
/// for the last numbers, which are reduced to means (Strategy::means), and what comes out.
class CallTimes {
 public:
  /// Only where calls synchronise do ranks exchange more than the slowest one's time.
  explicit CallTimes(const Brief& brief)
      : synchronises_(brief.synchronises),
        shares_processors_(brief.shares_processors),
        varying_work_(brief.varying_work) {}

  /// Sets `numbers` to what this rank contributes for calls of these seconds, and this work where it varies: at least
  /// `fewest` numbers. `since_meeting`: Strategy::longest_since_meeting of these calls.
  void contribute(std::vector<double>& numbers, std::span<const double> seconds, std::span<const double> work,
                  double since_meeting, std::size_t fewest) {
    calls_ = seconds.size();
    numbers.assign(seconds.begin(), seconds.end());
    if (synchronises_)
      for (const double one : seconds) numbers.push_back(-one);
    if (varying_work_) numbers.insert(numbers.end(), work.begin(), work.end());
    if (synchronises_) numbers.push_back(since_meeting);
    if (numbers.size() < fewest) numbers.resize(fewest);
    if (synchronises_) numbers.insert(numbers.end(), seconds.begin(), seconds.end());
  }
  /// How many of the last numbers are reduced to means.
  [[nodiscard]] std::size_t means() const { return synchronises_ ? calls_ : 0; }
  /// The calls that the reduced numbers tell of.
  [[nodiscard]] std::vector<AgreedCall> calls(std::span<const double> reduced) const {
    std::vector<AgreedCall> calls(calls_);
    const std::span<const double> means = reduced.last(this->means());
    const std::size_t behind = (varying_work_ ? 3 : 2) * calls_;
    for (std::size_t i = 0; i < calls_; ++i) {
      std::size_t at = i;
      calls[i].slowest = calls[i].fastest = calls[i].mean = reduced[at];
      if (synchronises_) {
        calls[i].fastest = -reduced[at += calls_];
        calls[i].mean = means[i];
        calls[i].together = reduced[behind] <= hardly_late * calls[i].fastest;
        if (shares_processors_ && calls[i].slowest < refused_seconds) be_as_in_a_row(calls[i]);
      }
      calls[i].work = varying_work_ ? reduced[at + calls_] : 0;
    }
    return calls;
  }

 private:
  /// Of a call's time: ranks that began it so long after each other at most, began it together.
  static constexpr double hardly_late = 0.1;

  /// Ranks that wait for a processor begin a call, and leave it, one after the other. The last one then finds all the
  /// others there, and none of them was late. In a row of calls each takes what ranks spend in it in the mean.
  static void be_as_in_a_row(AgreedCall& call) {
    call.slowest = call.fastest = call.mean;
    call.together = true;
  }

  bool synchronises_;
  bool shares_processors_;
  bool varying_work_;
  std::size_t calls_ = 0;  ///< the latest that were contributed
};

}  // namespace starling
