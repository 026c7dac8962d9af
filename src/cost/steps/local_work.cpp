#include "cost/steps/local_work.hpp"

#include <span>

namespace starling {

double local_seconds(const Program& program, const Step& step, const CostParameters& parameters) {
  const double per_byte = step.kind == StepKind::copy ? parameters.copy_per_byte : parameters.combine_per_byte;
  const auto works =
      std::span(program.works).subspan(static_cast<std::size_t>(step.first), static_cast<std::size_t>(step.count));
  double seconds = 0;
  for (const Work& work : works) seconds += static_cast<double>(work.from.count) * per_byte;
  return seconds;
}

}  // namespace starling
