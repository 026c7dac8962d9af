#include "ways/way.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <mutex>

namespace starling {
namespace {

/// The ways of all kinds of a variant, in the order of the kinds.
template <typename Variant>
struct KindsOf;

template <typename... Kinds>
struct KindsOf<std::variant<Kinds...>> {
  static_assert((KindOfWay<Kinds> && ...), "a kind of way lacks something: KindOfWay says what it provides");

  /// Those that `wanted` is true of.
  static std::vector<Way> all(Collective collective, std::optional<int> ranks, auto wanted) {
    std::vector<Way> ways;
    const auto add = [&](auto of_kind) {
      ways.reserve(ways.size() + of_kind.size());
      for (auto& one : of_kind)
        if (wanted(one)) ways.emplace_back(std::move(one));
    };
    (add(Kinds::all(collective, ranks)), ...);
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

std::string Way::says() const {
  return std::visit([](const auto& one) { return one.says(); }, kind_);
}

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

int Way::communicators() const {
  return std::visit([](const auto& one) { return one.communicators(); }, kind_);
}

bool Way::shares_memory() const {
  const Bound* const bound = scheduled();
  return bound != nullptr && bound->shares_memory();
}

std::string Way::refusal(const Situation& situation) const {
  return std::visit([&](const auto& one) { return one.refusal(situation); }, kind_);
}

const Bound* Way::scheduled() const {
  return std::visit([](const auto& one) { return one.scheduled(); }, kind_);
}

std::optional<Bound> Way::predicted_as() const {
  return std::visit([](const auto& one) { return one.predicted_as(); }, kind_);
}

std::shared_ptr<const std::vector<Way>> ways(Collective collective, int ranks) {
  using List = std::shared_ptr<const std::vector<Way>>;
  struct Kept {
    std::mutex guard;
    std::map<std::pair<Collective, int>, std::weak_ptr<const std::vector<Way>>> all;
    std::array<List, 64> latest;
    std::size_t next = 0;
  };
  // Never destroyed: a program may call MPI while its own statics are destroyed.
  static auto& kept = *new Kept;
  const std::scoped_lock lock(kept.guard);
  std::weak_ptr<const std::vector<Way>>& known = kept.all[{collective, ranks}];
  if (List list = known.lock()) return list;
  auto list = std::make_shared<const std::vector<Way>>(
      KindsOf<Way::Kind>::all(collective, ranks, [](const auto&) { return true; }));
  known = list;
  kept.latest[std::exchange(kept.next, (kept.next + 1) % kept.latest.size())] = list;
  return list;
}

std::vector<Way> offered_ways(Collective collective) {
  std::string latest;
  return KindsOf<Way::Kind>::all(collective, std::nullopt, [&](const auto& one) {
    std::string name = one.algorithm_name();
    const bool is_first = name != latest;
    latest = std::move(name);
    return is_first;
  });
}

std::optional<Way> way_named(Collective collective, std::string_view name) {
  return KindsOf<Way::Kind>::named(collective, name);
}

}  // namespace starling
