#include "selection/waiting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "selection/strategy.hpp"

namespace starling {
namespace {

/// Ranks wait where the slowest one's time is that many times the fastest's, until it is less than the second number.
constexpr double waits = 1.6;
constexpr double waits_no_more = 1.25;
/// Seconds below which a fastest rank's time may be none: a clock's step.
constexpr double step_of_clock = 1e-6;
/// Of the latest call in the mean.
constexpr float weight = 0.15F;
constexpr int fewest_candidates = 2;

}  // namespace

bool Waiting::has_changed(std::span<const PlannedCalls> plan, std::span<const AgreedCall> calls) {
  if (times_.empty()) return false;
  for (const PlannedCalls& step : plan) {
    Times& known = times_[static_cast<std::size_t>(step.candidate)];
    for (const AgreedCall& call : calls.first(step.times())) {
      if (!(call.fastest > step_of_clock) || !(call.slowest < refused_seconds)) continue;
      const auto ratio = static_cast<float>(std::log(call.slowest / call.fastest));
      const auto slowest = static_cast<float>(std::log(call.slowest));
      ++known.calls;
      const float part = std::max(weight, 1.0F / static_cast<float>(known.calls));
      known.ratio += part * (ratio - known.ratio);
      const float before = slowest - known.slowest;
      known.slowest += part * before;
      known.variance += part * ((before * (slowest - known.slowest)) - known.variance);
    }
    calls = calls.subspan(step.times());
  }
  int candidates = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const Times& one : times_) {
    if (one.calls == 0) continue;
    ++candidates;
    least = std::min(least, std::exp(static_cast<double>(one.ratio)));
  }
  if (candidates < fewest_candidates || (waits_ ? least >= waits_no_more : least <= waits)) return false;
  waits_ = !waits_;
  return true;
}

bool Waiting::delays(int candidate) const {
  constexpr float clearly = 0.05F;
  if (!waits_ || candidate == 0) return false;
  const Times& native = times_.front();
  const Times& one = times_[static_cast<std::size_t>(candidate)];
  if (native.calls == 0 || one.calls == 0) return false;
  const auto of_mean = [](const Times& times) {
    return times.variance * std::max(weight / (2 - weight), 1.0F / static_cast<float>(times.calls));
  };
  return one.slowest > native.slowest + clearly + std::sqrt(of_mean(one) + of_mean(native));
}

double Waiting::ratio(int candidate) const {
  return times_.empty() ? 1 : std::exp(static_cast<double>(times_[static_cast<std::size_t>(candidate)].ratio));
}

void Waiting::forget() {
  std::fill(times_.begin(), times_.end(), Times{});
}

}  // namespace starling
