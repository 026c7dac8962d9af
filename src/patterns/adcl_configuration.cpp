#include "patterns/adcl_configuration.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "messages/number.hpp"
#include "messages/told.hpp"

namespace starling::patterns {
namespace {

constexpr std::uintmax_t most_bytes = 1U << 20U;
constexpr int most_tests = 1000000;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

bool starts_with_and_drop(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool ends_with_and_drop(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

/// Keywords that change nothing here: logs, ADCL's display, its barriers and its ways to predict.
constexpr auto without_effect = std::to_array<std::string_view>(
    {"ADCL_PRINTF_SILENCE", "ADCL_DISPLAY_IP", "ADCL_DISPLAY_PORT", "ADCL_DISPLAY_RANK", "ADCL_HIST_PREDICTOR",
     "ADCL_HIST_CLUSTER", "ADCL_USE_BARRIER", "ADCL_TIMER_STEPS_BETWEEN_BARRIER"});

/// Reads one line. Returns what is wrong with it; empty if nothing is.
std::string read_line(std::string_view keyword, std::string_view value, AdclConfiguration& into) {
  const auto wrong = [&](const char* wanted) {
    return std::string(keyword) + ": '" + told(value) + "' is not " + wanted + "; the line is ignored";
  };
  const auto yes_or_no = [&](bool& flag) -> std::string {
    if (value != "0" && value != "1") return wrong("0 or 1");
    flag = value == "1";
    return {};
  };
  if (keyword == "ADCL_EMETHOD_SEARCH_ALGO") {
    const auto number = number_in<int>(value, 0, 2);
    if (!number) return wrong("0 (brute force), 1 (attributes) or 2 (2k factorial)");
    into.search = *number;
  } else if (keyword == "ADCL_EMETHOD_USE_PERFHYPOTHESIS") {  // before there were numbers of searches
    bool uses = false;
    if (std::string why = yes_or_no(uses); !why.empty()) return why;
    if (uses) into.search = 1;
  } else if (keyword == "ADCL_EMETHOD_NUMTESTS") {
    const auto number = number_in<int>(value, 1, most_tests);
    if (!number) return wrong("a number from 1 to 1000000");
    into.tests = number;
  } else if (keyword == "ADCL_OUTLIER_FACTOR") {
    const auto number = number_in<double>(value, 1, 1e9);
    if (!number) return wrong("a number from 1 on");
    into.outlier_factor = number;
  } else if (keyword == "ADCL_OUTLIER_FRACTION") {
    const auto number = number_in<double>(value, 0, 100);
    if (!number) return wrong("a share from 0 to 1, or a percentage up to 100");
    into.outlier_fraction = *number > 1 ? *number / 100 : *number;
  } else if (keyword == "ADCL_TWOK_THRESHOLD") {
    const auto number = number_in<double>(value, 0, 100);
    if (!number) return wrong("a share from 0 to 1, or a percentage up to 100");
    into.factorial_threshold = *number > 1 ? *number / 100 : *number;
  } else if (keyword == "ADCL_STATISTIC_METHOD") {
    if (value != "ADCL_STATISTIC_MAX" && value != "1") return wrong("ADCL_STATISTIC_MAX, the only one that is served");
  } else if (keyword == "ADCL_MERGE_REQUESTS") {
    return yes_or_no(into.merges_requests);
  } else if (keyword == "ADCL_HIST_LEARNING") {
    return yes_or_no(into.learns_from_history);
  } else if (std::string_view set = keyword;
             starts_with_and_drop(set, "ADCL_EMETHOD_") && ends_with_and_drop(set, "SELECTION")) {
    ends_with_and_drop(set, "_");
    into.selections[set.empty() ? "neighborhood" : lower(set)] = std::string(value);
  } else if (std::find(without_effect.begin(), without_effect.end(), keyword) == without_effect.end()) {
    return "'" + told(keyword) + "' is unknown, and ignored";
  }
  return {};
}

}  // namespace

AdclConfiguration AdclConfiguration::read(std::string_view text,
                                          const std::function<void(int line, std::string)>& tell) {
  AdclConfiguration found;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = trimmed(text.substr(0, text.find('\n')));
    text.remove_prefix(
        std::min(text.size(), text.find('\n') == std::string_view::npos ? text.size() : text.find('\n') + 1));
    if (line.empty() || line.front() == '#') continue;
    const std::size_t colon = line.find(':');
    std::string why;
    if (colon == std::string_view::npos) {
      why = "'" + told(line) + "' is not of the form KEYWORD: value, and ignored";
    } else {
      // ADCL reads one word, so that files may say something behind it.
      const std::string_view value = trimmed(line.substr(colon + 1));
      why = read_line(trimmed(line.substr(0, colon)), value.substr(0, value.find_first_of(" \t")), found);
    }
    if (!why.empty()) tell(number, std::move(why));
  }
  return found;
}

std::string_view strategy_of_search(int search) {
  constexpr std::array<std::string_view, 3> names{"brute-force", "attribute", "factorial"};
  return names.at(static_cast<std::size_t>(search));
}

std::optional<AdclFile> find_adcl_file(const char* home) {
  std::vector<std::string> paths{"config.adcl"};
  if (home != nullptr && *home == '/') paths.push_back(std::string(home) + "/.adcl/config.adcl");
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > most_bytes)
      continue;
    std::ifstream file(path, std::ios::binary);
    if (!file) continue;
    return AdclFile{path, std::string(std::istreambuf_iterator<char>(file), {})};
  }
  return std::nullopt;
}

}  // namespace starling::patterns
