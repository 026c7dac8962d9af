#include "runtime/execution/operation.hpp"

#include <algorithm>

#include "runtime/mpi/process.hpp"

namespace starling {

bool Operation::reserve(const Plan& plan, Workspace& workspace) {
  const std::size_t bytes = staging_.workspace_bytes(plan.program);
  workspace_ = &workspace;
  memory_ = bytes > 0 ? workspace.take(bytes) : nullptr;
  const bool has_requests = workspace.requests(std::max(2, plan.program.most_messages));
  return has_requests && (bytes == 0 || memory_ != nullptr);
}

void Operation::start(Plan& plan, Channel& channel, MPI_Op op) {
  plan_ = &plan;
  ++plan.operations;
  channel_ = &channel;
  op_ = op;
  transport_ = {process().world, channel.peers(), channel.next_tag(), workspace_->requests()};
  error_ = staging_.begin(plan.program, memory_, buffers_);
}

int Operation::finish() {
  // Even after an error: other ranks wait for this rank's messages, whatever their contents.
  const int failed = execute(plan_->program, buffers_, staging_.unit(), op_, transport_, plan_->natives);
  if (error_ == MPI_SUCCESS) error_ = failed;
  if (error_ == MPI_SUCCESS) {
    error_ = staging_.end(buffers_);
  } else {
    channel_->retire_number();
  }
  workspace_->done();
  --plan_->operations;
  return error_;
}

}  // namespace starling
