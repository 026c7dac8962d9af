#include "knowledge/history.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "messages/number.hpp"

namespace starling {
namespace {

std::string in_utc(std::chrono::system_clock::time_point time, const char* format) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &utc)};
}

bool fits_a_file_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

/// Whether a text is a form whose `#` are digits.
bool has_form(std::string_view text, std::string_view form) {
  return std::equal(text.begin(), text.end(), form.begin(), form.end(),
                    [](char c, char of_form) { return of_form == '#' ? c >= '0' && c <= '9' : c == of_form; });
}

constexpr std::string_view begin_of_merged = "merged-";

}  // namespace

std::string history_directory(const std::string& wish, const Environment& environment) {
  const auto text = [&](const char* name) {
    const char* value = environment(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (!wish.empty()) return wish == "off" ? std::string{} : wish;
  if (const std::string data = text("XDG_DATA_HOME"); data.starts_with('/')) return data + "/starling/history";
  if (const std::string home = text("HOME"); home.starts_with('/')) return home + "/.local/share/starling/history";
  return {};
}

std::string in_file_name(std::string_view text) {
  std::string safe(text);
  std::replace_if(
      safe.begin(), safe.end(), [](char c) { return !fits_a_file_name(c); }, '_');
  return safe;
}

std::string record_file_name(std::chrono::system_clock::time_point time, std::string_view host, long pid) {
  return in_utc(time, "%Y%m%dT%H%M%S") + "-" + in_file_name(host) + "-" + std::to_string(pid) + ".json";
}

std::string merged_file_name(std::chrono::system_clock::time_point time, std::string_view host, long pid) {
  return std::string(begin_of_merged).append(record_file_name(time, host, pid));
}

bool is_merged_file_name(std::string_view name) {
  return name.starts_with(begin_of_merged);
}

bool is_run_file_name(std::string_view name) {
  constexpr std::string_view form = "########T######-";
  constexpr std::string_view end = ".json";
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!name.ends_with(end) || name.size() < form.size() + end.size()) return false;
  if (!has_form(name.substr(0, form.size()), form)) return false;
  name.remove_prefix(form.size());
  name.remove_suffix(end.size());
  const std::size_t dash = name.rfind('-');
  return dash != std::string_view::npos && dash > 0 && dash + 1 < name.size() &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dash) + 1, name.end(), is_digit);
}

std::string machine_name(const std::string& wish, const Environment& environment, std::string_view host) {
  if (!wish.empty()) return wish;
  if (const char* cluster = environment("SLURM_CLUSTER_NAME"); cluster != nullptr && *cluster != '\0') return cluster;
  std::string machine;
  for (const char c : host.substr(0, host.find('.'))) {
    const char shown = c >= '0' && c <= '9' ? '#' : c;
    if (shown != '#' || machine.empty() || machine.back() != '#') machine.push_back(shown);
  }
  return machine;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

std::string in_iso_8601(std::chrono::system_clock::time_point time) {
  return in_utc(time, "%Y-%m-%dT%H:%M:%SZ");
}

bool is_iso_8601(std::string_view text) {
  constexpr std::string_view date = "####-##-##";
  const bool is_date = has_form(text, date);
  if (!is_date && !has_form(text, "####-##-##T##:##:##Z")) return false;
  const auto has = [&](std::size_t at, int least, int most) {
    return number_in(text.substr(at, 2), least, most).has_value();
  };
  return has(5, 1, 12) && has(8, 1, 31) && (is_date || (has(11, 0, 23) && has(14, 0, 59) && has(17, 0, 59)));
}

}  // namespace starling
