#include "tuning/arrivals.hpp"

#include <algorithm>
#include <array>

#include "selection/strategy.hpp"

namespace starling {
/// The mean over ranks of the compared calls' seconds; of each call the longest and the negative of the shortest time;
/// and who came last to each call before the last agreement, which that rank knows only since then.
void Arrivals::contribute(std::vector<double>& to, int rank_in_world) {
  const std::span calls = std::span(latest_).first(compared());
  double sum = 0;
  for (const double seconds : calls) sum += seconds;
  to.push_back(sum);
  for (const double seconds : latest_) to.push_back(seconds);
  for (const double seconds : latest_) to.push_back(-seconds);
  for (const bool last : was_last_) to.push_back(last ? rank_in_world : -1);
}

void Arrivals::take(std::span<const double> reduced) {
  const std::span slowest = reduced.subspan(1, most_calls);
  const std::span fastest = reduced.subspan(1 + most_calls, most_calls);
  const std::span last = reduced.subspan(1 + (2 * most_calls), most_calls);
  const std::size_t calls = compared();
  const bool all_served = std::all_of(slowest.begin(), slowest.begin() + static_cast<std::ptrdiff_t>(calls),
                                      [](double seconds) { return seconds < refused_seconds; });
  was_last_ = {};
  if (all_served) {
    sums_.calls += static_cast<std::int64_t>(calls);
    sums_.mean_s += reduced[0];
    for (std::size_t i = 0; i < calls; ++i) {
      sums_.slowest_s += slowest[i];
      sums_.fastest_s -= fastest[i];
      was_last_.at(i) = latest_.at(i) == -fastest[i];
    }
  }
  for (const double rank : last)
    if (rank >= 0) add_last(sums_.last, std::array{LastRank{static_cast<int>(rank), 1}}, ArrivalsRecord::most_last);
  since_ = 0;
}

std::optional<ArrivalsRecord> Arrivals::record() const {
  if (sums_.calls == 0) return std::nullopt;
  ArrivalsRecord means = sums_;
  for (double* const seconds : {&means.slowest_s, &means.mean_s, &means.fastest_s})
    *seconds /= static_cast<double>(means.calls);
  return means;
}

}  // namespace starling
