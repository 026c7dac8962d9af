#include "runtime/execution/executor.hpp"

#include <type_traits>

#include "runtime/execution/steps/kinds.hpp"

namespace starling {

int execute(const Program& program, const Buffers& buffers, const Unit& unit, MPI_Op op, const Transport& transport,
            std::span<const MPI_Comm> natives) {
  const Running run{program, buffers, unit, op, transport, natives};
  int failed = MPI_SUCCESS;
  for (const Step& step : program.steps) {
    const int error = step.visit([&]<class Kind>(std::type_identity<Kind> /*kind*/) {
      static_assert(HasExecutor<Kind>,
                    "src/runtime/execution/steps lacks what carries out a kind of step, or its kinds.hpp does not "
                    "include it");
      // A copy for functions that are called: so `run` itself stays in registers.
      return StepExecutor<Kind>::carry_out(Running(run), step);
    });
    if (failed == MPI_SUCCESS) failed = error;
  }
  return failed;
}

int begin(const Running& run, const Step& step) {
  return step.visit(
      [&]<class Kind>(std::type_identity<Kind> /*kind*/) { return StepExecutor<Kind>::begin(run, step); });
}

int requests_in(const Program& program, const Step& step) {
  return step.visit(
      [&]<class Kind>(std::type_identity<Kind> /*kind*/) { return StepExecutor<Kind>::requests(program, step); });
}

}  // namespace starling
