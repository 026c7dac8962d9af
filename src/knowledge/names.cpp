#include "knowledge/names.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "algorithms/candidate.hpp"
#include "messages/meant.hpp"
#include "messages/told.hpp"
#include "neighborhood/implementation.hpp"
#include "ways/way.hpp"

namespace starling {
namespace {

template <class Text>
std::string listed(const std::vector<Text>& items) {
  std::string text;
  for (const Text& item : items) text.append(text.empty() ? "" : ", ").append(item);
  return text;
}

/// Whether a parameter takes other numbers than its values, which are only those worth trying.
bool takes_numbers(const Bound& bound, const Parameter& parameter) {
  constexpr std::string_view number = "=1234567";
  return candidate_named(bound.collective, bound.algorithm_name().append("?").append(parameter.name).append(number))
      .has_value();
}

/// "window (2, 4, 16, or another number from 1)", "mesh (square, cube, or like 3x4)".
std::string described(const Bound& bound, const Parameter& parameter) {
  constexpr int example = 12;  // ranks
  std::string text = std::string(parameter.name).append(" (").append(listed(parameter.values));
  if (parameter.values_on != nullptr) {
    text.append(", or like ").append(parameter.values_on(example).front());
  } else if (parameter.accepts != nullptr) {
    text.append(", or another way, as in chain:segment=8192");
  }
  if (takes_numbers(bound, parameter)) text.append(", or another number from 1");
  return text.append(")");
}

/// What is wrong with the parameters in `name`, which begins with the name of this algorithm.
std::string parameter_fault(const Bound& bound, std::string_view name) {
  const std::string algorithm = std::string(name_of(bound.collective)).append(":").append(bound.algorithm_name());
  std::vector<std::string> offered;
  for (const Parameter& parameter : bound.algorithm->parameters) offered.push_back(described(bound, parameter));
  const std::string has = offered.empty() ? "; it has none" : "; it has " + listed(offered);
  std::string_view rest = name.substr(std::min(name.size(), name.find('?')));
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(item.size());
    const std::string_view parameter = item.substr(0, item.find('='));
    const auto& all = bound.algorithm->parameters;
    const bool known = std::any_of(all.begin(), all.end(), [&](const Parameter& one) { return one.name == parameter; });
    if (!known) return algorithm + " has no parameter '" + told(parameter) + "'" + has;
    const std::string alone = bound.algorithm_name().append("?").append(item);
    if (!candidate_named(bound.collective, alone)) return algorithm + " cannot have '" + told(item) + "'" + has;
  }
  return algorithm + " has no such parameters" + has;
}

/// The algorithm that `name` begins with, whatever its parameters are.
const Bound* base_of(Collective collective, std::string_view name) {
  const std::string_view base = name.substr(0, name.find('?'));
  for (const Bound& bound : candidates(collective))
    if (bound.algorithm_name() == base) return &bound;
  return nullptr;
}

bool is_of_library(std::string_view name) {
  return name.starts_with(Selected::prefix);
}

/// Whether `name` may be one of the MPI library's own algorithms, which only a process with an MPI library knows.
bool may_be_of_library(std::string_view name) {
  return is_of_library(name) && !library_algorithms().looked_for;
}

/// why_not_of_library for a collective, with those that there are.
std::string why_not_offered(Collective collective, std::string_view name) {
  std::string why = why_not_of_library(name);
  std::vector<std::string> names;
  for (const Selected& one : Selected::all(collective)) names.push_back(one.name());
  if (!names.empty()) why.append(" for ").append(name_of(collective)).append("; it has ").append(listed(names));
  return why;
}

/// Why no collective has a candidate of that name.
std::string why_unknown_anywhere(std::string_view name) {
  if (is_of_library(name)) return why_not_of_library(name);
  for (int i = 0; i < collective_count; ++i)
    if (const Bound* bound = base_of(static_cast<Collective>(i), name)) return parameter_fault(*bound, name);
  return "no collective has an algorithm '" + told(name) + "'";
}

bool is_halo_set(std::string_view name) {
  return std::find(neighborhood::set_names.begin(), neighborhood::set_names.end(), name) !=
         neighborhood::set_names.end();
}

/// The collective of that name, or whose nonblocking form is the set `i...` for patterns.
std::optional<Collective> collective_or_set_named(std::string_view name) {
  const auto known = collective_named(name);
  if (known || !name.starts_with('i')) return known;
  const auto of_set = collective_named(name.substr(1));
  return of_set && !is_among_neighbours(*of_set) ? of_set : std::nullopt;
}

bool is_implementation(std::string_view name) {
  return name == "native" || neighborhood::implementation_named(name).has_value();
}

std::string why_no_implementation(std::string_view set, std::string_view name) {
  std::vector<std::string> names;
  for (const neighborhood::Implementation& one : neighborhood::implementations()) names.push_back(one.name());
  return std::string(set)
      .append(" has no implementation '")
      .append(told(name))
      .append("'; there are: ")
      .append(listed(names));
}

/// What to do about an unknown name of a collective, or of an algorithm where those may stand alone.
std::string remedy(std::string_view name, bool algorithms) {
  std::vector<std::string> names;
  for (int i = 0; i < collective_count; ++i) names.emplace_back(name_of(static_cast<Collective>(i)));
  for (int i = 0; algorithms && i < collective_count; ++i)
    for (const Bound& bound : candidates(static_cast<Collective>(i))) names.push_back(bound.algorithm_name());
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char letter) { return std::tolower(letter); });
  const std::string_view near = meant(lower, std::vector<std::string_view>(names.begin(), names.end()));
  return near.empty() ? "see starling algorithms" : "did you mean " + std::string(near) + "?";
}

/// Why there is no such collective or function set; `name` is what it was named for.
std::string why_no_collective(std::string_view collective, std::string_view name) {
  std::string why = "there is no collective '" + told(collective) + "'; " + remedy(collective, false);
  if (why.ends_with('?')) return why;
  return why.append("; a function set of the program's own is ")
      .append(told(collective))
      .append(own_set)
      .append(":")
      .append(told(name));
}

std::string explained(std::optional<std::string_view> collective, std::string_view name) {
  if (!collective) return why_unknown_anywhere(name);
  if (is_halo_set(*collective)) return why_no_implementation(*collective, name);
  const auto known = collective_or_set_named(*collective);
  return known ? why_unknown(*known, name) : why_no_collective(*collective, name);
}

/// Why an item of --only or --except means nothing; empty if it means something.
std::string item_fault(const std::string& item, const ForcedNames& names) {
  const std::size_t colon = item.find(':');
  if (colon == std::string::npos) {
    if (names.is_collective(item) || names.is_candidate(item)) return {};
    if (item.find('?') != std::string::npos) return why_unknown_anywhere(item);
    return "there is no collective or algorithm '" + told(item) + "'; " + remedy(item, true);
  }
  const std::string collective = item.substr(0, colon);
  const std::string name = item.substr(colon + 1);
  return names.has_candidate(collective, name) ? std::string() : explained(collective, name);
}

}  // namespace

std::string why_not_of_library(std::string_view name) {
  if (!is_of_library(name)) return {};
  const std::string& why_none = library_algorithms().why_none;
  return why_none.empty() ? "the MPI library has no algorithm " + told(name)
                          : "the MPI library's own algorithms cannot be selected: " + why_none;
}

ForcedNames forced_names() {
  return {.is_collective =
              [](std::string_view collective) {
                return is_halo_set(collective) || collective.ends_with(own_set) ||
                       collective_or_set_named(collective).has_value();
              },
          .has_candidate =
              [](std::string_view collective, std::string_view candidate) {
                if (is_halo_set(collective)) return is_implementation(candidate);
                if (collective.ends_with(own_set)) return true;
                const auto known = collective_or_set_named(collective);
                return known && (way_named(*known, candidate) || may_be_of_library(candidate));
              },
          .is_candidate =
              [](std::string_view candidate) {
                if (may_be_of_library(candidate) || is_implementation(candidate)) return true;
                for (int i = 0; i < collective_count; ++i)
                  if (way_named(static_cast<Collective>(i), candidate)) return true;
                return false;
              },
          .explained = explained};
}

std::string why_unknown(Collective collective, std::string_view name) {
  if (is_of_library(name)) return why_not_offered(collective, name);
  if (const Bound* bound = base_of(collective, name)) return parameter_fault(*bound, name);
  std::vector<std::string> names;
  for (const Way& way : offered_ways(collective)) names.push_back(way.algorithm_name().text());
  return std::string("no algorithm ")
      .append(name_of(collective))
      .append(":")
      .append(told(name.substr(0, name.find('?'))))
      .append("; there are: ")
      .append(listed(names));
}

bool wants_library_algorithms(const Settings& settings) {
  const auto names_one = [](const std::string& text) { return text.find(Selected::prefix) != std::string::npos; };
  return settings.library || names_one(settings.strategy) || names_one(settings.table) ||
         std::any_of(settings.only.begin(), settings.only.end(), names_one);
}

bool may_want_library_algorithms(const Environment& environment) {
  const auto text = [&](const char* variable) {
    const char* const value = environment(variable);
    return std::string_view(value == nullptr ? "" : value);
  };
  const auto names_one = [&](const char* variable) {
    return text(variable).find(Selected::prefix) != std::string::npos;
  };
  return !text("STARLING_LIBRARY").empty() || !text("STARLING_TABLE").empty() || names_one("STARLING_STRATEGY") ||
         names_one("STARLING_ONLY");
}

std::vector<std::string> sets_that_were_not_there(const Settings& settings,
                                                  const std::function<bool(std::string_view)>& was_there) {
  std::vector<std::string> all;
  const auto look_at = [&](std::string_view variable, std::string_view set) {
    if (!set.ends_with(own_set) || was_there(set.substr(0, set.size() - own_set.size()))) return;
    all.push_back(std::string(variable) + ": the program used no function set '" +
                  told(set.substr(0, set.size() - own_set.size())) + "'");
  };
  for (const auto& [variable, items] :
       {std::pair("STARLING_ONLY", &settings.only), {"STARLING_EXCEPT", &settings.except}})
    for (const std::string& item : *items) look_at(variable, std::string_view(item).substr(0, item.find(':')));
  const auto strategy = strategy_named(settings.strategy);
  if (strategy && strategy->first->forces)
    for (const ForcedItem& item : parse_forced(strategy->second))
      if (item.collective) look_at("STARLING_STRATEGY", *item.collective);
  return all;
}

void check_names(const Settings& settings, std::vector<Complaint>& complaints) {
  const ForcedNames names = forced_names();
  const auto check = [&](const char* variable, const std::vector<std::string>& items) {
    constexpr std::ptrdiff_t most = 3;  // are told one by one
    std::ptrdiff_t faults = 0;
    for (const std::string& item : items)
      if (std::string why = item_fault(item, names); !why.empty() && ++faults <= most)
        complaints.push_back({variable, item, why});
    if (faults > most)
      complaints.push_back({variable, "", std::to_string(faults - most) + " more names in it mean nothing"});
  };
  check("STARLING_ONLY", settings.only);
  check("STARLING_EXCEPT", settings.except);
  const auto strategy = strategy_named(settings.strategy);
  if (!strategy) return;
  const bool has_no_table =
      settings.table.empty() && std::none_of(complaints.begin(), complaints.end(),
                                             [](const auto& one) { return one.variable == "STARLING_TABLE"; });
  if (strategy->first->takes_advice && has_no_table)
    complaints.push_back(
        {"STARLING_STRATEGY", settings.strategy, "it needs a tuning table: --table F (STARLING_TABLE)"});
  if (!strategy->first->forces) return;
  if (strategy->first->rejects != nullptr && !strategy->first->rejects(strategy->second).empty()) return;
  if (std::string why = forced_unknown_name(strategy->second, names); !why.empty())
    complaints.push_back({"STARLING_STRATEGY", settings.strategy, why});
}

}  // namespace starling
