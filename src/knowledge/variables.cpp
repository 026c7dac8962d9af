#include "knowledge/variables.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "knowledge/settings_table.hpp"
#include "messages/meant.hpp"
#include "messages/told.hpp"

namespace starling {
namespace {

constexpr std::string_view prefix = "STARLING_";

/// What other parts read, without the prefix: starling run and the lab.
constexpr std::array<std::string_view, 5> of_others{"EXPLAINED", "VARIANTS", "LAB", "LAB_PREFIX", "IDLE_US"};
constexpr std::string_view of_tests = "TEST_";

/// The variables of settings, without the prefix.
std::vector<std::string_view> of_settings() {
  std::vector<std::string_view> names;
  for (const SettingRow& row : settings_table()) names.push_back(std::string_view(row.variable).substr(prefix.size()));
  return names;
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
