#pragma once

#include <cmath>
#include <numbers>

namespace starling {

/// Seconds below which no time of a call is believed.
constexpr double shortest = 1e-9;
/// The scatter of times, the standard deviation of their logarithms, before there are enough of them to tell.
constexpr double first_scatter = 0.08;
/// However much times scatter, they count as if by this.
constexpr double most_scatter = 1.5;
/// Standard deviations of a difference between two times that are chance.
constexpr double chance_deviations = 4;

/// The probability that a standard normal variable is below `value`.
inline double normal_below(double value) {
  return std::erfc(-value / std::numbers::sqrt2) / 2;
}

}  // namespace starling
