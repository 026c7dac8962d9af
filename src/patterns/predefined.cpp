#include "patterns/predefined.hpp"

#include <array>
#include <string_view>

#include "patterns/collective_requests.hpp"
#include "patterns/halo_set.hpp"
#include "schedule/collective.hpp"

namespace starling::patterns {
namespace {

constexpr auto halo_sets = std::to_array<std::string_view>({"neighborhood", "shift_ltor", "shift_rtol"});
constexpr int halo_count = static_cast<int>(halo_sets.size());

}  // namespace

static_assert(halo_count + (2 * collective_count) <= static_cast<int>(first_place<FunctionSet>));

int predefined_count() {
  return halo_count + (2 * collective_count);
}

std::string name_of_predefined(int number) {
  if (number < halo_count) return std::string(halo_sets.at(static_cast<std::size_t>(number)));
  const int of_collective = number - halo_count;
  const auto name = std::string(name_of(static_cast<Collective>(of_collective % collective_count)));
  return of_collective < collective_count ? name : "i" + name;
}

std::shared_ptr<FunctionSet> predefined(int number) {
  if (number < halo_count) return halo_set(name_of_predefined(number), static_cast<HaloSides>(number));
  const int of_collective = number - halo_count;
  return collective_set(static_cast<Collective>(of_collective % collective_count), of_collective >= collective_count);
}

}  // namespace starling::patterns
