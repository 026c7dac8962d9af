#include "cost/steps/local_work.hpp"

#include <span>

namespace starling {
namespace {

double seconds_per_byte(StepKind kind, const CostParameters& parameters) {
  switch (kind) {
    case StepKind::send:
    case StepKind::receive:
    case StepKind::exchange:
    case StepKind::messages:
    case StepKind::native_part:
    case StepKind::sharing: return 0;
    case StepKind::copy: return parameters.copy_per_byte;
    case StepKind::combine: return parameters.combine_per_byte;
  }
  return 0;
}

}  // namespace

double local_seconds(const Program& program, const Step& step, const CostParameters& parameters) {
  const double per_byte = seconds_per_byte(step.kind, parameters);
  const auto works =
      std::span(program.works).subspan(static_cast<std::size_t>(step.first), static_cast<std::size_t>(step.count));
  double seconds = 0;
  for (const Work& work : works) seconds += static_cast<double>(work.from.count) * per_byte;
  return seconds;
}

}  // namespace starling
