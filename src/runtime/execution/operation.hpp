#pragma once

#include "runtime/execution/channel.hpp"
#include "runtime/execution/executor.hpp"
#include "runtime/execution/plan.hpp"
#include "runtime/execution/staging.hpp"
#include "runtime/mpi/workspace.hpp"

namespace starling {

/// One call in flight on a plan: its buffers, memory and messages.
class Operation {
 public:
  /// The staging of the call's data. To be set up before the operation starts.
  [[nodiscard]] Staging& staging() { return staging_; }
  [[nodiscard]] const Staging& staging() const { return staging_; }

  /// Allocates the memory for `plan` in `workspace`, until `finish`. False if there is not enough.
  [[nodiscard]] bool reserve(const Plan& plan, Workspace& workspace);
  /// Starts on a plan for which memory was reserved, with `op` for reductions. Local.
  void start(Plan& plan, Channel& channel, MPI_Op op);
  /// Completes the operation. Returns an MPI error code; the application's error handler has not been called for it.
  int finish();

 private:
  Staging staging_;
  Plan* plan_ = nullptr;
  Channel* channel_ = nullptr;
  Workspace* workspace_ = nullptr;
  char* memory_ = nullptr;
  Buffers buffers_;
  Transport transport_{};
  MPI_Op op_{};
  int error_ = MPI_SUCCESS;
};

}  // namespace starling
