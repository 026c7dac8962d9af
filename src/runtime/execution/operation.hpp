#pragma once

#include <cstddef>
#include <span>

#include "runtime/execution/channel.hpp"
#include "runtime/execution/executor.hpp"
#include "runtime/execution/plan.hpp"
#include "runtime/execution/staging.hpp"
#include "runtime/mpi/workspace.hpp"

namespace starling {

/// One call in flight on a plan: its buffers, memory, messages, and how far it has come. A blocking call is started and
/// finished; any number of others may be in flight at once, each with a workspace of its own, and are advanced in turn.
class Operation {
 public:
  /// The staging of the call's data. To be set up before the operation starts.
  [[nodiscard]] Staging& staging() { return staging_; }

  /// Allocates the memory for `plan` in `workspace`, until the operation has ended. False if there is not enough.
  [[nodiscard]] bool reserve(const Plan& plan, Workspace& workspace);
  /// Starts on a plan for which memory was reserved, with `op` for reductions; `segment` as in Transport. Local.
  void start(Plan& plan, Channel& channel, MPI_Op op, Segment* segment = nullptr);
  /// Does what can be done without waiting for other ranks. Returns whether the operation has ended.
  bool advance();
  /// Completes an operation that was not advanced. Returns error().
  int finish();
  /// An MPI error code, which nobody has told the application's error handler: the first error of an operation that has
  /// ended.
  [[nodiscard]] int error() const { return error_; }

 private:
  void end();

  Staging staging_;
  Plan* plan_ = nullptr;
  Channel* channel_ = nullptr;
  Workspace* workspace_ = nullptr;
  char* memory_ = nullptr;
  Buffers buffers_;
  Transport transport_{};
  MPI_Op op_{};
  std::size_t step_ = 0;  ///< the next to begin
  int posted_ = 0;        ///< requests of the one before, of which some may be complete
  int error_ = MPI_SUCCESS;
};

}  // namespace starling
