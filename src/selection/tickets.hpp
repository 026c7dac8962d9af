#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace starling {

/// The time of one candidate in the lottery: an exponential average and its variance.
struct RunningTime {
  double mean = 0;            ///< seconds per call
  double variance = 0;        ///< of single calls, in seconds squared
  std::uint32_t samples = 0;  ///< calls in the mean, including those of earlier runs; no more than fit
  std::uint32_t spread = 0;   ///< calls in the variance
  [[nodiscard]] bool known() const { return samples > 0; }

  /// Adds a call: the average has weight `memory`. The first calls weigh equally, as long as each weighs more than
  /// 1 - `memory`. Mean and variance as in Finch 2009, Incremental calculation of weighted mean and variance,
  /// section 9.
  void add(double seconds, double memory);
  /// Scales mean and variance to calls that take `factor` times as long.
  void scale(double factor);
};

/// How tickets are dealt to candidates. A new policy is a function and a line in the table.
struct TicketPolicy {
  std::string_view name;
  std::string_view says;
  /// Returns each candidate's share of all tickets; they sum to 1. There are two candidates or more. `alpha` is the
  /// share of the fastest one known.
  std::vector<double> (*deal)(std::span<const RunningTime> times, double alpha);
};

/// Every policy; the first is the default.
std::span<const TicketPolicy> ticket_policies();

/// The policy of a name, the default for an empty one; nullptr for an unknown one.
const TicketPolicy* ticket_policy(std::string_view name);

/// The index of the smallest known mean; -1 if none is known.
int fastest(std::span<const RunningTime> times);

}  // namespace starling
