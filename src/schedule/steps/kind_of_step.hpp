#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>

#include "schedule/placement.hpp"
#include "schedule/steps/arrays.hpp"
#include "schedule/steps/drawing.hpp"
#include "schedule/steps/wait.hpp"

namespace starling {

struct Binder;
struct FlatSchedule;
struct Step;

/// What a kind of step is: what one rank does in a round, and all that other rooms need not know. `InSchedule` and
/// `InProgram` are its arrays in flat schedules and in programs, where a step takes `count` elements from `first` on.
/// Those of a program are cleared before it is bound anew, or made room in by `make_room`.
template <class Kind>
concept KindOfStep = requires(const Kind& step, const Placing& where, FlatSchedule& schedule,
                              const typename Kind::Flat& flat, Binder& binder, typename Kind::InProgram& into,
                              const typename Kind::InProgram& from, const Step& bound, const RankSet& ranks) {
  { Kind::name } -> std::convertible_to<std::string_view>;
  /// Nothing to do.
  { step.empty() } -> std::same_as<bool>;
  /// The same as a step of a whole of which this is a part.
  { step.placed(where) } -> std::same_as<Kind>;
  { step.drawn() } -> std::same_as<Drawing>;
  /// Adds its data to a flat schedule.
  { step.flattened(schedule) } -> std::same_as<typename Kind::Flat>;
  /// Adds its steps to the program: none, where it has nothing to do with these sizes. A kind whose Flat can `join` the
  /// next one has one for several rounds.
  flat.bind(binder);
  /// Adds the data of a step of another program, whose rank i is `ranks.rank(i)` here; returns its new `first`.
  { into.append(from, bound, ranks) } -> std::same_as<std::int32_t>;
  requires Arrays<typename Kind::InSchedule>;
  requires Arrays<typename Kind::InProgram>;
  /// The checker's rule.
  typename Kind::Rule;
};

/// A kind in which ranks may wait for others.
template <class Kind>
concept KindOfMeeting = KindOfStep<Kind> && requires(typename Kind::Rule& rule, int rank, const Kind& step) {
  /// Enters a step of a rank; whether it is over at once.
  { rule.begin(rank, step) } -> std::same_as<bool>;
  { rule.wait_of(rank, step) } -> std::same_as<Wait>;
};

/// A list of kinds, and what follows from it.
template <class... Kinds>
struct KindList {
  using Flat = std::variant<typename Kinds::Flat...>;
  struct InSchedule : Kinds::InSchedule... {};
  struct InProgram : Kinds::InProgram... {};

  /// Where a kind stands in the list.
  template <class Kind>
  static constexpr std::uint8_t number = [] {
    std::uint8_t before = 0;
    static_cast<void>(((std::is_same_v<Kind, Kinds> || (++before, false)) || ...));
    return before;
  }();

  /// Calls `visit(std::type_identity<Kind>())` for the kind of that number.
  template <class Visit>
  static constexpr auto visit(std::uint8_t kind, const Visit& visit) {
    return visit_among<Visit, Kinds...>(kind, visit);
  }
  /// The same for each.
  template <class Visit>
  static void each(const Visit& visit) {
    (visit(std::type_identity<Kinds>()), ...);
  }

  /// Something of each kind, made from the same.
  template <template <class> class Of>
  struct OneOfEach : Of<Kinds>... {
    template <class From>
    explicit OneOfEach(From& from) : Of<Kinds>(from)... {}
  };

 private:
  template <class Visit, class Kind, class... Others>
  static constexpr auto visit_among(std::uint8_t kind, const Visit& visit) {
    if constexpr (sizeof...(Others) == 0) {
      return visit(std::type_identity<Kind>());
    } else {
      return kind == number<Kind> ? visit(std::type_identity<Kind>()) : visit_among<Visit, Others...>(kind, visit);
    }
  }
};

template <class Kind>
struct CheckedMeeting {
  static_assert(KindOfMeeting<Kind>, "a kind of step lacks something that KindOfMeeting asks for");
};

/// A round has one meeting, then local work.
template <KindOfStep Local, class... Meetings>
struct LocalAndMeetings : CheckedMeeting<Meetings>..., KindList<Meetings..., Local> {
  using Meeting = std::variant<Meetings...>;
};

}  // namespace starling
