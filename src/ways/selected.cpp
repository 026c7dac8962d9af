#include "ways/selected.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "messages/fingerprint.hpp"

namespace starling {
namespace {

/// Never destroyed: a program may call MPI while its own statics are destroyed.
LibraryAlgorithms& known() {
  static auto& all = *new LibraryAlgorithms;
  return all;
}

bool has(const Parameters& parameters, const std::pair<std::string, std::string>& wanted) {
  const auto all = parameters.all();
  return std::find(all.begin(), all.end(), wanted) != all.end();
}

/// Splits "segment=8192,radix=4"; nothing if that is not its form.
std::optional<std::vector<std::pair<std::string, std::string>>> items_of(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> items;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    items.emplace_back(item.substr(0, equals), item.substr(equals + 1));
  }
  return items;
}

}  // namespace

std::uint64_t LibraryAlgorithms::fingerprint() const {
  constexpr std::uint64_t end_of_text = 0xff;
  Fingerprint all;
  for (const auto& algorithms : of_collective) {
    all.add("collective").add(end_of_text);
    for (const LibraryAlgorithm& one : algorithms) {
      all.add(with_parameters(one.name, one.parameters)).add(end_of_text);
      for (const auto& [variable, value] : one.settings)
        all.add(variable).add("=").add(std::to_string(value)).add(end_of_text);
    }
  }
  return all.value();
}

const LibraryAlgorithms& library_algorithms() {
  return known();
}

void set_library_algorithms(LibraryAlgorithms all) {
  known() = std::move(all);
}

std::vector<Selected> Selected::all(Collective collective, std::optional<int> /*ranks*/) {
  std::vector<Selected> found;
  for (const LibraryAlgorithm& one : library_algorithms().of_collective[static_cast<std::size_t>(collective)])
    found.push_back({collective, &one});
  return found;
}

std::optional<Selected> Selected::named(Collective collective, std::string_view name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  const std::size_t question = std::min(name.size(), name.find('?'));
  const auto wanted = items_of(name.substr(std::min(name.size(), question + 1)));
  if (!wanted) return std::nullopt;
  const auto& algorithms = library_algorithms().of_collective[static_cast<std::size_t>(collective)];
  const auto first = std::find_if(algorithms.begin(), algorithms.end(),
                                  [&](const LibraryAlgorithm& one) { return one.name == name.substr(0, question); });
  for (auto one = first; one != algorithms.end() && one->name == first->name; ++one) {
    const auto all = one->parameters.all();
    const bool fits = std::all_of(all.begin(), all.end(), [&](const auto& bound) {
      const auto named =
          std::find_if(wanted->begin(), wanted->end(), [&](const auto& item) { return item.first == bound.first; });
      return named != wanted->end() ? named->second == bound.second : has(first->parameters, bound);
    });
    const bool has_all =
        std::all_of(wanted->begin(), wanted->end(), [&](const auto& item) { return has(one->parameters, item); });
    if (fits && has_all) return Selected{collective, &*one};
  }
  return std::nullopt;
}

std::string Selected::algorithm_name() const {
  return std::string(prefix) + algorithm->name;
}

std::string Selected::name() const {
  return with_parameters(algorithm_name(), algorithm->parameters);
}

Attributes Selected::attributes() const {
  Attributes all{{"algorithm", algorithm_name()}};
  const auto parameters = algorithm->parameters.all();
  all.insert(all.end(), parameters.begin(), parameters.end());
  return all;
}

std::string Selected::refusal(const Situation& situation) const {
  const LibraryAlgorithm& one = *algorithm;
  if (one.power_of_two && !std::has_single_bit(static_cast<unsigned>(situation.ranks)))
    return "needs a power of two of ranks";
  if (one.commutative && !situation.commutative) return "needs a commutative operator";
  if (one.built_in && !situation.built_in) return "needs a built-in operator";
  if (one.element_each && situation.elements < situation.ranks) return "needs an element for each rank";
  if (one.ranks != 0 && situation.ranks != one.ranks) return "needs " + std::to_string(one.ranks) + " ranks";
  if (situation.ranks % one.even != 0) return "needs an even number of ranks";
  if (one.in_place == LibraryAlgorithm::InPlace::always && !situation.in_place) return "serves only in place";
  if (one.in_place == LibraryAlgorithm::InPlace::never && situation.in_place) return "does not serve in place";
  if (one.hierarchy || one.one_node) {
    const Spread spread = situation.places != nullptr ? situation.places->spread() : Spread{};
    if (one.hierarchy && (spread.nodes < 2 || spread.nodes == situation.ranks))
      return "needs several nodes with several ranks";
    if (one.one_node && spread.nodes != 1) return "needs all ranks on one node";
  }
  return {};
}

std::optional<Bound> Selected::counterpart() const {
  const bool of_openmpi = library_algorithms().names == LibraryAlgorithms::Names::of_openmpi;
  for (const Bound& bound : candidates(collective, 1)) {
    if (bound.synchronisation != Synchronisation::none) continue;
    for (const Counterparts& theirs : bound.algorithm->counterparts) {
      if ((of_openmpi ? theirs.ompi : theirs.mpich) != algorithm->name) continue;
      const auto with = items_of(theirs.with);
      const auto ours = bound.parameters.all();
      // A parameter that both have must be equal, whatever the descriptor says of others.
      const bool fits = std::all_of(ours.begin(), ours.end(), [&](const auto& item) {
        const auto mine = algorithm->parameters.all();
        const bool both =
            std::any_of(mine.begin(), mine.end(), [&](const auto& one) { return one.first == item.first; });
        return !both || has(algorithm->parameters, item);
      });
      if (fits &&
          std::all_of(with->begin(), with->end(), [&](const auto& item) { return has(bound.parameters, item); }))
        return bound;
    }
  }
  return std::nullopt;
}

}  // namespace starling
