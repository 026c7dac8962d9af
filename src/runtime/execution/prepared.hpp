#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/candidate.hpp"
#include "runtime/call/call.hpp"
#include "runtime/call/facts.hpp"
#include "runtime/execution/staging.hpp"
#include "schedule/program.hpp"

namespace starling {

class Resources;

/// A candidate made ready on one communicator: its schedules, one for each root and division of the data, bound to the
/// sizes of the last call.
class Prepared {
 public:
  explicit Prepared(const Bound& bound) : bound_(bound) {}

  /// Carries out `call`. The first time, all ranks make sure together that each of them can (communicators, memory); if
  /// one can't, `refused` tells why from then on and the call has not been made. Returns an MPI error code, which
  /// nobody has told the application's error handler.
  int carry_out(const Call& call, const Facts& facts, Resources& resources);

  /// Why it can't be used here after all; empty if it can. The same on all ranks.
  [[nodiscard]] const std::string& refused() const { return refused_; }

  /// Gives back all that was made for it, on all ranks at the same call; what it is asked to do next it is made ready
  /// for anew. Collective.
  void release(Resources& resources);
  /// Forgets its schedules, which are built again when they are needed; on this rank alone.
  void drop_schedules();
  /// Bytes of schedules kept.
  [[nodiscard]] std::size_t kept_bytes() const;

 private:
  struct Instance {
    Team team;
    std::optional<FlatSchedule> schedule;  ///< where the layout may change from call to call
    Layout send;
    Layout recv;
    Program program;
    std::vector<MPI_Comm> natives;  ///< communicators of the program's native parts
  };

  void instance(const Team& team, Resources& resources);
  bool make_ready(Resources& resources, bool has_memory);
  bool join_groups(Resources& resources);

  Bound bound_;
  bool ready_ = false;
  bool keeps_schedules_ = false;  ///< for the next layout
  std::string refused_;
  LatestCall latest_;
  Staging staging_;
  std::vector<std::unique_ptr<Instance>> instances_;
  Instance* last_ = nullptr;
  std::vector<RankSet> groups_;  ///< joined
};

}  // namespace starling
