#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace starling {

/// The time of one candidate as the lottery remembers it: an exponential average, and how far times lie from it.
struct RunningTime {
  double mean = 0;           ///< seconds a call
  double variance = 0;       ///< of single calls around the mean, in seconds squared
  std::int64_t samples = 0;  ///< calls behind the mean, those of earlier runs too
  std::int64_t spread = 0;   ///< of them those behind the variance
  [[nodiscard]] bool known() const { return samples > 0; }

  /// Adds a call: the average keeps `memory` of itself. The first calls weigh alike until their number does so by
  /// itself. Mean and variance as in Finch 2009, Incremental calculation of weighted mean and variance, section 9.
  void add(double seconds, double memory);
  /// Tells both for calls that take `factor` times as long.
  void scale(double factor);
};

/// How tickets are dealt to candidates. A policy is a value of this table: a new one is a function and a line.
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

/// The index of the smallest known mean; -1 where none is known.
int fastest(std::span<const RunningTime> times);

}  // namespace starling
