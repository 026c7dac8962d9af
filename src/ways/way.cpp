#include "ways/way.hpp"

#include <array>

namespace starling {
namespace {

/// The ways of all kinds of a variant, in the order of the kinds.
template <typename Variant>
struct KindsOf;

template <KindOfWay... Kinds>
struct KindsOf<std::variant<Kinds...>> {
  static std::vector<Way> all(Collective collective) {
    std::vector<Way> ways;
    const auto add = [&](const auto& of_kind) {
      for (const auto& one : of_kind) ways.emplace_back(one);
    };
    (add(Kinds::all(collective)), ...);
    return ways;
  }
  static std::optional<Way> named(Collective collective, std::string_view name) {
    std::optional<Way> found;
    const auto look = [&](auto one) {
      if (one && !found) found.emplace(*std::move(one));
    };
    (look(Kinds::named(collective, name)), ...);
    return found;
  }
};

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
      each->at(static_cast<std::size_t>(i)) = KindsOf<Way::Kind>::all(static_cast<Collective>(i));
    return each;
  }();
  return all[static_cast<std::size_t>(collective)];
}

std::optional<Way> way_named(Collective collective, std::string_view name) {
  return KindsOf<Way::Kind>::named(collective, name);
}

}  // namespace starling
