#include "algorithms/candidate.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "messages/number.hpp"

namespace starling {
namespace {

constexpr std::array all_synchronisations{Synchronisation::none, Synchronisation::light_barrier,
                                          Synchronisation::mpi_barrier};

/// A positive number as one writes it: no sign, no leading zero.
bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 16 && text.front() != '0' &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Whether `value` may be bound to `parameter`: one of its values, what it accepts besides, or a number where those are
/// numbers.
bool may_be(const Parameter& parameter, std::string_view value) {
  if (std::find(parameter.values.begin(), parameter.values.end(), value) != parameter.values.end()) return true;
  if (parameter.accepts != nullptr) return parameter.accepts(value, 0);
  return is_number(value) && std::any_of(parameter.values.begin(), parameter.values.end(), is_number);
}

/// The number that the text of a value means; the word "none" is 0.
std::optional<std::int64_t> number_of(std::string_view text) {
  if (text == "none") return 0;
  return number_in<std::int64_t>(text);
}

/// Those of a collective, in the repository's order.
const std::vector<const Algorithm*>& algorithms_of(Collective collective) {
  // Never destroyed: a program may still call MPI when its own statics are.
  static const auto& all = *[] {
    auto* each = new std::array<std::vector<const Algorithm*>, collective_count>;
    for (const Algorithm& algorithm : repository())
      for (const Collective one : algorithm.collectives) each->at(static_cast<std::size_t>(one)).push_back(&algorithm);
    return each;
  }();
  return all[static_cast<std::size_t>(collective)];
}

/// Each algorithm x synchronisation x parameter value: those that are worth trying on so many ranks, else all.
std::vector<Bound> expand(Collective collective, std::optional<int> ranks) {
  std::vector<Bound> all;
  for (const Algorithm* algorithm : algorithms_of(collective)) {
    std::vector<Parameters> bindings(1);
    for (const Parameter& parameter : algorithm->parameters) {
      const bool by_ranks = ranks && parameter.values_on != nullptr;
      const std::vector<std::string> on_ranks = by_ranks ? parameter.values_on(*ranks) : std::vector<std::string>{};
      std::vector<Parameters> longer;
      longer.reserve(bindings.size() * std::max(on_ranks.size(), parameter.values.size()));
      for (const Parameters& shorter : bindings) {
        const auto add = [&](std::string_view value) {
          if (!parameter.is_tried_for(value, collective)) return;
          longer.push_back(shorter);
          longer.back().bind(parameter.name, value);
        };
        if (by_ranks)
          std::for_each(on_ranks.begin(), on_ranks.end(), add);
        else
          std::for_each(parameter.values.begin(), parameter.values.end(), add);
      }
      bindings = std::move(longer);
    }
    for (const Synchronisation synchronisation : algorithm->synchronisations)
      for (Parameters& parameters : bindings) {
        const bool is_last = synchronisation == algorithm->synchronisations.back();
        all.push_back({algorithm, collective, synchronisation, is_last ? std::move(parameters) : parameters});
      }
  }
  return all;
}

}  // namespace

Parameters::Parameters(std::initializer_list<std::pair<std::string, std::string>> bound) {
  for (const auto& [name, value] : bound) bind(name, value);
}

void Parameters::bind(std::string_view name, std::string_view value) {
  bound_.emplace_back(name, value);
  numbers_.push_back(number_of(value));
}

std::size_t Parameters::place_of(std::string_view name) const {
  for (std::size_t i = 0; i < bound_.size(); ++i)
    if (bound_[i].first == name) return i;
  throw std::out_of_range("no parameter " + std::string(name));
}

std::string_view Parameters::text(std::string_view name) const {
  return bound_[place_of(name)].second;
}

std::int64_t Parameters::number(std::string_view name) const {
  const std::size_t place = place_of(name);
  if (!numbers_[place])
    throw std::invalid_argument(std::string(name).append("=").append(bound_[place].second).append(" is not a number"));
  return *numbers_[place];
}

std::string with_parameters(std::string name, const Parameters& parameters) {
  char separator = '?';
  for (const auto& [parameter, value] : parameters.all()) {
    name.append(1, separator).append(parameter).append("=").append(value);
    separator = ',';
  }
  return name;
}

std::vector<Bound> Bound::all(Collective collective, std::optional<int> ranks) {
  return ranks ? candidates(collective, *ranks) : candidates(collective);
}

std::optional<Bound> Bound::named(Collective collective, std::string_view name) {
  return candidate_named(collective, name);
}

std::string Bound::algorithm_name() const {
  std::string name(algorithm->name);
  if (synchronisation != Synchronisation::none) name.append("_").append(name_of(synchronisation));
  return name;
}

std::string Bound::name() const {
  return with_parameters(algorithm_name(), parameters);
}

std::string Bound::says() const {
  std::string text(algorithm->says);
  switch (synchronisation) {
    case Synchronisation::none: break;
    case Synchronisation::light_barrier: text += "; zero-byte messages keep the steps apart"; break;
    case Synchronisation::mpi_barrier: text += "; an MPI barrier keeps the steps apart"; break;
  }
  return text;
}

Attributes Bound::attributes() const {
  Attributes all{{"algorithm", std::string(algorithm->name)},
                 {"synchronisation", std::string(name_of(synchronisation))}};
  all.insert(all.end(), parameters.all().begin(), parameters.all().end());
  return all;
}

std::string Bound::group() const {
  const bool has_choice = algorithm->synchronisations.front() == Synchronisation::none;
  std::string group(synchronisation == Synchronisation::none || !has_choice ? algorithm->group
                                                                            : name_of(synchronisation));
  for (std::size_t i = 0; i < algorithm->parameters.size() && i < parameters.all().size(); ++i) {
    const Parameter& parameter = algorithm->parameters[i];
    if (parameter.regroups && parameters.all()[i].second != parameter.values.front())
      group.append("_by_").append(parameter.name);
  }
  return group;
}

std::string Bound::reduction_order() const {
  std::string order(algorithm->reduction_order);
  for (std::size_t i = 0; i < algorithm->parameters.size() && i < parameters.all().size(); ++i)
    if (algorithm->parameters[i].reorders)
      order.append(" ").append(parameters.all()[i].first).append("=").append(parameters.all()[i].second);
  return order;
}

bool Bound::is_tried_on(int ranks) const {
  for (std::size_t i = 0; i < algorithm->parameters.size(); ++i) {
    const Parameter& parameter = algorithm->parameters[i];
    const std::string& value = parameters.all()[i].second;
    const bool is_tried = parameter.values_on != nullptr ? parameter.accepts(value, ranks)
                                                         : std::find(parameter.values.begin(), parameter.values.end(),
                                                                     value) != parameter.values.end();
    if (!is_tried || !parameter.is_tried_for(value, collective)) return false;
  }
  return true;
}

Division Bound::division(const Situation& situation) const {
  const bool may_divide = divides_a_vector(situation.collective) || divides_blocks(situation.collective);
  if (!may_divide || algorithm->divide == nullptr) return {situation.ranks};
  return algorithm->divide(situation, parameters);
}

Team Bound::team(const Situation& situation, int rank, int root) const {
  return {.size = situation.ranks,
          .rank = rank,
          .root = root,
          .division = division(situation),
          .collective = collective,
          .tree = situation.tree,
          .places = situation.places};
}

std::int64_t Bound::scratch_blocks(const Situation& situation) const {
  return algorithm->scratch_blocks == nullptr ? 0 : algorithm->scratch_blocks(situation, parameters);
}

std::string Bound::refusal(const Situation& situation) const {
  const Needs& needs = algorithm->needs;
  if (situation.ranks < needs.least_ranks) return "needs at least " + std::to_string(needs.least_ranks) + " ranks";
  if (needs.power_of_two && (situation.ranks & (situation.ranks - 1)) != 0) return "needs a power of two of ranks";
  if (needs.commutative && !situation.commutative) return "needs a commutative operator";
  if (needs.switches && situation.tree == nullptr) return "needs a description of the network's switches (--platform)";
  if (needs.one_node) {
    if (situation.places == nullptr) return "needs to know which ranks share a node";
    if (situation.places->nodes() > 1) return "needs all ranks on one node";
  }
  if (algorithm->refuses != nullptr) return algorithm->refuses(situation, parameters);
  return {};
}

Bound Bound::tells_sizes() const {
  switch (traits_of(collective).root) {
    case Root::takes: return candidate_named(Collective::allgather, "bruck").value();
    case Root::gives: return candidate_named(Collective::bcast, "binomial").value();
    case Root::none: return *this;
  }
  return *this;
}

Schedule Bound::schedule(const Team& team) const {
  Team told = team;
  told.collective = collective;
  if (synchronisation == Synchronisation::light_barrier && algorithm->build_light_barrier != nullptr)
    return algorithm->build_light_barrier(told, parameters);
  return algorithm->build(told, parameters).synchronised(synchronisation, team.size);
}

const std::vector<Bound>& candidates(Collective collective) {
  // Never destroyed: a program may still call MPI when its own statics are.
  static const auto& all = *[] {
    auto* each = new std::array<std::vector<Bound>, collective_count>;
    for (int i = 0; i < collective_count; ++i)
      each->at(static_cast<std::size_t>(i)) = expand(static_cast<Collective>(i), std::nullopt);
    return each;
  }();
  return all[static_cast<std::size_t>(collective)];
}

std::vector<Bound> candidates(Collective collective, int ranks) {
  return expand(collective, ranks);
}

const Algorithm* algorithm_named(Collective collective, std::string_view name) {
  const auto& all = algorithms_of(collective);
  const auto found = std::find_if(all.begin(), all.end(), [&](const Algorithm* one) { return one->name == name; });
  return found == all.end() ? nullptr : *found;
}

std::optional<Bound> candidate_named(Collective collective, std::string_view name) {
  const std::size_t question = name.find('?');
  if (question == name.size() - 1) return std::nullopt;
  const std::string_view base = name.substr(0, question);
  for (const Synchronisation synchronisation : all_synchronisations) {
    std::string_view stem = base;
    if (synchronisation != Synchronisation::none) {
      const std::string ending = std::string(1, '_').append(name_of(synchronisation));
      if (!stem.ends_with(ending)) continue;
      stem.remove_suffix(ending.size());
    }
    const Algorithm* algorithm = algorithm_named(collective, stem);
    if (algorithm == nullptr) continue;
    const auto& offered = algorithm->synchronisations;
    if (std::find(offered.begin(), offered.end(), synchronisation) == offered.end()) continue;

    std::vector<std::pair<std::string_view, std::string_view>> given;
    for (std::string_view rest = question == std::string_view::npos ? std::string_view{} : name.substr(question + 1);
         !rest.empty();) {
      const std::string_view item = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), item.size() + 1));
      const std::size_t equals = item.find('=');
      if (equals == std::string_view::npos) return std::nullopt;
      given.emplace_back(item.substr(0, equals), item.substr(equals + 1));
    }
    Bound bound{algorithm, collective, synchronisation, {}};
    for (const Parameter& parameter : algorithm->parameters) {
      const auto value =
          std::find_if(given.begin(), given.end(), [&](const auto& one) { return one.first == parameter.name; });
      if (value == given.end()) {
        bound.parameters.bind(parameter.name, parameter.values.front());
        continue;
      }
      if (!may_be(parameter, value->second)) return std::nullopt;
      bound.parameters.bind(parameter.name, value->second);
      given.erase(value);
    }
    if (!given.empty()) return std::nullopt;
    return bound;
  }
  return std::nullopt;
}

}  // namespace starling
