#pragma once

#include "cost/parameters.hpp"
#include "schedule/program.hpp"

namespace starling {

/// Whether a step is work that takes no other rank.
constexpr bool is_local(StepKind kind) {
  switch (kind) {
    case StepKind::send:
    case StepKind::receive:
    case StepKind::exchange:
    case StepKind::messages:
    case StepKind::native_part:
    case StepKind::sharing: return false;
    case StepKind::copy:
    case StepKind::combine: return true;
  }
  return false;
}

/// How long a rank works in such a step.
double local_seconds(const Program& program, const Step& step, const CostParameters& parameters);

}  // namespace starling
