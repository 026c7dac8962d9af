#include "selection/stake.hpp"

#include <algorithm>
#include <cmath>

#include "selection/noise.hpp"

namespace starling {
namespace {

/// What may be spent to know more before a trial, as a share of the time of the calls so far. They may be the last
/// ones, or not gain: then that much is lost.
constexpr double share_of_knowing = 0.1;
/// Where ranks share processors, to make memory and communicators takes so many times as long, for ranks wait in turn.
constexpr double of_shared_processors = 5;

double least_of(const Brief& brief) {
  return brief.settings.stake * (brief.shares_processors ? of_shared_processors : 1);
}

}  // namespace

Stake::Stake(const Brief& brief, double budget)
    : least_(least_of(brief)),
      enough_(least_),
      part_(std::min(1.0, budget)),
      seconds_before_(brief.candidates.front().earlier
                          ? static_cast<double>(brief.calls_before) * brief.candidates.front().earlier->seconds
                          : 0) {}

/// The calls made, or, where native's time was known before the first one, those that are expected at least.
double Stake::in_this_run(double native) const {
  return knows_native_ ? std::max(transfer_, fewest_expected * native) : transfer_;
}

/// The same for what the history keeps, so that later runs need not pay for it again: as many calls again as there were
/// in all runs, which took what native took there: this run's first calls are slow.
double Stake::in_all_runs(double native) const {
  return std::max(in_this_run(native), seconds_before_);
}

bool Stake::is_enough_to_measure(double seconds, double native, double elsewhere) {
  enough_ = worth(seconds) - elsewhere;
  return in_all_runs(native) >= enough_;
}

bool Stake::is_enough_to_predict(double seconds, double native) {
  enough_ = std::max(least_, worth(seconds));
  return in_this_run(native) >= enough_;
}

/// The seconds of calls from which on knowing more may cost so many seconds.
double Stake::worth(double seconds) const {
  return seconds / std::max(share_of_knowing * part_, shortest);
}

double Stake::calls_until_enough(double native, std::int64_t calls) const {
  const double of_a_call = transfer_ / static_cast<double>(std::max<std::int64_t>(calls, 1));
  return std::max(1.0, std::ceil((enough_ - in_this_run(native)) / std::max(of_a_call, shortest)));
}

}  // namespace starling
