#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace starling {

/// The times of some calls of one context on this rank: all of the first ones, later fewer and fewer. Which calls are
/// kept depends on their numbers only, so that all ranks of a communicator keep the same ones, and can compare their
/// times call by call when the run ends. Calls that are kept do not recur with a fixed period, as calls of a program
/// do. Adding one costs a few nanoseconds.
class SampledCalls {
 public:
  /// Calls kept at most. The first call is always one of them.
  static constexpr std::size_t most = 64;
  static constexpr double unknown = -1;

  /// `before`: seconds since the rank's collective before ended, or unknown.
  void add(double seconds, double before) {
    const std::uint32_t number = calls_++;
    if (number * scramble <= limit_) keep(number, seconds, before);
  }

  struct Kept {
    std::uint32_t number;  ///< of the call in its context, from 0
    float seconds;
    float before;  ///< as `add` has it
  };
  /// In the order of the calls.
  [[nodiscard]] std::span<const Kept> kept() const { return kept_; }

 private:
  /// 2^32 / the golden ratio: multiples of it, modulo 2^32, lie as evenly as can be, wherever a series of them ends.
  static constexpr std::uint32_t scramble = 0x9e3779b9U;

  [[gnu::noinline]] void keep(std::uint32_t number, double seconds, double before);

  std::vector<Kept> kept_;
  std::uint32_t calls_ = 0;
  std::uint32_t limit_ = ~std::uint32_t{0};  ///< calls are kept whose scrambled number is not above it
};

}  // namespace starling
