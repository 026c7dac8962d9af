#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/execution/channel.hpp"
#include "runtime/execution/executor.hpp"
#include "runtime/execution/plan.hpp"
#include "runtime/execution/staging.hpp"
#include "runtime/mpi/process.hpp"
#include "runtime/mpi/workspace.hpp"

namespace starling {

/// One call in flight on a plan: its buffers, memory, messages, and how far it has come. A blocking call is started and
/// finished; any number of others may be in flight at once, each with a workspace of its own, and are advanced in turn.
class Operation {
 public:
  /// The staging of the call's data. To be set up before the operation starts.
  [[nodiscard]] Staging& staging() { return staging_; }

  /// The operation is one of `plan`, as are all later ones until another is set; after the staging is set up.
  void set_plan(Plan& plan);
  /// The plan, which must still exist.
  [[nodiscard]] Plan& plan() { return *plan_; }
  /// The operation and all later ones move sizes of blocks: when one has ended, `sizes` has those that lie in its
  /// scratch, or zero where none came. It must outlive the operation.
  void learn(std::vector<std::int64_t>& sizes) { learned_ = &sizes; }
  /// Allocates the memory for it in `workspace`, until the operation has ended. False if there is not enough.
  [[nodiscard]] bool reserve(Workspace& workspace) {
    workspace_ = &workspace;
    memory_ = bytes_ > 0 ? workspace.take(bytes_) : nullptr;
    return workspace.requests(plan_->most_requests) && (bytes_ == 0 || memory_ != nullptr);
  }
  /// Starts with the memory that was reserved, with `op` for reductions; `rings` as in Transport. Local.
  void start(Channel& channel, MPI_Op op, SharedRings* rings = nullptr) {
    ++plan_->operations;
    channel_ = &channel;
    op_ = op;
    transport_ = {process().world, channel.peers(), channel.next_tag(), workspace_->requests(), rings};
    step_ = 0;
    posted_ = 0;
    error_ = staging_.begin(plan_->program, memory_, buffers_);
    if (learned_ != nullptr) clear_scratch();
  }
  /// Does what can be done without waiting for other ranks. Returns whether the operation has ended.
  bool advance();
  /// Completes an operation that was not advanced. Returns error(). Also after an error: other ranks wait for this
  /// rank's messages, whatever their contents.
  int finish() {
    const int failed = execute(plan_->program, buffers_, staging_.unit(), op_, transport_, plan_->natives);
    if (error_ == MPI_SUCCESS) error_ = failed;
    end();
    return error_;
  }
  /// An MPI error code, which nobody has told the application's error handler: the first error of an operation that has
  /// ended.
  [[nodiscard]] int error() const { return error_; }

 private:
  void clear_scratch();
  void keep_scratch();
  void end() {
    if (learned_ != nullptr) keep_scratch();
    if (error_ == MPI_SUCCESS) {
      error_ = staging_.end(buffers_);
    } else {
      channel_->retire_number();
    }
    workspace_->done();
    --plan_->operations;
  }

  Staging staging_;
  Plan* plan_ = nullptr;
  std::vector<std::int64_t>* learned_ = nullptr;
  std::size_t bytes_ = 0;  ///< of memory for it
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
