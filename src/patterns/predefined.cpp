#include "patterns/predefined.hpp"

#include <optional>

#include "neighborhood/implementation.hpp"
#include "patterns/collective_requests.hpp"
#include "patterns/halo_set.hpp"
#include "schedule/collective.hpp"

namespace starling::patterns {
namespace {

constexpr const auto& halo_sets = neighborhood::set_names;
constexpr int halo_count = static_cast<int>(halo_sets.size());

/// The numbers of collectives follow, those of their nonblocking forms begin at half of the room for all.
constexpr int room = static_cast<int>(first_place<FunctionSet>);
constexpr int first_nonblocking = room / 2;
static_assert(halo_count + collective_count <= first_nonblocking);

struct CollectiveForm {
  Collective collective;
  bool nonblocking;
};

/// Nothing for a number of no collective, and for those among neighbours, which `neighborhood` stands for.
std::optional<CollectiveForm> collective_of(int number) {
  const bool nonblocking = number >= first_nonblocking;
  const int place = number - (nonblocking ? first_nonblocking : halo_count);
  if (place < 0 || place >= collective_count || is_among_neighbours(static_cast<Collective>(place)))
    return std::nullopt;
  return CollectiveForm{static_cast<Collective>(place), nonblocking};
}

}  // namespace

int predefined_count() {
  return room;
}

std::string name_of_predefined(int number) {
  if (number < halo_count) return std::string(halo_sets.at(static_cast<std::size_t>(number)));
  const auto form = collective_of(number);
  if (!form) return {};
  return (form->nonblocking ? "i" : "") + std::string(name_of(form->collective));
}

std::shared_ptr<FunctionSet> make_predefined(int number) {
  if (number < halo_count) return halo_set(name_of_predefined(number), static_cast<HaloSides>(number));
  const auto form = collective_of(number);
  return form ? collective_set(form->collective, form->nonblocking) : nullptr;
}

}  // namespace starling::patterns
