#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "algorithms/candidate.hpp"
#include "runtime/call.hpp"
#include "runtime/facts.hpp"
#include "runtime/staging.hpp"
#include "schedule/program.hpp"

namespace starling {

class Communicator;

/// A candidate made ready on one communicator: its schedules, one for each root and division of the data, bound to the
/// sizes of the last call.
class Prepared {
 public:
  explicit Prepared(const Bound& bound) : bound_(bound) {}

  /// Carries out `call`. The first time, all ranks make sure together that each of them can (communicators, memory); if
  /// one can't, `refused` tells why from then on and the call has not been made. Returns an MPI error code.
  int carry_out(const Call& call, const Facts& facts, Communicator& communicator);

  /// Why it can't be used here after all; empty if it can. The same on all ranks.
  [[nodiscard]] const std::string& refused() const { return refused_; }

 private:
  struct Instance {
    Team team;
    Schedule schedule;
    Layout send;
    Layout recv;
    Program program;
    std::vector<MPI_Comm> natives;  ///< communicators of the program's native parts
  };

  Instance& instance(const Team& team);
  bool make_ready(Instance& instance, Communicator& communicator);

  Bound bound_;
  bool ready_ = false;
  MPI_Comm work_{};
  std::string refused_;
  LatestCall latest_;
  Staging staging_;
  std::vector<std::unique_ptr<Instance>> instances_;
  Instance* last_ = nullptr;
};

}  // namespace starling
