#include "knowledge/settings.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <type_traits>
#include <variant>

#include "knowledge/settings_table.hpp"
#include "messages/number.hpp"

namespace starling {
namespace {

constexpr std::array<std::string_view, 3> reductions{"mean", "max", "min"};

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    if (!item.empty()) items.emplace_back(item);
    text.remove_prefix(std::min(text.size(), item.size() + 1));
  }
  return items;
}

template <typename Items>
std::string joined(const Items& items, std::string_view between) {
  std::string text;
  for (const std::string_view item : items) text.append(text.empty() ? "" : between).append(item);
  return text;
}

/// The shortest text that means the number: `0.1`, `1000`.
template <typename Number>
std::string in_digits(Number value) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

bool is_unset(const Wish& wish) {
  return wish.value == nullptr || *wish.value == '\0';
}

void read(const SettingRow& /*any*/, const Wish& wish, bool& target) {
  if (is_unset(wish)) return;
  target = wish.text() == "1";
  if (!target && wish.text() != "0") wish.complain("neither 0 nor 1");
}

template <typename Number>
requires std::is_arithmetic_v<Number>
void read(const SettingRow& row, const Wish& wish, Number& target) {
  if (wish.value == nullptr) return;
  const auto least = static_cast<Number>(row.least);
  const auto most = static_cast<Number>(row.most);
  std::string_view text = wish.value;
  const bool is_percentage = row.is_share && text.ends_with('%');
  if (is_percentage) text.remove_suffix(1);
  const Number unit = is_percentage ? 100 : 1;
  if (const auto value = number_in<Number>(text, least * unit, most * unit)) {
    target = *value / unit;
  } else {
    wish.complain((std::is_integral_v<Number> ? "not a whole number from " : "not a number from ") + in_digits(least) +
                  " to " + in_digits(most) +
                  (row.is_share
                       ? ", nor a percentage from " + in_digits(least * 100) + "% to " + in_digits(most * 100) + "%"
                       : ""));
  }
}

void read(const SettingRow& /*any*/, const Wish& wish, SampleReduction& target) {
  if (is_unset(wish)) return;
  const auto* const found = std::find(reductions.begin(), reductions.end(), wish.text());
  if (found != reductions.end()) {
    target = static_cast<SampleReduction>(found - reductions.begin());
  } else {
    wish.complain("none of " + joined(reductions, ", "));
  }
}

void read(const SettingRow& row, const Wish& wish, std::string& target) {
  if (row.read != nullptr) return row.read(wish, target);
  if (!is_unset(wish)) target = wish.value;
}

void read(const SettingRow& /*any*/, const Wish& wish, std::vector<std::string>& target) {
  target = split(wish.text());
}

std::string shown(const SettingRow& /*any*/, bool value) {
  return value ? "1" : "0";
}

template <typename Number>
requires std::is_arithmetic_v<Number> std::string shown(const SettingRow& /*any*/, Number value) {
  return in_digits(value);
}

std::string shown(const SettingRow& /*any*/, SampleReduction value) {
  return std::string(name_of(value));
}

std::string shown(const SettingRow& row, const std::string& value) {
  return row.shown == nullptr ? value : row.shown(value);
}

std::string shown(const SettingRow& /*any*/, const std::vector<std::string>& value) {
  return joined(value, ",");
}

/// What a setting's values are, for other programs.
nlohmann::ordered_json kind_of(const SettingRow& /*any*/, const bool* /*place*/) {
  return {{"kind", "flag"}};
}
nlohmann::ordered_json kind_of(const SettingRow& /*any*/, const std::string* /*place*/) {
  return {{"kind", "text"}};
}
nlohmann::ordered_json kind_of(const SettingRow& /*any*/, const std::vector<std::string>* /*place*/) {
  return {{"kind", "list"}};
}
nlohmann::ordered_json kind_of(const SettingRow& /*any*/, const SampleReduction* /*place*/) {
  return {{"kind", "text"}, {"choices", reductions}};
}
template <typename Number>
requires std::is_arithmetic_v<Number> nlohmann::ordered_json kind_of(const SettingRow& row, const Number* /*place*/) {
  return {{"kind", std::is_integral_v<Number> ? "whole"
                   : row.is_share             ? "share"
                                              : "number"},
          {"range", {row.least, row.most}}};
}

bool matches(std::string_view item, std::string_view collective, std::string_view algorithm,
             std::string_view candidate) {
  const std::size_t colon = item.find(':');
  if (colon != std::string_view::npos) {
    if (item.substr(0, colon) != collective) return false;
    item.remove_prefix(colon + 1);
    return item == algorithm || item == candidate;
  }
  return item == collective || item == algorithm || item == candidate;
}

bool any_matches(const std::vector<std::string>& items, std::string_view collective, std::string_view algorithm,
                 std::string_view candidate) {
  return std::any_of(items.begin(), items.end(),
                     [&](const std::string& item) { return matches(item, collective, algorithm, candidate); });
}

}  // namespace

bool Settings::admits(std::string_view collective, std::string_view algorithm, std::string_view candidate) const {
  if (!only.empty() && !any_matches(only, collective, algorithm, candidate)) return false;
  return !any_matches(except, collective, algorithm, candidate);
}

Settings settings_from(const Environment& environment, std::vector<Complaint>& complaints) {
  Settings settings;
  for (const SettingRow& row : settings_table()) {
    const Wish wish{row.variable, environment(row.variable), environment, complaints};
    std::visit([&](auto* target) { read(row, wish, *target); }, row.place(settings));
  }
  return settings;
}

std::string to_text(Settings settings) {
  nlohmann::json all = nlohmann::json::object();
  for (const SettingRow& row : settings_table())
    if (row.is_for_all) std::visit([&](auto* value) { all[row.name] = *value; }, row.place(settings));
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Settings settings_from_text(const std::string& text) {
  const nlohmann::json all = nlohmann::json::parse(text);
  Settings settings;
  for (const SettingRow& row : settings_table())
    if (row.is_for_all) std::visit([&](auto* target) { all.at(row.name).get_to(*target); }, row.place(settings));
  return settings;
}

std::string_view name_of(SampleReduction reduction) {
  return reductions[static_cast<std::size_t>(reduction)];
}

std::vector<std::pair<std::string, std::string>> described(Settings settings) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const SettingRow& row : settings_table())
    all.emplace_back(row.name, std::visit([&](const auto* value) { return shown(row, *value); }, row.place(settings)));
  return all;
}

std::string settings_listing() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  Settings defaults;
  for (const SettingRow& row : settings_table()) {
    nlohmann::ordered_json one{{"name", row.name}, {"variable", row.variable}, {"says", row.says}};
    one.update(std::visit([&](const auto* place) { return kind_of(row, place); }, row.place(defaults)));
    if (row.option) one["option"] = *row.option;
    one["is_path"] = row.is_path;
    if (row.otherwise.empty())
      one["default"] = std::visit([&](const auto* value) { return shown(row, *value); }, row.place(defaults));
    else
      one["otherwise"] = row.otherwise;
    all.push_back(std::move(one));
  }
  return all.dump(2);
}

}  // namespace starling
