#include "patterns/creation.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "messages/told.hpp"
#include "patterns/predefined.hpp"
#include "runtime/contexts/setup.hpp"
#include "runtime/job/job.hpp"
#include "selection/forced_list.hpp"

namespace starling::patterns {
namespace {

std::string names_of_strategies() {
  std::string all;
  for (const StrategyKind& one : strategy_kinds()) all.append(all.empty() ? "" : ", ").append(one.name);
  return all;
}

}  // namespace

Choosing choosing_by(std::string_view strategy, const FunctionSet& set, std::span<const Candidate> functions) {
  Choosing choosing;
  if (!job().running) return choosing;
  const Setup& now = setup();
  choosing.settings = now.settings.tuning;
  if (strategy.empty()) {
    choosing.strategy = now.strategy->takes_advice ? &strategy_for(*now.strategy, false) : now.strategy;
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
  if (choosing.strategy->forces) {
    const auto has = [&](std::string_view name) {
      return std::any_of(functions.begin(), functions.end(),
                         [&](const Candidate& one) { return one.name.text() == name; });
    };
    choosing.argument = forced_for(choosing.argument, set.name(),
                                   {.is_collective = [&](std::string_view name) { return name == set.name(); },
                                    .has_candidate = [&](std::string_view, std::string_view name) { return has(name); },
                                    .is_candidate = has});
  }
  return choosing;
}

ContextRecord key_of(const FunctionSet& set, const Implementations& implementations) {
  ContextRecord key;
  key.collective = set.name();
  implementations.describe(key);
  return key;
}

std::shared_ptr<Request> make_request(std::shared_ptr<FunctionSet> set, Data data, std::string_view strategy) {
  std::unique_ptr<Implementations> implementations = set->on(data);
  std::vector<Candidate> functions = implementations->candidates();
  Choosing choosing = choosing_by(strategy, *set, functions);
  auto decider = std::make_shared<Decider>(Decider::Task{key_of(*set, *implementations), std::move(functions)},
                                           data.topology, std::move(choosing));
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
  const std::lock_guard lock(guard);
  auto& one = made[static_cast<std::size_t>(number)];
  if (!one) one = make_predefined(number);
  if (!one) throw Fault(Error::function_set, "there is no predefined function set of this number");
  return one;
}

}  // namespace starling::patterns
