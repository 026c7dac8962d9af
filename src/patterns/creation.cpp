#include "patterns/creation.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "messages/told.hpp"
#include "patterns/predefined.hpp"
#include "runtime/contexts/setup.hpp"
#include "runtime/job/job.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "selection/forced_list.hpp"

namespace starling::patterns {
namespace {

std::string names_of_strategies() {
  std::string all;
  for (const StrategyKind& one : strategy_kinds()) all.append(all.empty() ? "" : ", ").append(one.name);
  return all;
}

bool has(std::span<const Candidate> functions, std::string_view name) {
  return std::any_of(functions.begin(), functions.end(), [&](const Candidate& one) { return one.name.text() == name; });
}

std::string why_no_function(const FunctionSet& set, std::span<const Candidate> functions) {
  std::string all;
  for (const Candidate& one : functions) all.append(all.empty() ? "" : ", ").append(one.name);
  return "the function set " + set.name() + " has no such function; it has " + all;
}

/// The function of a set that a list forces; empty for none.
std::string forced_in(std::string_view list, const FunctionSet& set, std::span<const Candidate> functions) {
  const ForcedNames names{
      .is_collective = [](std::string_view) { return true; },
      .has_candidate = [&](std::string_view, std::string_view name) { return has(functions, name); },
      .is_candidate = [&](std::string_view name) { return has(functions, name); }};
  for (const std::string& name : {name_in_settings(set), set.name()})
    if (std::string found = forced_for(list, name, names); !found.empty()) return found;
  return {};
}

/// The run's settings may name functions of a set of the program's own, whose names nobody knew before: tells once of
/// those that there are not.
void tell_unknown_names(const FunctionSet& set, std::span<const Candidate> functions) {
  if (set.is_predefined()) return;
  static std::mutex guard;
  static auto& told_already = *new std::set<std::string>;
  const std::string start = name_in_settings(set) + ":";
  const auto look_at = [&](const char* variable, const std::string& item) {
    if (!item.starts_with(start) || has(functions, std::string_view(item).substr(start.size()))) return;
    std::string what = std::string(variable) + ": '" + told(item) + "': " + why_no_function(set, functions);
    const std::scoped_lock lock(guard);
    if (told_already.insert(what).second) print_notice(what);
  };
  const Settings& settings = setup().settings;
  for (const std::string& item : settings.only) look_at("STARLING_ONLY", item);
  for (const std::string& item : settings.except) look_at("STARLING_EXCEPT", item);
  if (setup().strategy->forces)
    for (const ForcedItem& item : parse_forced(setup().strategy_argument)) look_at("STARLING_STRATEGY", item.text());
}

}  // namespace

Choosing choosing_by(std::string_view strategy, const FunctionSet& set, std::span<const Candidate> functions) {
  Choosing choosing;
  if (!job().running) return choosing;
  const Setup& now = setup();
  choosing.settings = now.settings.tuning;
  if (strategy.empty()) {
    choosing.strategy = now.strategy;
    choosing.argument = now.strategy_argument;
  } else {
    const auto named = strategy_named(strategy);
    if (!named)
      throw Fault(Error::strategy, "there is no strategy '" + told(strategy) + "'; there are " + names_of_strategies());
    choosing.strategy = named->first;
    choosing.argument = named->second;
    if (named->first->rejects != nullptr)
      if (const std::string why = named->first->rejects(named->second); !why.empty()) throw Fault(Error::strategy, why);
  }
  if (job().running) tell_unknown_names(set, functions);
  if (!choosing.strategy->forces) return choosing;
  const std::string list = std::exchange(choosing.argument, forced_in(choosing.argument, set, functions));
  // A list of the run is for all sets and collectives; a request's own is for its set.
  if (!strategy.empty() && !has(functions, choosing.argument))
    throw Fault(Error::strategy, "forced:" + told(list) + ": " + why_no_function(set, functions));
  return choosing;
}

ContextRecord key_of(const FunctionSet& set, const Implementations& implementations) {
  ContextRecord key;
  key.collective = set.name();
  implementations.describe(key);
  return key;
}

std::int64_t Prepared::common() const {
  std::string text(choosing.strategy == nullptr ? "" : choosing.strategy->name);
  text.append(":").append(choosing.argument).append("/").append(std::to_string(functions.size()));
  // Equal on ranks with equal texts: the standard library is linked into Starling.
  return static_cast<std::int64_t>(std::hash<std::string>{}(text) >> 1U);
}

void agree(const Topology& topology, const std::optional<Fault>& wrong, std::int64_t common) {
  const std::array<std::int64_t, 3> here{wrong ? -static_cast<std::int64_t>(wrong->error) : 0, common, -common};
  std::array<std::int64_t, 3> least{};
  require(pmpi.Allreduce(here.data(), least.data(), 3, handles.int64, handles.min, topology.comm()), "MPI_Allreduce");
  if (wrong) throw Fault(*wrong);
  if (least[0] != 0) throw Fault(static_cast<Error>(-least[0]), "another rank refuses the request, and tells why");
  if (least[1] != -least[2])
    throw Fault(Error::strategy, "the ranks give the request different strategies, or sets of more or fewer functions");
}

Prepared prepare(std::shared_ptr<FunctionSet> set, Data data, std::string_view strategy) {
  Prepared made{.set = std::move(set), .data = std::move(data), .implementations = {}, .functions = {}, .choosing = {}};
  made.implementations = made.set->on(made.data);
  made.functions = made.implementations->candidates();
  made.choosing = choosing_by(strategy, *made.set, made.functions);
  return made;
}

std::shared_ptr<Request> make_request(Prepared prepared) {
  auto& [set, data, implementations, functions, choosing] = prepared;
  implementations->connect();
  auto decider = std::make_shared<Decider>(
      Decider::Task{key_of(*set, *implementations), name_in_settings(*set), std::move(functions)}, data.topology,
      std::move(choosing));
  return std::make_shared<Request>(std::move(set), std::move(data), std::move(implementations), std::move(decider));
}

Handle keep(std::shared_ptr<Request> request) {
  Request& kept = *request;
  kept.set_handle(Handles<Request>::all().add(std::move(request)));
  return kept.handle();
}

int number_of_predefined(std::string_view name) {
  for (int number = 0; number < predefined_count() && !name.empty(); ++number)
    if (name_of_predefined(number) == name) return number;
  return -1;
}

Handle predefined_set(int number) {
  return (static_cast<Handle>(Kind::function_set) << 27) + number;
}

std::shared_ptr<FunctionSet> owned_set(Handle handle) {
  const int number = handle - predefined_set(0);
  if (number < 0 || number >= predefined_count()) return owned<FunctionSet>(handle);
  static std::mutex guard;
  static auto& made = *new std::vector<std::shared_ptr<FunctionSet>>(static_cast<std::size_t>(predefined_count()));
  const std::scoped_lock lock(guard);
  auto& one = made[static_cast<std::size_t>(number)];
  if (!one) one = make_predefined(number);
  if (!one) throw Fault(Error::function_set, "there is no predefined function set of this number");
  return one;
}

}  // namespace starling::patterns
