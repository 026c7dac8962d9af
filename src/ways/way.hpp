#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/candidate.hpp"
#include "messages/interned.hpp"
#include "ways/library.hpp"
#include "ways/neighbor_exchange.hpp"
#include "ways/selected.hpp"

namespace starling {

/// What each kind of way provides: `all` its ways for a collective on so many ranks, or those whose names serve any
/// number; the one of a public name; and the functions of `Way`.
template <typename Kind>
concept KindOfWay = requires(const Kind& kind, const Situation& situation, Collective collective,
                             std::optional<int> ranks, std::string_view name) {
  { Kind::all(collective, ranks) } -> std::convertible_to<std::vector<Kind>>;
  { Kind::named(collective, name) } -> std::same_as<std::optional<Kind>>;
  { kind.name() } -> std::same_as<std::string>;
  { kind.algorithm_name() } -> std::same_as<std::string>;
  { kind.says() } -> std::same_as<std::string>;
  { kind.parameter_values() } -> std::convertible_to<Parameters>;
  { kind.attributes() } -> std::same_as<Attributes>;
  { kind.group() } -> std::same_as<std::string>;
  { kind.reduction_order() } -> std::same_as<std::string>;
  { kind.probe_up_to() } -> std::same_as<std::int64_t>;
  { kind.communicators() } -> std::same_as<int>;
  { kind.refusal(situation) } -> std::same_as<std::string>;
  { kind.scheduled() } -> std::same_as<const Bound*>;
  { kind.predicted_as() } -> std::same_as<std::optional<Bound>>;
};

/// A way to carry out the calls of one collective, for naming, choosing, listing and recording: values and pure
/// functions, without MPI. src/runtime/execution/ways carries out the calls of each kind.
class Way {
 public:
  /// A new kind is a struct in its own file, included and named here. KindOfWay says what it provides.
  using Kind = std::variant<Library, Selected, Bound, NeighborExchange>;

  explicit Way(Kind kind);

  [[nodiscard]] const Kind& kind() const { return kind_; }
  /// The public name without the collective: "native", "ring_light_barrier", "chain?segment=8192".
  [[nodiscard]] const Interned& name() const { return name_; }
  /// The name without parameters: "chain".
  [[nodiscard]] const Interned& algorithm_name() const { return algorithm_name_; }
  /// What it does, half a sentence for people.
  [[nodiscard]] std::string says() const;
  /// The values of its parameters, as text.
  [[nodiscard]] Parameters parameter_values() const;
  /// Its place in the space of candidates: algorithm, synchronisation, parameters.
  [[nodiscard]] Attributes attributes() const;
  /// What it optimises: STAR-MPI's group (section 3.3).
  [[nodiscard]] const Interned& group() const { return group_; }
  /// Ways with the same value add in the same order, so that their results are bitwise equal; empty if unknown.
  [[nodiscard]] std::string reduction_order() const;
  /// Tuners try it up to this many bytes; 0: without limit.
  [[nodiscard]] std::int64_t probe_up_to() const;
  /// Communicators that a rank needs to begin with it, at most: to make one all ranks agree several times.
  [[nodiscard]] int communicators() const;
  /// Whether it needs memory that ranks of a node share.
  [[nodiscard]] bool shares_memory() const;
  /// Why it cannot serve in `situation`, a sentence without a full stop; empty if it can.
  [[nodiscard]] std::string refusal(const Situation& situation) const;
  /// The candidate whose schedules carry out its calls, which lives as long as the way; null where none do. Such a way
  /// has the costs of schedules, and a call that goes it may be begun and left.
  [[nodiscard]] const Bound* scheduled() const;
  /// The candidate whose predicted time is its own; nothing where no time can be predicted.
  [[nodiscard]] std::optional<Bound> predicted_as() const;

 private:
  Kind kind_;
  Interned name_;
  Interned algorithm_name_;
  Interned group_;
};

/// Every way to carry out a collective that is worth trying on so many ranks, native first. One list for all who hold
/// it; of those that nobody holds only the latest are kept, for a program may have communicators of many sizes.
std::shared_ptr<const std::vector<Way>> ways(Collective collective, int ranks);

/// The first way of each name without parameters, for any number of ranks: what people are offered.
std::vector<Way> offered_ways(Collective collective);

/// The way of a public name, e.g. "native", "chain?segment=8192". Parameters that are not named have their first value;
/// a parameter whose values are numbers accepts any well-formed number. Nothing for an unknown name.
std::optional<Way> way_named(Collective collective, std::string_view name);

}  // namespace starling
