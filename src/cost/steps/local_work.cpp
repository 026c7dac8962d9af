#include "cost/steps/local_work.hpp"

namespace starling {
namespace {

double seconds_per_byte(Local::Kind kind, const CostParameters& parameters) {
  switch (kind) {
    case Local::Kind::copy: return parameters.copy_per_byte;
    case Local::Kind::combine: return parameters.combine_per_byte;
  }
  return 0;
}

}  // namespace

double StepCost<LocalWork>::seconds(const Program& program, const Step& step, const CostParameters& parameters) {
  const double per_byte = seconds_per_byte(step.form_of<LocalWork>(), parameters);
  double seconds = 0;
  for (const Work& work : step.of(program.works)) seconds += static_cast<double>(work.from.count) * per_byte;
  return seconds;
}

}  // namespace starling
