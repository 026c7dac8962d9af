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
  double variance = 0;       ///< of the samples around the mean, in seconds squared
  std::int64_t samples = 0;  ///< taken in this run
  bool known = false;

  /// Adds a sample that stands for `calls` calls: the average keeps `memory` to the power of `calls` of itself. The
  /// first samples weigh alike until their number does so by itself. Mean and variance as in Finch 2009, Incremental
  /// calculation of weighted mean and variance, section 9.
  void add(double seconds, std::int64_t calls, double memory);
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
