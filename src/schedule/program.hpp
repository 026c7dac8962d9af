#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedule/flat_schedule.hpp"
#include "schedule/layout.hpp"
#include "schedule/schedule.hpp"

namespace starling {

/// A step, and what it takes from the flat arrays of its program.
struct Step {
  std::uint8_t kind;   ///< its number among StepKinds
  std::uint8_t form;   ///< of its kind: how it is done
  std::int32_t first;  ///< in its kind's array
  std::int32_t count;
  std::int32_t sends;  ///< how many of its messages are, after its receives
  [[nodiscard]] std::int32_t receives() const { return count - sends; }

  template <class Kind>
  [[nodiscard]] constexpr bool is() const {
    return kind == StepKinds::number<Kind>;
  }
  /// Of a step of that kind.
  template <class Kind>
  [[nodiscard]] constexpr auto form_of() const {
    return static_cast<typename Kind::Form>(form);
  }
  /// Calls `visit(std::type_identity<Kind>())` for its kind.
  template <class Visit>
  // NOLINTNEXTLINE(modernize-use-nodiscard): it may return nothing
  constexpr auto visit(const Visit& visit) const {
    return StepKinds::visit(kind, visit);
  }
  /// What it takes from its kind's array.
  template <class Element>
  [[nodiscard]] std::span<const Element> of(const std::vector<Element>& array) const {
    return std::span(array).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }
};

/// A schedule made ready to run on calls of one layout: flat, with every size and offset known. Messages of blocks that
/// turn out empty are in no step (both ends know); zero-byte signals remain.
struct Program : StepKinds::InProgram {
  std::vector<Step> steps;
  std::vector<std::int64_t> scratch;  ///< units of each scratch buffer

  /// Adds a step of another program, whose rank i is `ranks.rank(i)` here.
  void append(const Program& from, const Step& step, const RankSet& ranks);
  /// Bytes of memory.
  [[nodiscard]] std::size_t bytes() const;
};

/// Binds a schedule to the layouts of the caller's two buffers; scratch is as large as blocks of `recv`. They differ
/// where each rank knows only its own counts (alltoallv). `rank` tells which block a send or receive buffer of a single
/// block is as large as (allgather's send, reduce_scatter's recv, and so on; see docs/schedules.md).
Program bind(const Schedule& schedule, const Layout& send, const Layout& recv, Collective collective, int rank);
/// The same into the memory of a program that is not needed any more. `learned`: units of each block of scratch, buffer
/// after buffer, where they are not as large as those of `recv`.
void bind(const FlatSchedule& schedule, const Layout& send, const Layout& recv, Collective collective, int rank,
          Program& program, std::span<const std::int64_t> learned = {});

}  // namespace starling
