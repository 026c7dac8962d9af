#include "selection/figures.hpp"

#include <array>
#include <charconv>

namespace starling {

std::string in_microseconds(double seconds) {
  const double microseconds = seconds * 1e6;
  int decimals = 0;
  if (microseconds < 99.95) decimals = 1;
  if (microseconds < 9.995) decimals = 2;
  std::array<char, 340> digits{};  // fits any double written without an exponent
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), microseconds, std::chars_format::fixed, decimals).ptr;
  return std::string(digits.data(), end) + " us";
}

std::string in_digits(double number) {
  std::array<char, 32> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::general, 6).ptr;
  return {digits.data(), end};
}

}  // namespace starling
