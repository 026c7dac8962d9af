#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/candidate.hpp"
#include "neighborhood/implementation.hpp"

namespace starling {

/// One of MPI's neighbourhood collectives as an exchange in one implementation: `IsendIrecv_aao`. One-sided
/// implementations are none: each call may have other buffers, and a window for each call costs more than the call.
struct NeighborExchange {
  neighborhood::Implementation implementation;

  [[nodiscard]] static std::vector<NeighborExchange> all(Collective collective, std::optional<int> ranks = {});
  [[nodiscard]] static std::optional<NeighborExchange> named(Collective collective, std::string_view name);

  [[nodiscard]] std::string name() const { return implementation.name(); }
  [[nodiscard]] std::string algorithm_name() const { return implementation.name(); }
  [[nodiscard]] std::string says() const { return implementation.says(); }
  [[nodiscard]] static Parameters parameter_values() { return {}; }
  [[nodiscard]] Attributes attributes() const;
  /// How many partners a rank has at a time: what makes the most of the network depends on it first.
  [[nodiscard]] std::string group() const;
  [[nodiscard]] static std::string reduction_order() { return {}; }
  [[nodiscard]] static std::int64_t probe_up_to() { return 0; }
  [[nodiscard]] static int communicators() { return 0; }
  /// None: an exchange serves any graph. Whether the topology can be used here the ranks find out at the first call.
  [[nodiscard]] static std::string refusal(const Situation& /*situation*/) { return {}; }
  [[nodiscard]] static const Bound* scheduled() { return nullptr; }
  /// None: who a rank's neighbours are is no part of a situation.
  [[nodiscard]] static std::optional<Bound> predicted_as() { return std::nullopt; }
};

}  // namespace starling
