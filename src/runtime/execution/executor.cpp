#include "runtime/execution/executor.hpp"

#include <climits>

#include "runtime/execution/steps/local_work.hpp"
#include "runtime/execution/steps/messages.hpp"
#include "runtime/execution/steps/native_part.hpp"
#include "runtime/execution/steps/sharing.hpp"
#include "schedule/native_pieces.hpp"

namespace starling {

int execute(const Program& program, const Buffers& buffers, const Unit& unit, MPI_Op op, const Transport& transport,
            std::span<const MPI_Comm> natives) {
  const Running run{program, buffers, unit, op, transport, natives};
  const Message* const messages = program.messages.data();
  int failed = MPI_SUCCESS;
  for (const Step& step : program.steps) {
    int error = MPI_SUCCESS;
    switch (step.kind) {
      case StepKind::send: error = MessageSteps::send(run, messages[step.first]); break;
      case StepKind::receive: error = MessageSteps::receive(run, messages[step.first]); break;
      case StepKind::exchange:
        error = MessageSteps::exchange(run, messages[step.first], messages[step.first + 1]);
        break;
      // Copies for functions that are called: so `run` itself stays in registers.
      case StepKind::messages: error = MessageSteps::post_and_wait(Running(run), step); break;
      case StepKind::native_part: error = NativeSteps::carry_out(Running(run), step); break;
      case StepKind::sharing: error = SharingSteps::carry_out(Running(run), step); break;
      case StepKind::copy: error = LocalSteps::copy(run, step); break;
      case StepKind::combine: error = LocalSteps::combine(run, step); break;
    }
    if (failed == MPI_SUCCESS) failed = error;
  }
  return failed;
}

int begin(const Running& run, const Step& step) {
  switch (step.kind) {
    case StepKind::send:
    case StepKind::receive:
    case StepKind::exchange:
    case StepKind::messages: return MessageSteps::post(run, step);
    case StepKind::native_part: return NativeSteps::post(run, step);
    case StepKind::sharing: break;  // only in blocking calls
    case StepKind::copy: return LocalSteps::copy(run, step);
    case StepKind::combine: return LocalSteps::combine(run, step);
  }
  return MPI_ERR_INTERN;
}

int requests_in(const Program& program, const Step& step) {
  switch (step.kind) {
    case StepKind::send:
    case StepKind::receive:
    case StepKind::exchange:
    case StepKind::messages: return step.count;
    case StepKind::native_part:
      return static_cast<int>(piece_count(program.natives[static_cast<std::size_t>(step.first)], INT_MAX));
    case StepKind::sharing:
    case StepKind::copy:
    case StepKind::combine: return 0;
  }
  return 0;
}

}  // namespace starling
