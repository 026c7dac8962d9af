#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace starling {

/// Seconds in 16 bits, to 1 part in 2048: enough for what scatters by percents, of which there is much. From a
/// picosecond to half a year; what is shorter counts as 0, what is longer as the longest.
class ShortTime {
 public:
  ShortTime() = default;
  explicit ShortTime(double seconds) {
    // A float's exponent and the first bits of its fraction, rounded, without the exponents that no time has.
    const auto bits = std::bit_cast<std::int32_t>(static_cast<float>(std::max(0.0, seconds)));
    constexpr std::int32_t half = 1 << (dropped_bits - 1);
    bits_ = static_cast<std::uint16_t>(std::clamp(((bits + half) >> dropped_bits) - least, 0, 0xffff));
  }
  [[nodiscard]] double seconds() const {
    if (bits_ == 0) return 0;
    return static_cast<double>(std::bit_cast<float>((bits_ + least) << dropped_bits));
  }

 private:
  static constexpr int dropped_bits = 13;  ///< of a float's 23 bits of fraction
  static constexpr int float_bias = 127;
  /// What stands for 2^-40.
  static constexpr std::int32_t least = (float_bias - 40) << (23 - dropped_bits);

  std::uint16_t bits_ = 0;
};

}  // namespace starling
