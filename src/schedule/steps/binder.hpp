#pragma once

#include <cstdint>

#include "schedule/program.hpp"
#include "schedule/resolver.hpp"

namespace starling {

/// A flat schedule half bound: where its blocks lie, and the program that its steps go to.
struct Binder {
  /// A step, of `count` elements of its kind's array from `first` on. Valid until the next is added.
  template <class Kind, class Form = std::uint8_t>
  Step& add(std::int32_t first, std::int32_t count = 1, Form form = {}, std::int32_t sends = 0) {
    return program.steps.emplace_back(Step{.kind = StepKinds::number<Kind>,
                                           .form = static_cast<std::uint8_t>(form),
                                           .first = first,
                                           .count = count,
                                           .sends = sends});
  }

  const FlatSchedule& schedule;
  const Resolver& where;
  Program& program;
};

}  // namespace starling
