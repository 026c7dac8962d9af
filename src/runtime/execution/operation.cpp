#include "runtime/execution/operation.hpp"

#include <algorithm>

#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"

namespace starling {

bool Operation::reserve(const Plan& plan, Workspace& workspace) {
  const std::size_t bytes = staging_.workspace_bytes(plan.program);
  workspace_ = &workspace;
  memory_ = bytes > 0 ? workspace.take(bytes) : nullptr;
  return workspace.requests(plan.most_requests) && (bytes == 0 || memory_ != nullptr);
}

void Operation::start(Plan& plan, Channel& channel, MPI_Op op, Segment* segment) {
  plan_ = &plan;
  ++plan.operations;
  channel_ = &channel;
  op_ = op;
  transport_ = {process().world, channel.peers(), channel.next_tag(), workspace_->requests(), segment};
  step_ = 0;
  posted_ = 0;
  error_ = staging_.begin(plan.program, memory_, buffers_);
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

int Operation::finish() {
  // Even after an error: other ranks wait for this rank's messages, whatever their contents.
  const int failed = execute(plan_->program, buffers_, staging_.unit(), op_, transport_, plan_->natives);
  if (error_ == MPI_SUCCESS) error_ = failed;
  end();
  return error_;
}

void Operation::end() {
  if (error_ == MPI_SUCCESS) {
    error_ = staging_.end(buffers_);
  } else {
    channel_->retire_number();
  }
  workspace_->done();
  --plan_->operations;
}

}  // namespace starling
