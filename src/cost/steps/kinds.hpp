#pragma once

#include <concepts>

#include "cost/steps/local_work.hpp"
#include "cost/steps/messages.hpp"
#include "cost/steps/native_part.hpp"
#include "cost/steps/sharing.hpp"

namespace starling {

/// What the cost of each kind of step provides; a file of its own, included above.
template <class Kind>
concept HasCost = requires(StepCost<Kind> cost, int rank, const Step& bound, double now, const Kind& step,
                           PredictionWork& work) {
  /// A rank comes to a step at `now`; `step_over` of the ranks is called when it is over.
  cost.begin(rank, bound, now);
  /// Adds what it takes to predict a step of a schedule.
  StepCost<Kind>::count(step, work);
};

}  // namespace starling
