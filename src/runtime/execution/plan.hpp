#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "algorithms/candidate.hpp"
#include "schedule/program.hpp"

namespace starling {

/// What one rank does in calls of one candidate with one root, division and layout: its schedule, bound to sizes. It
/// does not change while operations are in flight on it.
struct Plan {
  Team team;
  Layout send;
  Layout recv;
  std::vector<std::int64_t> learned;  ///< sizes of scratch, as `bind` takes them
  Program program;
  std::vector<MPI_Comm> natives;           ///< communicators of the program's native parts
  int most_requests = 0;                   ///< of any step
  std::unique_ptr<FlatSchedule> schedule;  ///< to bind to other sizes; null if sizes don't change
  int operations = 0;                      ///< in flight on it
};

/// The plans of one candidate on one communicator. Equal calls share a plan. If only sizes differ from the latest call,
/// a plan that is not in use is bound to the new sizes.
class Plans {
 public:
  /// `bound` outlives it.
  explicit Plans(const Bound& bound) : bound_(bound) {}

  /// The plan for a call of `team` with these layouts, and scratch as `learned` says. `sizes_change`: calls of other
  /// sizes may follow. Sets `built` if a schedule was built. Valid until the next call.
  Plan& plan(const Team& team, const Layout& send, const Layout& recv, bool sizes_change, bool& built,
             std::span<const std::int64_t> learned = {});
  /// The plan of the latest call; null for none.
  [[nodiscard]] Plan* latest() const { return latest_; }
  /// Whether there is one plan at most, which is not in use.
  [[nodiscard]] bool may_rest() const {
    return plans_.empty() || (plans_.size() == 1 && plans_.front()->operations == 0);
  }
  /// Deletes all plans that are not in use.
  void drop();
  /// Bytes that plans take.
  [[nodiscard]] std::size_t bytes() const;

 private:
  [[nodiscard]] Plan* find(const Team& team, const Layout& send, const Layout& recv,
                           std::span<const std::int64_t> learned) const;

  const Bound& bound_;
  std::vector<std::unique_ptr<Plan>> plans_;
  Plan* latest_ = nullptr;
};

}  // namespace starling
