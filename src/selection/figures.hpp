#pragma once

#include <string>

namespace starling {

/// A time in words for a decision's sentence, in microseconds and to three digits: "8.25 us", "12.3 us", "1520 us".
std::string in_microseconds(double seconds);

/// A factor in words, to as many digits as it needs: "1.1", "1.05".
std::string in_digits(double number);

}  // namespace starling
