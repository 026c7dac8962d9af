#pragma once

#include <cstdint>
#include <string_view>

namespace starling {

/// A number that stands for what was added, in this order: FNV-1a, with words of any size. It is the same in each
/// process and each version, for records keep it and ranks compare it.
class Fingerprint {
 public:
  constexpr Fingerprint& add(std::uint64_t word) {
    value_ = (value_ ^ word) * prime;
    return *this;
  }
  constexpr Fingerprint& add(std::string_view text) {
    for (const char letter : text) add(std::uint64_t{static_cast<unsigned char>(letter)});
    return *this;
  }
  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }

 private:
  static constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace starling
