#include "selection/figures.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace starling {
namespace {

/// Values below these bounds still round to less than 10, 100 or 1000.
constexpr double below_ten = 9.995;
constexpr double below_hundred = 99.95;
constexpr double below_thousand = 999.5;

std::string in_digits(double value, int decimals) {
  std::array<char, 340> digits{};  // fits any double written without an exponent
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed, decimals).ptr;
  return {digits.data(), end};
}

}  // namespace

std::string time_in_words(double seconds) {
  double value = seconds * 1e6;
  std::string_view unit = " us";
  for (const std::string_view larger : {" ms", " s"}) {
    if (value < below_thousand) break;
    value /= 1e3;
    unit = larger;
  }
  const int decimals = value < below_ten ? 2 : value < below_hundred ? 1 : 0;
  return in_digits(value, decimals).append(unit);
}

std::string percent_in_words(double share) {
  constexpr double below_this_with_a_digit = 1.95;
  const double percent = 100 * share;
  const bool is_whole = percent == std::round(percent);
  return in_digits(percent, is_whole || std::abs(percent) >= below_this_with_a_digit ? 0 : 1) + " %";
}

}  // namespace starling
