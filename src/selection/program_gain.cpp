#include "selection/program_gain.hpp"

#include <algorithm>
#include <cmath>

#include "measurement/statistics.hpp"

namespace starling {

/// A candidate that did not serve the program was filed with a longer time than that of its calls (`Planner::found`).
void ProgramGain::believe_earlier_runs(const Chosen& chosen) {
  proven_[static_cast<std::size_t>(chosen.candidate)] =
      chosen.candidate != 0 && chosen.seconds < Proof::clear_gain * chosen.native;
}

bool ProgramGain::needs_proof(const Chosen& chosen, std::int64_t calls, double to_fastest) const {
  constexpr double clearly = 0.9;
  constexpr double together = 1.15;
  constexpr int fewest_calls = 3;
  if (chosen.candidate == 0 || proven_[static_cast<std::size_t>(chosen.candidate)]) return false;
  if (!(stretch_ > 0) || calls < fewest_calls) return false;
  return chosen.seconds > clearly * chosen.native || to_fastest > together;
}

bool ProgramGain::has_proven_any() const {
  return std::find(proven_.begin(), proven_.end(), true) != proven_.end();
}

/// Whether calls with the chosen candidate gain so much that it is no accident, and the program has most of it: then
/// one stretch is enough, and native need not take turns. Not where ranks wait for late ones: that varies from stretch
/// to stretch.
bool ProgramGain::is_clear(double between_calls, const Chosen& chosen, bool waits) const {
  if (waits || !knows_native()) return false;
  return Proof::is_clear(chosen.seconds, chosen.native, between_calls - median(between_native_calls_));
}

/// Whether the time between native calls is known well enough.
bool ProgramGain::knows_native() const {
  constexpr std::ptrdiff_t fewest = 2;
  return std::ssize(between_native_calls_) >= fewest;
}

std::optional<Proof::Result> ProgramGain::take(std::span<const PlannedCalls> plan, double in_calls,
                                               const Chosen& chosen, bool waits) {
  if (!(stretch_ > 0)) return std::nullopt;
  double calls = 0;
  for (const PlannedCalls& step : plan) calls += static_cast<double>(step.calls);
  const double between = (stretch_ - in_calls) / calls;
  const PlannedCalls& first = plan.front();
  if (!proof_.is_running()) {
    constexpr std::ptrdiff_t most = 3;
    if (2 * static_cast<double>(first.calls) < calls) return std::nullopt;
    if (first.candidate != 0) {
      constexpr double most_of_it = 0.5;
      const double gain = chosen.native - chosen.seconds;
      const bool keeps =
          knows_native() ? between - median(between_native_calls_) < most_of_it * gain : !has_started_anew_;
      doubted_ = static_cast<std::int16_t>(first.candidate == chosen.candidate && !keeps ? chosen.candidate : 0);
      return std::nullopt;
    }
    if (std::ssize(between_native_calls_) == most) between_native_calls_.erase(between_native_calls_.begin());
    between_native_calls_.push_back(between);
    return std::nullopt;
  }
  if (proof_.candidate() != chosen.candidate || plan.size() != 1 || first.candidate != proof_.next()) {
    proof_ = {};
    return std::nullopt;
  }
  const auto at = static_cast<std::size_t>(chosen.candidate);
  if (first.candidate == chosen.candidate && is_clear(between, chosen, waits)) {
    proof_ = {};
    proven_[at] = true;
    return std::nullopt;
  }
  proof_.add(stretch_ / calls);
  const auto found = proof_.result((chosen.native - chosen.seconds) / (stretch_ / calls));
  if (!found) return std::nullopt;
  proven_[at] = found->is_faster;
  if (found->is_faster) return std::nullopt;
  const double by_calls = std::log(chosen.native / chosen.seconds);
  const double lost_between = by_calls + std::log(found->with_candidate / found->with_native);
  handicap_ = std::max({handicap_, 0.0F, static_cast<float>(lost_between)});
  return found;
}

void ProgramGain::start_anew() {
  proof_ = {};
  between_native_calls_.clear();
  proven_.assign(proven_.size(), false);
  handicap_ = 0;
  doubted_ = 0;
  has_started_anew_ = true;
}

}  // namespace starling
