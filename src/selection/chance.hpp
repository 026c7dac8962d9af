#pragma once

#include <cmath>
#include <cstdint>

namespace starling {

/// SplitMix64 (Steele, Lea and Flood 2014): the same numbers on all processors, eight bytes of state.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  /// A number from 0 up to, not including, 1.
  double next() {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return std::ldexp(static_cast<double>((mixed ^ (mixed >> 31U)) >> 11U), -53);
  }

 private:
  std::uint64_t state_;
};

}  // namespace starling
