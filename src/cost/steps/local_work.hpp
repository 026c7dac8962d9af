#pragma once

#include "cost/parameters.hpp"
#include "schedule/program.hpp"

namespace starling {

/// Whether a step is work that takes no other rank.
constexpr bool is_local(StepKind kind) {
  return kind == StepKind::copy || kind == StepKind::combine;
}

/// How long a rank works in such a step.
double local_seconds(const Program& program, const Step& step, const CostParameters& parameters);

}  // namespace starling
