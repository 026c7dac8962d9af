#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace starling {

/// What calls with other candidates than native have lost against native since the network changed, and what they may:
/// n calls together `allowance` + `growth` sqrt(n) of native's times (ledger.cpp), in units of the usual budget.
class Ledger {
 public:
  /// `budget` in units of the usual one.
  Ledger(double budget, std::size_t candidates) : budget_(budget), candidates_(candidates) {}

  /// Takes calls that were made.
  void count(int candidate, std::int64_t calls);
  /// Native has carried out so many of a candidate's calls.
  void was_refused(int candidate, std::int64_t calls) { calls_of_[static_cast<std::size_t>(candidate)] -= calls; }
  /// The seconds that the first call with a candidate costs besides.
  void expect_to_begin(int candidate, double seconds);
  /// The network has changed: earlier calls no longer count.
  void start_anew();
  /// All calls that count.
  [[nodiscard]] std::int64_t calls() const { return calls_; }
  [[nodiscard]] std::int64_t calls_of(int candidate) const {
    return calls_of_.empty() ? 0 : calls_of_[static_cast<std::size_t>(candidate)];
  }

  /// Seconds by which all calls took longer than native would have, by what is known now of a call of each candidate
  /// (`seconds_of`): a time that turns out to be that of a disturbed call is not charged.
  template <class SecondsOf>
  [[nodiscard]] double lost(double native, const SecondsOf& seconds_of) const {
    double lost = 0;
    for (std::size_t i = 1; i < calls_of_.size(); ++i)
      if (calls_of_[i] > 0)
        lost += (static_cast<double>(calls_of_[i]) * (seconds_of(static_cast<int>(i)) - native)) + to_begin(i);
    return lost;
  }
  /// Seconds that so many calls together may lose, of which native takes `native` each.
  [[nodiscard]] double allowed(double calls, double native) const;
  /// Seconds that the next call with a candidate costs besides.
  [[nodiscard]] double seconds_to_begin(int candidate) const {
    return calls_of(candidate) > 0 ? 0 : to_begin(static_cast<std::size_t>(candidate));
  }
  /// Seconds that a trial of so many calls costs if each loses so much.
  [[nodiscard]] double cost_of_trial(int candidate, std::int64_t calls, double loss_of_call) const {
    return (static_cast<double>(calls) * loss_of_call) + seconds_to_begin(candidate);
  }

 private:
  [[nodiscard]] double to_begin(std::size_t candidate) const {
    return to_begin_.empty() ? 0 : static_cast<double>(to_begin_[candidate]);
  }

  double budget_;
  std::size_t candidates_;
  std::int64_t calls_ = 0;
  std::vector<std::int64_t> calls_of_;  ///< empty while all were native's
  std::vector<float> to_begin_;         ///< empty until known
};

}  // namespace starling
