#include "knowledge/settings.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "knowledge/history.hpp"
#include "topology/platform.hpp"

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

template <typename Number>
std::optional<Number> number(std::string_view text, Number least, Number most) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= least && value <= most))
    return std::nullopt;
  return value;
}

/// The shortest text that means the number: `0.1`, `1000`.
template <typename Number>
std::string in_digits(Number value) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

/// Reads a number within bounds into `target`; complains otherwise.
template <typename Number>
void read(const Environment& environment, const char* name, Number least, Number most, Number& target,
          std::vector<Complaint>& complaints) {
  const char* text = environment(name);
  if (text == nullptr) return;
  if (const auto value = number<Number>(text, least, most)) {
    target = *value;
  } else {
    complaints.push_back({name, text,
                          (std::is_integral_v<Number> ? "not a whole number from " : "not a number from ") +
                              in_digits(least) + " to " + in_digits(most)});
  }
}

void read(const Environment& environment, const char* name, bool& target, std::vector<Complaint>& complaints) {
  const char* text = environment(name);
  const std::string_view wish = text == nullptr ? "" : text;
  if (!wish.empty()) target = wish == "1";
  if (!wish.empty() && wish != "0" && wish != "1") complaints.push_back({name, text, "neither 0 nor 1"});
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

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ",") + item;
  return text;
}

/// The text of the platform that `wish` is, or names as a file; nothing, and a complaint, where it is no platform.
std::string platform_text(const std::string& wish, std::vector<Complaint>& complaints) {
  if (wish.empty() || wish == platform_of_nodes) return wish;
  std::string text = wish;
  if (wish.front() != '{') {
    constexpr std::uintmax_t most_bytes = std::uintmax_t{16} << 20;  // of 65536 hosts, with room to spare
    std::error_code error;
    const bool is_file = std::filesystem::is_regular_file(wish, error);  // a pipe or a device may never end
    if (is_file && std::filesystem::file_size(wish, error) > most_bytes) {
      complaints.push_back({"STARLING_PLATFORM", wish, "it is too long for a platform file"});
      return {};
    }
    std::ifstream file(wish, std::ios::binary);
    if (is_file) text.assign(std::istreambuf_iterator<char>(file), {});
    if (!is_file || !file) {
      complaints.push_back({"STARLING_PLATFORM", wish, "it cannot be read"});
      return {};
    }
  }
  try {
    static_cast<void>(Platform::from_json(text));
  } catch (const std::runtime_error& error) {
    complaints.push_back({"STARLING_PLATFORM", wish.front() == '{' ? std::string() : wish, error.what()});
    return {};
  }
  return text;
}

}  // namespace

bool Settings::admits(std::string_view collective, std::string_view algorithm, std::string_view candidate) const {
  if (!only.empty() && !any_matches(only, collective, algorithm, candidate)) return false;
  return !any_matches(except, collective, algorithm, candidate);
}

Settings settings_from(const Environment& environment, std::vector<Complaint>& complaints) {
  Settings settings;
  const auto text = [&](const char* name) {
    return std::string(environment(name) == nullptr ? "" : environment(name));
  };
  if (const std::string strategy = text("STARLING_STRATEGY"); !strategy.empty()) settings.strategy = strategy;
  // The program may go to another directory before it ends.
  const auto from_here = [](const std::string& path) {
    std::error_code error;
    const auto absolute = std::filesystem::absolute(path, error);
    return path.empty() || error ? path : absolute.string();
  };
  settings.record = from_here(text("STARLING_RECORD"));
  settings.history = from_here(history_directory(environment));
  settings.only = split(text("STARLING_ONLY"));
  settings.except = split(text("STARLING_EXCEPT"));

  settings.machine = machine_name(environment, host_name());
  read(environment, "STARLING_FRESH", settings.fresh, complaints);
  read(environment, "STARLING_REPRODUCIBLE", settings.reproducible, complaints);
  read(environment, "STARLING_HOST_BUFFERS", settings.host_buffers, complaints);
  if (const std::string wish = text("STARLING_SAMPLES"); !wish.empty()) {
    const auto found = std::find(reductions.begin(), reductions.end(), wish);
    if (found == reductions.end()) {
      complaints.push_back({"STARLING_SAMPLES", wish, "none of mean, max, min"});
    } else {
      settings.samples = static_cast<SampleReduction>(found - reductions.begin());
    }
  }
  read(environment, "STARLING_ITER", 1, 1000000, settings.tuning.iterations, complaints);
  read(environment, "STARLING_EPSILON", 0.0, 1000.0, settings.tuning.epsilon, complaints);
  read<std::int64_t>(environment, "STARLING_DELTA_LIMIT", 2, std::int64_t{1} << 40, settings.tuning.delta_limit,
                     complaints);
  read(environment, "STARLING_ALPHA", 0.0, 1.0, settings.tuning.alpha, complaints);
  read(environment, "STARLING_MEMORY", 0.0, 1.0, settings.tuning.memory, complaints);
  read<std::int64_t>(environment, "STARLING_LONGEST_DRAW", 1, std::int64_t{1} << 30, settings.tuning.longest_draw,
                     complaints);
  read<std::uint64_t>(environment, "STARLING_SEED", 0, std::numeric_limits<std::int64_t>::max(), settings.tuning.seed,
                      complaints);
  read(environment, "STARLING_RUN_OFF", settings.tuning.run_off, complaints);
  settings.platform = platform_text(text("STARLING_PLATFORM"), complaints);
  read(environment, "STARLING_SIZES", 1, 1000000, settings.exact_sizes, complaints);

  const auto strategy = strategy_named(settings.strategy);
  if (!strategy) {
    std::string known;
    for (const StrategyKind& kind : strategy_kinds()) {
      known.append(known.empty() ? "" : ", ").append(kind.name);
      if (!kind.argument.empty())
        known.append(kind.forces ? ":" : "[:").append(kind.argument).append(kind.forces ? "" : "]");
    }
    complaints.push_back({"STARLING_STRATEGY", settings.strategy, "no such strategy; there are: " + known});
  } else if (strategy->first->rejects != nullptr) {
    if (std::string why = strategy->first->rejects(strategy->second); !why.empty())
      complaints.push_back({"STARLING_STRATEGY", settings.strategy, why});
  }
  return settings;
}

std::string to_text(const Settings& settings) {
  return nlohmann::json{{"strategy", settings.strategy},
                        {"record", settings.record},
                        {"history", settings.history},
                        {"machine", settings.machine},
                        {"fresh", settings.fresh},
                        {"reproducible", settings.reproducible},
                        {"host_buffers", settings.host_buffers},
                        {"only", settings.only},
                        {"except", settings.except},
                        {"iterations", settings.tuning.iterations},
                        {"epsilon", settings.tuning.epsilon},
                        {"delta_limit", settings.tuning.delta_limit},
                        {"alpha", settings.tuning.alpha},
                        {"memory", settings.tuning.memory},
                        {"longest_draw", settings.tuning.longest_draw},
                        {"seed", settings.tuning.seed},
                        {"run_off", settings.tuning.run_off},
                        {"sizes", settings.exact_sizes},
                        {"samples", settings.samples},
                        {"platform", settings.platform}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Settings settings_from_text(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text);
  Settings settings;
  json.at("strategy").get_to(settings.strategy);
  json.at("record").get_to(settings.record);
  json.at("history").get_to(settings.history);
  json.at("machine").get_to(settings.machine);
  json.at("fresh").get_to(settings.fresh);
  json.at("reproducible").get_to(settings.reproducible);
  json.at("host_buffers").get_to(settings.host_buffers);
  json.at("only").get_to(settings.only);
  json.at("except").get_to(settings.except);
  json.at("iterations").get_to(settings.tuning.iterations);
  json.at("epsilon").get_to(settings.tuning.epsilon);
  json.at("delta_limit").get_to(settings.tuning.delta_limit);
  json.at("alpha").get_to(settings.tuning.alpha);
  json.at("memory").get_to(settings.tuning.memory);
  json.at("longest_draw").get_to(settings.tuning.longest_draw);
  json.at("seed").get_to(settings.tuning.seed);
  json.at("run_off").get_to(settings.tuning.run_off);
  json.at("sizes").get_to(settings.exact_sizes);
  json.at("samples").get_to(settings.samples);
  json.at("platform").get_to(settings.platform);
  return settings;
}

std::string_view name_of(SampleReduction reduction) {
  return reductions[static_cast<std::size_t>(reduction)];
}

std::vector<std::pair<std::string, std::string>> described(const Settings& settings) {
  return {{"strategy", settings.strategy},
          {"record", settings.record},
          {"history", settings.history.empty() ? "off" : settings.history},
          {"machine", settings.machine},
          {"fresh", settings.fresh ? "1" : "0"},
          {"reproducible", settings.reproducible ? "1" : "0"},
          {"host_buffers", settings.host_buffers ? "1" : "0"},
          {"only", joined(settings.only)},
          {"except", joined(settings.except)},
          {"iterations", std::to_string(settings.tuning.iterations)},
          {"epsilon", in_digits(settings.tuning.epsilon)},
          {"delta_limit", std::to_string(settings.tuning.delta_limit)},
          {"alpha", in_digits(settings.tuning.alpha)},
          {"memory", in_digits(settings.tuning.memory)},
          {"longest_draw", std::to_string(settings.tuning.longest_draw)},
          {"seed", std::to_string(settings.tuning.seed)},
          {"run_off", settings.tuning.run_off ? "1" : "0"},
          {"sizes", std::to_string(settings.exact_sizes)},
          {"samples", std::string(name_of(settings.samples))},
          {"platform", settings.platform.empty()                ? "none"
                       : settings.platform == platform_of_nodes ? "nodes"
                                                                : "described"}};
}

}  // namespace starling
