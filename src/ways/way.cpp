#include "ways/way.hpp"

#include <array>

namespace starling {
namespace {

template <typename... Kinds>
constexpr bool all_are_kinds(const std::variant<Kinds...>* /*any*/) {
  return (KindOfWay<Kinds> && ...);
}
static_assert(all_are_kinds(static_cast<const Way::Kind*>(nullptr)));

std::vector<Way> all_of(Collective collective) {
  std::vector<Way> all{Way(Library{})};
  for (const Bound& bound : candidates(collective)) all.emplace_back(bound);
  return all;
}

}  // namespace

Way::Way(Kind kind)
    : kind_(std::move(kind)),
      name_(std::visit([](const auto& one) { return one.name(); }, kind_)),
      algorithm_name_(std::visit([](const auto& one) { return one.algorithm_name(); }, kind_)),
      group_(std::visit([](const auto& one) { return one.group(); }, kind_)) {}

Parameters Way::parameter_values() const {
  return std::visit([](const auto& one) { return Parameters(one.parameter_values()); }, kind_);
}

Attributes Way::attributes() const {
  return std::visit([](const auto& one) { return one.attributes(); }, kind_);
}

std::string Way::reduction_order() const {
  return std::visit([](const auto& one) { return one.reduction_order(); }, kind_);
}

std::int64_t Way::probe_up_to() const {
  return std::visit([](const auto& one) { return one.probe_up_to(); }, kind_);
}

std::string Way::refusal(const Situation& situation) const {
  return std::visit([&](const auto& one) { return one.refusal(situation); }, kind_);
}

const std::vector<Way>& ways(Collective collective) {
  // Never destroyed: a program may call MPI while its own statics are destroyed.
  static const auto& all = *[] {
    auto* each = new std::array<std::vector<Way>, collective_count>;
    for (int i = 0; i < collective_count; ++i)
      each->at(static_cast<std::size_t>(i)) = all_of(static_cast<Collective>(i));
    return each;
  }();
  return all[static_cast<std::size_t>(collective)];
}

std::optional<Way> way_named(Collective collective, std::string_view name) {
  if (name == Library::native) return Way(Library{});
  if (std::optional<Bound> bound = candidate_named(collective, name)) return Way(*std::move(bound));
  return std::nullopt;
}

}  // namespace starling
