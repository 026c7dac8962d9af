#include "selection/strategy.hpp"

#include <algorithm>

namespace starling {

std::optional<std::pair<const StrategyKind*, std::string>> strategy_named(std::string_view name) {
  const std::size_t colon = name.find(':');
  const bool has_argument = colon != std::string_view::npos;
  for (const StrategyKind& kind : strategy_kinds()) {
    if (kind.name != name.substr(0, colon) || (has_argument && kind.argument.empty())) continue;
    return std::pair{&kind, std::string(has_argument ? name.substr(colon + 1) : std::string_view{})};
  }
  return std::nullopt;
}

const StrategyKind& strategy_for(const StrategyKind& asked, bool advises) {
  if (!asked.learns || !advises) return asked;
  const auto& all = strategy_kinds();
  return *std::find_if(all.begin(), all.end(), [](const StrategyKind& kind) { return kind.takes_advice; });
}

}  // namespace starling
