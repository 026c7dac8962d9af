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
  /// How the call's data is brought into the form that programs work on. To be set up before the operation starts.
  [[nodiscard]] Staging& staging() { return staging_; }
  [[nodiscard]] const Staging& staging() const { return staging_; }

  /// Takes the memory that it needs on `plan` from `workspace`, where it stays until `finish`. False where there is
  /// none.
  [[nodiscard]] bool reserve(const Plan& plan, Workspace& workspace);
  /// Starts on a plan for which memory is reserved, with `op` for reductions. Local.
  void start(Plan& plan, Channel& channel, MPI_Op op);
  /// Carries it out to its end. Returns an MPI error code, which nobody has told the application's error handler.
  int finish();

 private:
  Staging staging_;
  Plan* plan_ = nullptr;
  Channel* channel_ = nullptr;
  Workspace* workspace_ = nullptr;
  char* memory_ = nullptr;
  Buffers buffers_;
  Wires wires_{};
  MPI_Op op_{};
  int error_ = MPI_SUCCESS;
};

}  // namespace starling
