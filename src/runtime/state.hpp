#pragma once

#include <mpi.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "knowledge/earlier_runs.hpp"
#include "knowledge/names.hpp"
#include "knowledge/settings.hpp"
#include "runtime/channel.hpp"
#include "runtime/happened.hpp"
#include "selection/strategy.hpp"
#include "topology/platform.hpp"

namespace starling {

class Communicator;

/// What the process keeps between MPI_Init and MPI_Finalize: the one global that MPI's entry points force on us.
struct State {
  bool running = false;  ///< between MPI_Init and MPI_Finalize, with Starling at work
  Settings settings;     ///< rank 0's, on every rank
  const StrategyKind* strategy = nullptr;
  std::string strategy_argument;
  int world_rank = 0;
  int world_size = 0;
  int keyval = MPI_KEYVAL_INVALID;  ///< of the attribute that holds a Communicator
  MPI_Comm world{};         ///< all ranks of MPI_COMM_WORLD on a private communicator: all of Starling's own messages
  int largest_tag = 0;      ///< on it
  bool concurrent = false;  ///< a rank may have threads that call MPI at once
  ChannelNumbers channels;  ///< in use
  MPI_Comm alone{};         ///< a private communicator of this rank only, whose errors are returned
  std::mutex alone_guard;   ///< held while a thread uses it
  std::chrono::system_clock::time_point started;
  double started_wtime = 0;
  EarlierRuns earlier;  ///< what they found; the same on all ranks
  std::optional<Platform> platform;
  // By rank of MPI_COMM_WORLD:
  std::vector<int> hosts;  ///< of the platform; -1 for unknown ones; empty without a platform
  std::vector<int> nodes;  ///< the lowest rank on the host of each rank

  std::mutex guard;  ///< of what follows
  std::set<Communicator*> communicators;
  Happened finished;              ///< on communicators that were freed
  int private_communicators = 0;  ///< of groups, that this rank holds now
};

State& state();

/// One line on stderr, from rank 0 of MPI_COMM_WORLD only.
void say(const std::string& sentence);

}  // namespace starling
