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

const Waiting::Times* Waiting::find(int candidate) const {
  const auto found =
      std::find_if(times_.begin(), times_.end(), [&](const Times& one) { return one.candidate == candidate; });
  return found == times_.end() ? nullptr : &*found;
}

Waiting::Times& Waiting::of(int candidate) {
  if (const Times* const known = find(candidate)) return times_[static_cast<std::size_t>(known - times_.data())];
  return times_.emplace_back(Times{.candidate = candidate});
}

bool Waiting::has_changed(std::span<const PlannedCalls> plan, std::span<const AgreedCall> calls) {
  if (!synchronises_) return false;
  for (const PlannedCalls& step : plan) {
    for (const AgreedCall& call : calls.first(step.times())) {
      if (!(call.fastest > step_of_clock) || !(call.slowest < refused_seconds)) continue;
      Times& known = of(step.candidate);
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
  double least = std::numeric_limits<double>::infinity();
  for (const Times& one : times_) least = std::min(least, std::exp(static_cast<double>(one.ratio)));
  if (std::ssize(times_) < fewest_candidates || (waits_ ? least >= waits_no_more : least <= waits)) return false;
  waits_ = !waits_;
  return true;
}

bool Waiting::delays(int candidate) const {
  constexpr float clearly = 0.05F;
  if (!waits_ || candidate == 0) return false;
  const Times* const native = find(0);
  const Times* const one = find(candidate);
  if (native == nullptr || one == nullptr) return false;
  const auto of_mean = [](const Times& times) {
    return times.variance * std::max(weight / (2 - weight), 1.0F / static_cast<float>(times.calls));
  };
  return one->slowest > native->slowest + clearly + std::sqrt(of_mean(*one) + of_mean(*native));
}

double Waiting::ratio(int candidate) const {
  const Times* const known = find(candidate);
  return known == nullptr ? 1 : std::exp(static_cast<double>(known->ratio));
}

void Waiting::forget() {
  times_.clear();
}

}  // namespace starling
