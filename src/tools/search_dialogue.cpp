#include "tools/search_dialogue.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "knowledge/settings.hpp"
#include "messages/told.hpp"
#include "selection/strategy.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

/// The kind of a strategy that searches, and its argument.
std::pair<const StrategyKind*, std::string> searching(std::string_view name) {
  auto named = strategy_named(name);
  if (!named || !named->first->searches) {
    std::string why = std::string("no strategy ").append(told(name)).append(" that searches; there are");
    const char* before = ": ";
    for (const StrategyKind& one : strategy_kinds()) {
      if (!one.searches) continue;
      why.append(std::exchange(before, ", ")).append(one.name);
    }
    throw std::invalid_argument(why);
  }
  if (named->first->rejects != nullptr)
    if (const std::string why = named->first->rejects(named->second); !why.empty())
      throw std::invalid_argument(told(name).append(": ").append(why));
  return *std::move(named);
}

StrategySettings settings_in_force() {
  std::vector<Complaint> complaints;
  const Settings settings =
      settings_from([](const char* name) -> const char* { return std::getenv(name); }, complaints);
  if (!complaints.empty()) throw std::invalid_argument(complaints.front().text());
  return settings.tuning;
}

std::optional<Json> next_line(std::istream& in) {
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  return Json::parse(line);
}

Brief brief_of(const Json& listed) {
  Brief brief;
  brief.key = {.what = "program", .ranks = 1, .nodes = 1};
  for (const Json& one : listed) {
    Candidate& candidate = brief.candidates.own().emplace_back();
    candidate.name = candidate.group = one.at("name").get<std::string>();
    for (const auto& [name, value] : one.at("attributes").items())
      candidate.attributes.emplace_back(name, value.get<std::string>());
  }
  if (brief.candidates.empty()) throw std::invalid_argument("there are no candidates");
  return brief;
}

/// Gives what the only rank has measured back to it, as the agreement of all.
void agree(Strategy& strategy, std::span<const double> numbers) {
  if (numbers.empty()) return;
  std::vector<double> agreed(numbers.begin(), numbers.end());
  if (strategy.judge() == Judge::first_rank) {
    const std::span<const double> ruled = strategy.ruling(agreed);
    agreed = std::vector<double>(ruled.begin(), ruled.end());
  }
  strategy.verdict(agreed);
}

void talk(std::string_view name, std::istream& in, std::ostream& out) {
  const auto [kind, argument] = searching(name);
  const std::optional<Json> listed = next_line(in);
  if (!listed) return;
  Brief brief = brief_of(*listed);
  brief.argument = argument;
  brief.are_runs = true;
  brief.settings = settings_in_force();
  const auto name_of = [&](int candidate) { return brief.candidates[static_cast<std::size_t>(candidate)].name.text(); };
  const std::unique_ptr<Strategy> strategy = kind->make(brief);
  while (strategy->exploring()) {
    out << Json{{"try", name_of(strategy->proposed())}}.dump() << std::endl;
    const std::optional<Json> seconds = next_line(in);
    if (!seconds) return;
    agree(*strategy, strategy->observe(seconds->is_null() ? refused_seconds : seconds->get<double>(), 1));
  }
  const int chosen = strategy->chosen().value_or(strategy->proposed());
  const auto decisions = strategy->decisions();
  out << Json{{"chosen", name_of(chosen)}, {"why", decisions.empty() ? "" : decisions.back().why}}.dump() << std::endl;
}

}  // namespace

void search_dialogue(std::string_view strategy, std::istream& in, std::ostream& out) {
  try {
    talk(strategy, in, out);
  } catch (const Json::exception& error) {
    throw std::invalid_argument(error.what());
  }
}

}  // namespace starling
