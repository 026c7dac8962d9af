#pragma once

#include <cstddef>
#include <vector>

#include "schedule/schedule.hpp"

namespace starling {

/// The steps of a schedule one behind the other in flat arrays, in the order in which programs have them: what is kept
/// to be bound again and again to other sizes.
struct FlatSchedule : StepKinds::InSchedule {
  FlatSchedule() = default;
  explicit FlatSchedule(const Schedule& schedule);
  /// Bytes of memory.
  [[nodiscard]] std::size_t bytes() const;

  std::vector<StepKinds::Flat> steps;
  std::size_t bound_steps = 0;  ///< the most that a program of it has: a step here may stand for many rounds
  std::vector<Scratch> scratch;
};

}  // namespace starling
