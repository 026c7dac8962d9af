#include "knowledge/variables.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string_view>

#include "knowledge/settings_table.hpp"
#include "messages/told.hpp"

namespace starling {
namespace {

constexpr std::string_view prefix = "STARLING_";

/// What other parts read, without the prefix: starling run and the lab.
constexpr std::array<std::string_view, 5> of_others{"EXPLAINED", "VARIANTS", "LAB", "LAB_PREFIX", "IDLE_US"};
constexpr std::string_view of_tests = "TEST_";

/// Letters to put in, take out or change to make one of the other (Levenshtein).
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t changed = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// The variables of settings, without the prefix.
std::vector<std::string_view> of_settings() {
  std::vector<std::string_view> names;
  for (const SettingRow& row : settings_table()) names.push_back(std::string_view(row.variable).substr(prefix.size()));
  return names;
}

/// The variable that was probably meant; empty where none is near.
std::string_view meant(std::string_view name, std::span<const std::string_view> known) {
  std::string_view nearest;
  std::size_t least = 3;
  for (const std::string_view candidate : known) {
    const bool begins = name.starts_with(candidate) || (name.size() > 2 && candidate.starts_with(name));
    if (!begins && name.size() >= candidate.size() + least) continue;  // a name may be as long as an environment
    const std::size_t away = begins ? 1 : distance(name, candidate);
    if (away < least) {
      least = away;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace

std::vector<std::string> unknown_variables(const char* const* environment) {
  const std::vector<std::string_view> known = of_settings();
  const auto is_among = [](const auto& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<std::string> sentences;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry(*environment);
    if (!entry.starts_with(prefix)) continue;
    const std::string_view variable = entry.substr(0, entry.find('='));
    const std::string_view name = variable.substr(prefix.size());
    if (name.starts_with(of_tests) || is_among(of_others, name) || is_among(known, name)) continue;
    std::string sentence = told(variable) + " is unknown and ignored";
    if (const std::string_view near = meant(name, known); !near.empty())
      sentence.append("; did you mean ").append(prefix).append(near).append("?");
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}  // namespace starling
