#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "knowledge/earlier_runs.hpp"
#include "knowledge/names.hpp"
#include "knowledge/settings.hpp"
#include "runtime/contexts/happened.hpp"
#include "schedule/collective.hpp"
#include "selection/strategy.hpp"
#include "topology/platform.hpp"

namespace starling {

class Communicator;

/// What all communicators have in common. Set in MPI_Init, the same on all ranks but for what happened.
struct Setup {
  Settings settings;  ///< rank 0's, on every rank
  const StrategyKind* strategy = nullptr;
  std::string strategy_argument;
  EarlierRuns earlier;  ///< what they found
  /// By collective, in ascending order: sizes at which buckets are cut, for another choice may be right from there on.
  std::array<std::vector<std::int64_t>, collective_count> size_edges;
  std::optional<Platform> platform;
  // By rank of MPI_COMM_WORLD:
  std::vector<int> hosts;  ///< of the platform; -1 for unknown ones; empty without a platform
  std::vector<int> nodes;  ///< the lowest rank on the host of each rank

  int keyval = MPI_KEYVAL_INVALID;  ///< of the attribute that holds a Communicator
  std::mutex guard;                 ///< of what follows
  std::set<Communicator*> communicators;
  Happened finished;  ///< on communicators that were freed
};

/// MPI's entry points have no argument for it, so there is one.
Setup& setup();

}  // namespace starling
