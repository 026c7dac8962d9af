#include "selection/strategy.hpp"

#include <algorithm>
#include <map>

namespace starling {

std::vector<std::optional<int>> tried_instead(std::span<const std::optional<int>> alike,
                                              const std::function<std::optional<double>(int)>& earlier_seconds) {
  struct Best {
    int candidate;
    std::optional<double> seconds;
  };
  std::map<int, Best> best;
  for (int i = 0; i < std::ssize(alike); ++i) {
    const std::optional<int> number = alike[static_cast<std::size_t>(i)];
    if (!number) continue;
    const std::optional<double> seconds = earlier_seconds(i);
    const auto [of_these, is_first] = best.try_emplace(*number, Best{i, seconds});
    if (!is_first && seconds && (!of_these->second.seconds || *seconds < *of_these->second.seconds))
      of_these->second = {i, seconds};
  }
  std::vector<std::optional<int>> found(alike.size());
  for (int i = 0; i < std::ssize(alike); ++i)
    if (const auto number = alike[static_cast<std::size_t>(i)]; number && best.at(*number).candidate != i)
      found[static_cast<std::size_t>(i)] = best.at(*number).candidate;
  return found;
}

std::optional<std::pair<const StrategyKind*, std::string>> strategy_named(std::string_view name) {
  const std::size_t colon = name.find(':');
  const bool has_argument = colon != std::string_view::npos;
  for (const StrategyKind& kind : strategy_kinds()) {
    if (kind.name != name.substr(0, colon) || (has_argument && kind.argument.empty())) continue;
    return std::pair{&kind, std::string(has_argument ? name.substr(colon + 1) : std::string_view{})};
  }
  return std::nullopt;
}

const StrategyKind* strategy_for(const StrategyKind* asked, bool advises) {
  if (!asked->learns || !advises) return asked;
  const auto& all = strategy_kinds();
  return &*std::find_if(all.begin(), all.end(), [](const StrategyKind& kind) { return kind.takes_advice; });
}

}  // namespace starling
