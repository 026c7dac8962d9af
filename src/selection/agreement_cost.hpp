#pragma once

#include <cstdint>

namespace starling {

/// Seconds that an agreement usually takes, by the latest one and by what they took before (0: it is the first). Any
/// may wait for a late rank, and the first ones also open connections: that is not their own cost.
double usual_agreement(double before, double latest);

/// What agreements cost: they may take a small share of the time of a context's calls, so short calls agree rarely.
class AgreementCost {
 public:
  /// `budget` in units of the usual one: of a smaller one less is spent. `synchronises`: no rank can end a call before
  /// all have begun it. `shares_processors`: ranks wait for processors in each agreement, which is its own cost.
  AgreementCost(double budget, bool synchronises, bool shares_processors = false);

  /// Takes the seconds of calls.
  void add_calls(double seconds) { of_calls_ += seconds; }
  // `call` is the time of one call, in seconds.
  /// Takes how long an agreement took.
  void add(double seconds, double call);
  /// Seconds of an agreement among ranks that come to it together.
  [[nodiscard]] double seconds() const { return seconds_; }
  /// Calls after which one more agreement costs no more than its share.
  [[nodiscard]] std::int64_t calls_until_it_pays(double call) const;
  /// Calls that take so much longer than an agreement that one after them hardly counts.
  [[nodiscard]] std::int64_t calls_worth_one(double call) const;

 private:
  [[nodiscard]] double with_lead(double call) const;

  double part_;  ///< of the usual budget, at most 1
  bool synchronises_;
  bool shares_processors_;
  double seconds_;
  double of_all_ = 0;    ///< seconds that all took
  double of_calls_ = 0;  ///< seconds
};

}  // namespace starling
