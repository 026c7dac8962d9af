#include "runtime/execution/operation.hpp"

#include <cstring>

#include "runtime/mpi/pmpi.hpp"

namespace starling {

void Operation::set_plan(Plan& plan) {
  plan_ = &plan;
  bytes_ = staging_.workspace_bytes(plan.program);
}

void Operation::clear_scratch() {
  auto buffer = static_cast<std::size_t>(Buffer::scratch);
  for (const std::int64_t bytes : plan_->program.scratch)
    std::memset(buffers_.base[buffer++], 0, static_cast<std::size_t>(bytes));
}

void Operation::keep_scratch() {
  learned_->clear();
  auto buffer = static_cast<std::size_t>(Buffer::scratch);
  for (const std::int64_t bytes : plan_->program.scratch) {
    const char* const from = buffers_.base[buffer++];
    const std::size_t before = learned_->size();
    learned_->resize(before + (static_cast<std::size_t>(bytes) / sizeof(std::int64_t)));
    if (bytes > 0) std::memcpy(learned_->data() + before, from, static_cast<std::size_t>(bytes));
  }
}

/// Also after an error: others wait for this rank's messages, whatever they hold.
bool Operation::advance() {
  const Program& program = plan_->program;
  const Running run{program, buffers_, staging_.unit(), op_, transport_, plan_->natives};
  const auto keep = [&](int error) {
    if (error_ == MPI_SUCCESS) error_ = error;
  };
  while (true) {
    for (; posted_ > 0; --posted_) {
      int complete = 0;
      const int error = pmpi.Test(&transport_.requests[posted_ - 1], &complete, MPI_STATUS_IGNORE);
      keep(error);
      if (error == MPI_SUCCESS && complete == 0) return false;
    }
    if (step_ == program.steps.size()) break;
    const Step& step = program.steps[step_++];
    keep(begin(run, step));
    posted_ = requests_in(program, step);
  }
  end();
  return true;
}

}  // namespace starling
