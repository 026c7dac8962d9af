#include "selection/tickets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace starling {
namespace {

/// Calls of the fastest from which on its variance is used.
constexpr std::uint32_t enough_for_a_spread = 5;

/// Gives `alpha` to the fastest, and the rest to the others in proportion to `weight`; all to the fastest if no other
/// has a weight. While no time is known, all get equal shares.
template <typename Weight>
std::vector<double> shares(std::span<const RunningTime> times, double alpha, Weight weight) {
  std::vector<double> all(times.size(), 1.0 / static_cast<double>(times.size()));
  const int best = fastest(times);
  if (best < 0) return all;
  double sum = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    all[i] = static_cast<int>(i) == best ? 0 : weight(times[i], times[static_cast<std::size_t>(best)]);
    sum += all[i];
  }
  for (double& share : all) share *= sum > 0 ? (1 - alpha) / sum : 0;
  all[static_cast<std::size_t>(best)] = sum > 0 ? alpha : 1;
  return all;
}

std::vector<double> deal_uniformly(std::span<const RunningTime> times, double alpha) {
  return shares(times, alpha, [](const RunningTime&, const RunningTime&) { return 1.0; });
}

std::vector<double> deal_inversely(std::span<const RunningTime> times, double alpha) {
  return shares(times, alpha, [](const RunningTime& one, const RunningTime& best) {
    if (!one.known()) return 1 / best.mean;
    const bool near = best.spread < enough_for_a_spread || one.mean <= best.mean + (2 * std::sqrt(best.variance));
    return near ? 1 / one.mean : 0.0;
  });
}

constexpr std::array<TicketPolicy, 2> policies{
    {{"uniform", "the others share what the fastest leaves alike", deal_uniformly},
     {"inverse",
      "the others share it inversely to their times, and only those within two standard deviations of the fastest",
      deal_inversely}}};

}  // namespace

void RunningTime::add(double seconds, double memory) {
  const auto weight_of = [memory](std::uint32_t& calls) {
    if (calls < std::numeric_limits<std::uint32_t>::max()) ++calls;
    return std::max(1 - memory, 1 / static_cast<double>(calls));
  };
  const double before = seconds - mean;
  mean += weight_of(samples) * before;
  variance += weight_of(spread) * ((before * (seconds - mean)) - variance);
}

void RunningTime::scale(double factor) {
  mean *= factor;
  variance *= factor * factor;
}

std::span<const TicketPolicy> ticket_policies() {
  return policies;
}

const TicketPolicy* ticket_policy(std::string_view name) {
  if (name.empty()) return &policies.front();
  const auto* const found =
      std::find_if(policies.begin(), policies.end(), [&](const TicketPolicy& one) { return one.name == name; });
  return found == policies.end() ? nullptr : found;
}

int fastest(std::span<const RunningTime> times) {
  int best = -1;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i].known() && (best < 0 || times[i].mean < times[static_cast<std::size_t>(best)].mean))
      best = static_cast<int>(i);
  return best;
}

}  // namespace starling
