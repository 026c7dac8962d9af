#include "ways/neighbor_exchange.hpp"

namespace starling {

std::vector<NeighborExchange> NeighborExchange::all(Collective collective, std::optional<int> /*ranks*/) {
  std::vector<NeighborExchange> found;
  if (!is_among_neighbours(collective)) return found;
  for (const neighborhood::Implementation& one : neighborhood::implementations())
    if (!neighborhood::is_one_sided(one.transfer)) found.push_back({one});
  return found;
}

std::optional<NeighborExchange> NeighborExchange::named(Collective collective, std::string_view name) {
  for (const NeighborExchange& one : all(collective))
    if (one.name() == name) return one;
  return std::nullopt;
}

Attributes NeighborExchange::attributes() const {
  const auto name_in = [](const auto& names, auto value) {
    return std::string(names.at(static_cast<std::size_t>(value)));
  };
  return {{"partners", name_in(neighborhood::partners_names, implementation.partners)},
          {"handling", name_in(neighborhood::handling_names, implementation.handling)},
          {"transfer", name_in(neighborhood::transfer_names, implementation.transfer)}};
}

std::string NeighborExchange::group() const {
  return std::string(neighborhood::partners_names.at(static_cast<std::size_t>(implementation.partners)));
}

}  // namespace starling
