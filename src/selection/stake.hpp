#pragma once

#include <cstdint>

#include "selection/strategy.hpp"

namespace starling {

/// What a context has at stake: the seconds, without waiting for late ranks, from which as many calls again may gain.
/// It tells when knowing more of the candidates, or trying one, may pay: many contexts have too few calls for either.
class Stake {
 public:
  /// A program that has just started is expected to make at least so many calls more, any other as many as so far.
  static constexpr double fewest_expected = 20;

  /// `budget` in units of the usual one: of a smaller one less is spent.
  Stake(const Brief& brief, double budget);

  /// Takes the seconds of calls, without waiting.
  void add(double seconds) { transfer_ += seconds; }
  /// Native's time is known from before the first call. Then the fewest calls that are expected count from there on.
  void know_native() { knows_native_ = true; }
  [[nodiscard]] bool knows_native() const { return knows_native_; }

  // `native` is native's time per call.
  /// Whether enough is at stake for any trial.
  [[nodiscard]] bool is_enough_to_try(double native) const { return in_all_runs(native) >= least_; }
  /// Whether it is enough to measure the network, which takes so many seconds. That serves all contexts, so the calls
  /// of others, which took `elsewhere` seconds, count too.
  bool is_enough_to_measure(double seconds, double native, double elsewhere);
  /// Whether it is enough to ask for predictions, which takes so many seconds and serves this context in this run only.
  bool is_enough_to_predict(double seconds, double native);
  /// Of a context with so many calls: how many more until there is enough for what was asked for last, as far as the
  /// calls so far tell; at least 1.
  [[nodiscard]] double calls_until_enough(double native, std::int64_t calls) const;

 private:
  [[nodiscard]] double in_this_run(double native) const;
  [[nodiscard]] double in_all_runs(double native) const;
  [[nodiscard]] double worth(double seconds) const;

  /// Seconds: first calls with a candidate also open connections and disturb other ranks, which a context of few or
  /// short calls does not win back.
  double least_;
  double enough_;          ///< for the next step towards a trial, seconds
  double part_;            ///< of the usual budget, at most 1
  double seconds_before_;  ///< of all calls of earlier runs, had they been native ones
  double transfer_ = 0;
  bool knows_native_ = false;
};

}  // namespace starling
