#pragma once

#include <cstdint>

#include "cost/parameters.hpp"

namespace starling {

/// What a job found out about its network by a probe (docs/cost-model.md).
struct MeasuredNetwork {
  CostParameters parameters;
  /// Bits of messages that a host sends in a second while other hosts send too; a link of that many by `rate_share`
  /// carries them. Where nothing was measured between hosts it is any.
  std::int64_t rate = 1'000'000'000;

  /// Bits per second of such a link.
  [[nodiscard]] std::int64_t link_rate() const {
    return static_cast<std::int64_t>(static_cast<double>(rate) / parameters.rate_share) + 1;
  }
};

}  // namespace starling
