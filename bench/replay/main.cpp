// Plays recorded matrices to strategies (bench/replay.py): prints JSON.
//
// starling-replay --list                  the scenarios, and the strategies that learn
// starling-replay MATRICES.json --strategies auto,star --scenarios plain,noisy --calls 3000 --seed 1 [--no-model]
//     [--set STARLING_ITER=5,STARLING_EARLY_STOP=0.05]

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "knowledge/settings.hpp"
#include "messages/told.hpp"
#include "player.hpp"

namespace {

using namespace starling;
using namespace starling::replay;
using Json = nlohmann::ordered_json;

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    found.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return found;
}

template <typename Whole>
Whole whole_number(const std::string& option, const std::string& value) {
  Whole found{};
  const auto [end, wrong] = std::from_chars(value.data(), value.data() + value.size(), found);
  if (wrong != std::errc() || end != value.data() + value.size())
    throw std::runtime_error(option + " needs a whole number, not '" + told(value) + "'");
  return found;
}

struct Options {
  std::string file;
  std::vector<std::string> strategies{"auto"};
  std::vector<std::string> scenarios{"plain"};
  std::int64_t calls = 3000;
  std::uint64_t seed = 1;
  bool with_model = true;
  bool with_decisions = false;
  StrategySettings settings;
};

/// Settings of strategies, as in the environment of a program.
StrategySettings settings_of(const std::vector<std::string>& variables) {
  const auto environment = [&](const char* name) -> const char* {
    const std::string start = std::string(name) + "=";
    for (const std::string& one : variables)
      if (one.starts_with(start)) return one.c_str() + start.size();
    return nullptr;
  };
  std::vector<Complaint> complaints;
  const Settings settings = settings_from(environment, complaints);
  if (!complaints.empty()) throw std::runtime_error(complaints.front().text());
  return settings.tuning;
}

Options options_from(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& one = arguments[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == arguments.size()) throw std::runtime_error(one + " needs a value");
      return arguments[++i];
    };
    if (one == "--strategies")
      options.strategies = words(value());
    else if (one == "--scenarios")
      options.scenarios = words(value());
    else if (one == "--calls")
      options.calls = whole_number<std::int64_t>(one, value());
    else if (one == "--seed")
      options.seed = whole_number<std::uint64_t>(one, value());
    else if (one == "--no-model")
      options.with_model = false;
    else if (one == "--set")
      options.settings = settings_of(words(value()));
    else if (one == "--decisions")
      options.with_decisions = true;
    else if (one.starts_with("--") || !options.file.empty())
      throw std::runtime_error("what is '" + one + "'?");
    else
      options.file = one;
  }
  if (options.file.empty()) throw std::runtime_error("it needs a file of matrices");
  if (options.calls < 1) throw std::runtime_error("--calls needs a number of at least 1");
  return options;
}

/// What a splice goes on with: the next matrix of the same collective.
const Matrix& next_of(const std::vector<Matrix>& all, std::size_t from) {
  for (std::size_t i = 1; i < all.size(); ++i)
    if (const Matrix& one = all[(from + i) % all.size()]; one.what == all[from].what) return one;
  return all[from];
}

Json row_of(const Matrix& matrix, const std::string& strategy, const Scenario& scenario, const Played& played) {
  return {{"strategy", strategy},
          {"scenario", scenario.name},
          {"what", matrix.what},
          {"bytes", matrix.bytes},
          {"platform", matrix.platform},
          {"mpi", matrix.mpi},
          {"ranks", matrix.ranks},
          {"at", played.at},
          {"total_s", played.total},
          {"native_s", played.native},
          {"best_s", played.best},
          {"final", played.final},
          {"final_ratio", played.final_ratio},
          {"settled_from", played.settled_from},
          {"agreements", played.agreements},
          {"calls_of", played.calls_of}};
}

std::vector<Matrix> matrices_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error(told(path) + ": " + std::generic_category().message(errno) +
                             "; give a file that bench/matrices.py wrote");
  try {
    return matrices_from_json({std::istreambuf_iterator<char>(file), {}});
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(told(path) + ": " + error.what());
  }
}

/// Strategies or scenarios, by their names.
template <typename Kind>
std::string names_of(const std::vector<Kind>& kinds) {
  std::string all;
  for (const Kind& one : kinds) all.append(all.empty() ? "" : ", ").append(one.name);
  return all;
}

void require_strategy(const std::string& name) {
  const auto named = strategy_named(name);
  if (!named)
    throw std::runtime_error("there is no strategy '" + told(name) + "'; there are: " + names_of(strategy_kinds()));
  if (const auto rejects = named->first->rejects; rejects != nullptr)
    if (const std::string why = rejects(named->second); !why.empty()) throw std::runtime_error(told(name) + ": " + why);
}

const Scenario& scenario_named(const std::string& name) {
  for (const Scenario& one : scenarios())
    if (one.name == name) return one;
  throw std::runtime_error("there is no scenario '" + told(name) + "'; there are: " + names_of(scenarios()));
}

void run(const Options& options) {
  for (const std::string& one : options.strategies) require_strategy(one);
  std::vector<Scenario> chosen;
  for (const std::string& one : options.scenarios) chosen.push_back(scenario_named(one));
  const std::vector<Matrix> all = matrices_of(options.file);
  Json rows = Json::array();
  for (const std::string& strategy : options.strategies) {
    for (const Scenario& scenario : chosen) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        const Played played = play(all[i], next_of(all, i), strategy, scenario, options.calls, options.seed + i,
                                   options.with_model, options.settings);
        Json row = row_of(all[i], strategy, scenario, played);
        if (options.with_decisions)
          for (const Decision& one : played.decisions) row["decisions"].push_back({one.call, one.why});
        rows.push_back(std::move(row));
      }
    }
  }
  std::cout << rows.dump() << '\n';
}

}  // namespace

int main(int count, char** arguments) try {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words == std::vector<std::string>{"--list"}) {
    Json known{{"scenarios", Json::array()}, {"strategies", Json::array()}};
    for (const Scenario& one : scenarios()) known["scenarios"].push_back(one.name);
    for (const StrategyKind& one : strategy_kinds())
      if (one.learns) known["strategies"].push_back(one.name);
    std::cout << known.dump() << '\n';
    return 0;
  }
  run(options_from(words));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "starling-replay: %s\n", error.what());
  return 2;
}
