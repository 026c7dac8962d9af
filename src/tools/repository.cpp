// starling-repository: prints what the repository holds, as JSON for the command line.
//
//   starling-repository                                                    every algorithm and strategy
//   starling-repository on RANKS                                           the same, with the values for so many ranks
//   starling-repository settings                                           every setting
//   starling-repository memory                                             bytes that processes can still have here
//   starling-repository complaints                                         what is wrong with STARLING_* variables
//   starling-repository merge DIRECTORY                                    the history in it made compact
//   starling-repository named COLLECTIVE:NAME                              the full name of a way, with all of its
//   parameters starling-repository schedule COLLECTIVE:NAME RANKS [ROOT] [BLOCKS]     what each rank does in one
//   candidate starling-repository predict PLATFORM RANKS COLLECTIVE BYTES [ROOT] [PARAMETERS]    what each candidate
//   would take starling-repository search STRATEGY                                    candidates on the standard input
//   searched

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/candidate.hpp"
#include "knowledge/earlier_runs.hpp"
#include "knowledge/names.hpp"
#include "knowledge/settings_table.hpp"
#include "knowledge/variables.hpp"
#include "messages/told.hpp"
#include "schedule/collective.hpp"
#include "selection/strategy.hpp"
#include "tools/prediction_listing.hpp"
#include "tools/schedule_listing.hpp"
#include "tools/search_dialogue.hpp"
#include "tools/words.hpp"
#include "topology/available_memory.hpp"
#include "ways/way.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

/// For `ranks` the values that are worth trying on so many.
Json parameters_of(const Bound& bound, std::optional<int> ranks) {
  Json all = Json::array();
  for (const Parameter& one : bound.algorithm->parameters) {
    std::vector<std::string> values =
        ranks ? one.tried_on(*ranks) : std::vector<std::string>(one.values.begin(), one.values.end());
    std::erase_if(values, [&](const std::string& value) { return !one.is_tried_for(value, bound.collective); });
    all.push_back({{"name", one.name}, {"values", values}, {"by_ranks", one.values_on != nullptr}, {"says", one.says}});
  }
  return all;
}

Json counterparts_of(const Algorithm& algorithm) {
  Json all = Json::array();
  for (const Counterparts& one : algorithm.counterparts) {
    Json names = Json::object();
    if (!one.ompi.empty()) names["ompi"] = one.ompi;
    if (!one.mpich.empty()) names["mpich"] = one.mpich;
    if (!one.ucc.empty()) names["ucc"] = one.ucc;
    if (!one.with.empty()) names["with"] = one.with;
    all.push_back(std::move(names));
  }
  return all;
}

Json collectives_of(const Algorithm& algorithm) {
  Json all = Json::array();
  for (const Collective one : algorithm.collectives) all.push_back(name_of(one));
  return all;
}

/// What the command needs to know of each collective: whether it reduces, how many of a rank's buffers have a block for
/// each rank, whether every rank knows the size of a call, so that a choice may depend on it, and whether all wait for
/// all.
Json traits_listing() {
  Json all = Json::object();
  for (const Traits& has : traits)
    all[std::string(has.name)] = {
        {"reduces", has.reduces},
        {"buffers_of_blocks", (has.send == Holds::blocks ? 1 : 0) + (has.recv == Holds::blocks ? 1 : 0)},
        {"size_is_known", all_know_sizes(*collective_named(has.name))},
        {"waits_for_all", waits_for_all(*collective_named(has.name))}};
  return all;
}

Json entry(const Bound& bound, std::optional<int> ranks) {
  const Algorithm& algorithm = *bound.algorithm;
  return {{"collective", name_of(bound.collective)},
          {"name", bound.algorithm_name()},
          {"algorithm", algorithm.name},
          {"serves", collectives_of(algorithm)},
          {"parameters", parameters_of(bound, ranks)},
          {"says", bound.says()},
          {"source", algorithm.source},
          {"group", bound.group()},
          {"needs",
           {{"power_of_two", algorithm.needs.power_of_two},
            {"commutative", algorithm.needs.commutative},
            {"least_ranks", algorithm.needs.least_ranks},
            {"switches", algorithm.needs.switches},
            {"one_node", algorithm.needs.one_node}}},
          {"synchronisation", name_of(bound.synchronisation)},
          {"probe_up_to", algorithm.probe_up_to},
          {"reduction_order", algorithm.reduction_order},
          {"works_in_place", bound.works_in_place()},
          {"latency", algorithm.latency},
          {"bandwidth", algorithm.bandwidth},
          {"counterparts", counterparts_of(algorithm)}};
}

/// A way of another kind than the repository's algorithms.
Json entry(const Way& way, Collective collective) {
  Json attributes = Json::object();
  for (const auto& [name, value] : way.attributes()) attributes[name] = value;
  return {{"collective", name_of(collective)}, {"name", way.algorithm_name().text()},
          {"parameters", Json::array()},       {"says", way.says()},
          {"group", way.group().text()},       {"attributes", std::move(attributes)}};
}

Json everything(std::optional<int> ranks = {}) {
  Json algorithms = Json::array();
  Json others = Json::array();
  for (int i = 0; i < collective_count; ++i) {
    const auto collective = static_cast<Collective>(i);
    for (const Way& way : offered_ways(collective)) {
      if (const Bound* const bound = way.scheduled())
        algorithms.push_back(entry(*bound, ranks));
      else
        others.push_back(entry(way, collective));
    }
  }
  Json strategies = Json::array();
  for (const StrategyKind& kind : strategy_kinds()) {
    Json stages = Json::array();
    for (const Doing& one : kind.stages) stages.push_back({{"name", one.name}, {"learning", one.learning}});
    strategies.push_back({{"name", kind.name},
                          {"says", kind.says},
                          {"source", kind.source},
                          {"predicts", kind.predicts},
                          {"stages", std::move(stages)}});
  }
  return {{"collectives", collective_names},
          {"traits", traits_listing()},
          {"algorithms", std::move(algorithms)},
          {"others", std::move(others)},
          {"strategies", std::move(strategies)}};
}

/// What the library would say of the STARLING_* variables in this environment.
Json complaints() {
  std::vector<Complaint> found;
  const Settings settings = settings_from([](const char* name) -> const char* { return std::getenv(name); }, found);
  check_names(settings, found);
  Json wrong = Json::array();
  for (const Complaint& one : found)
    wrong.push_back({{"variable", one.variable}, {"value", one.value}, {"why", one.why}});
  return {{"complaints", std::move(wrong)}, {"unknown", unknown_variables(environ)}};
}

/// Merges a history's records. Throws std::runtime_error.
Json merging(const std::string& directory) {
  Json skipped = Json::array();
  const MergedRuns merged = merge_runs(directory, [&](const std::string& file, const std::string& why) {
    skipped.push_back({{"file", file}, {"why", why}});
  });
  return {{"runs", merged.runs}, {"written", merged.written}, {"skipped", std::move(skipped)}};
}

}  // namespace
}  // namespace starling

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  try {
    if (words.empty()) {
      std::cout << starling::everything().dump(2) << '\n';
    } else if (words.front() == "on" && words.size() == 2) {
      const auto ranks = starling::number_from("the number of ranks", words[1], 1, std::numeric_limits<int>::max());
      std::cout << starling::everything(static_cast<int>(ranks)).dump(2) << '\n';
    } else if (words.front() == "settings" && words.size() == 1) {
      std::cout << starling::settings_listing() << '\n';
    } else if (words.front() == "memory" && words.size() == 1) {
      std::cout << starling::Json{{"available", starling::available_memory()}}.dump() << '\n';
    } else if (words.front() == "complaints" && words.size() == 1) {
      std::cout << starling::complaints().dump(-1, ' ', false, starling::Json::error_handler_t::replace) << '\n';
    } else if (words.front() == "merge" && words.size() == 2) {
      std::cout
          << starling::merging(std::string(words[1])).dump(-1, ' ', false, starling::Json::error_handler_t::replace)
          << '\n';
    } else if (words.front() == "named" && words.size() == 2) {
      std::cout << starling::Json{{"name", starling::way_from(words.back()).name().text()}}.dump() << '\n';
    } else if (words.front() == "schedule") {
      std::cout << starling::schedule_listing(std::span(words).subspan(1)).dump() << '\n';
    } else if (words.front() == "predict") {
      std::cout << starling::prediction_listing(std::span(words).subspan(1)).dump() << '\n';
    } else if (words.front() == "search" && words.size() == 2) {
      starling::search_dialogue(words.back(), std::cin, std::cout);
    } else {
      throw std::invalid_argument(
          starling::told(words.front()) +
          ": there is only: on RANKS, settings, memory, complaints, merge DIRECTORY, named COLLECTIVE:NAME, "
          "schedule COLLECTIVE:NAME RANKS, predict PLATFORM RANKS COLLECTIVE BYTES, search STRATEGY");
    }
  } catch (const std::invalid_argument& misuse) {
    std::cerr << "starling-repository: " << misuse.what() << '\n';
    return 2;
  } catch (const std::runtime_error& trouble) {
    std::cerr << "starling-repository: " << trouble.what() << '\n';
    return 1;
  }
  return std::cout.flush() ? 0 : 1;
}
