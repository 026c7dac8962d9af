#pragma once

#include <string>

namespace starling {

/// A time for a decision's sentence, with three digits and in the unit that `starling report` uses: "8.25 us",
/// "12.3 us", "1.58 ms", "2.00 s".
std::string time_in_words(double seconds);

/// A share for a decision's sentence, in percent and with at most one digit behind the point: "2 %", "0.4 %", "-12 %".
std::string percent_in_words(double share);

}  // namespace starling
