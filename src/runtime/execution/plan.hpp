#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/candidate.hpp"
#include "schedule/program.hpp"

namespace starling {

/// What one rank does in calls of one candidate, root, division and layout: its schedule bound to sizes. It does not
/// change while operations are in flight on it.
struct Plan {
  Team team;
  Layout send;
  Layout recv;
  Program program;
  std::vector<MPI_Comm> natives;         ///< communicators of the program's native parts
  int most_requests = 0;                 ///< that a step takes
  std::optional<FlatSchedule> schedule;  ///< to be bound to other sizes; nothing where those don't change
  int operations = 0;                    ///< in flight on it
};

/// The plans of one candidate on one communicator. Equal calls share a plan; where only sizes differ from the latest
/// call's, a plan that is not in use is bound again.
class Plans {
 public:
  explicit Plans(const Bound& bound) : bound_(bound) {}

  /// The plan for a call of `team` with these layouts. `sizes_change` tells that calls of other sizes will follow.
  /// Sets `built` where a schedule was built for it. Valid until the next call.
  Plan& plan(const Team& team, const Layout& send, const Layout& recv, bool sizes_change, bool& built);
  /// The plan of the latest call; null for none.
  [[nodiscard]] Plan* latest() const { return latest_; }
  /// Forgets all plans but those in use.
  void drop();
  /// Bytes that plans take.
  [[nodiscard]] std::size_t bytes() const;

 private:
  [[nodiscard]] Plan* find(const Team& team, const Layout& send, const Layout& recv) const;

  Bound bound_;
  std::vector<std::unique_ptr<Plan>> plans_;
  Plan* latest_ = nullptr;
};

}  // namespace starling
