#pragma once

#include <memory>
#include <optional>
#include <string>

#include "runtime/call/degrees.hpp"
#include "runtime/exchange/exchange.hpp"
#include "runtime/execution/ways/carrier.hpp"

namespace starling {

/// Carries out neighbourhood collectives as exchanges in one implementation.
class NeighborCarrier final : public Carrier {
 public:
  explicit NeighborCarrier(const NeighborExchange& way) : way_(way) {}

  /// At the first call the ranks find out their links, if they have not yet done so, and agree whether all have memory.
  Outcome carry_out(const Call& call, const Facts& facts, Resources& resources) override;
  void release(Resources& resources) override;

 private:
  bool make_ready(const Call& call, Resources& resources, double& seconds);
  void bind(const Call& call, const Resources& resources);

  NeighborExchange way_;
  Degrees degrees_;
  neighborhood::BlockMemory memory_;
  std::optional<neighborhood::Exchange> exchange_;
  LatestCall latest_;
  std::string refused_;
};

inline std::unique_ptr<Carrier> carrier(const NeighborExchange& exchange) {
  return std::make_unique<NeighborCarrier>(exchange);
}

}  // namespace starling
