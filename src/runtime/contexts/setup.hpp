#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cost/predictor.hpp"
#include "knowledge/earlier_runs.hpp"
#include "knowledge/names.hpp"
#include "knowledge/settings.hpp"
#include "knowledge/tuning_table.hpp"
#include "profile/call_order.hpp"
#include "profile/profile_sum.hpp"
#include "runtime/contexts/happened.hpp"
#include "runtime/mpi/clock.hpp"
#include "schedule/collective.hpp"
#include "selection/strategy.hpp"
#include "topology/platform.hpp"
#include "tuning/consensus.hpp"
#include "tuning/experience.hpp"
#include "tuning/latest_collective.hpp"

namespace starling {

class Communicator;

/// What a profiled run keeps besides what any run does.
struct Profile {
  ProfileSum finished;             ///< on communicators that were freed; guarded as Setup::finished
  std::optional<CallOrder> order;  ///< on rank 0, unless several threads may call MPI
};

/// What all communicators share. Set in MPI_Init; the same on all ranks, except `communicators`, `others` and
/// `finished`.
struct Setup {
  Settings settings;  ///< rank 0's, on every rank
  const StrategyKind* strategy = nullptr;
  std::string strategy_argument;
  EarlierRuns earlier;    ///< from the history
  Experience experience;  ///< of this process in this run
  std::optional<TuningTable> table;
  std::atomic<int> advised{0};  ///< the next Brief::number
  /// By collective, in ascending order: sizes at which buckets are cut, because another choice may be right from there.
  /// Empty where no such size is known.
  std::array<std::vector<std::int64_t>, collective_count> size_edges;
  std::optional<Platform> platform;
  // By rank of MPI_COMM_WORLD:
  std::vector<int> hosts;    ///< its host in the platform; -1 if unknown; empty without a platform
  std::vector<int> nodes;    ///< the lowest rank on the same host
  std::vector<int> domains;  ///< of that host
  std::vector<int> sharing;  ///< 1 where it shares processors, else 0
  /// What the cost model knows of the network; none where no strategy asks for it, or nothing is known.
  std::optional<Predictor> network;
  /// Measures it, between ranks of MPI_COMM_WORLD that all call this. Null where it may not be measured, or need not.
  void (*measure_network)(const std::vector<int>& ranks, Consensus& consensus) = nullptr;
  std::optional<double> probe_seconds;  ///< that the job took to measure it
  /// Of this rank, outside of the calls that it follows: see OwnWork.
  std::atomic<double> own_seconds{0};
  std::unique_ptr<Profile> profile;  ///< null in a run that is not profiled
  /// By Clock, from when on the next agreement on rank 0 of MPI_COMM_WORLD calls `checkpoint`.
  double next_checkpoint = std::numeric_limits<double>::infinity();
  void (*checkpoint)() = nullptr;  ///< writes what is known so far, for a job that is killed, and sets the next time

  LatestCollective latest;  ///< of this rank, by Clock; not kept where several threads may call MPI

  int keyval = MPI_KEYVAL_INVALID;  ///< of the attribute that holds a Communicator
  std::mutex guard;                 ///< of the members below
  std::set<Communicator*> communicators;
  std::set<const LeavesRecord*> others;  ///< patterns of the program's own
  Happened finished;                     ///< on communicators that were freed
  Remains remains;                       ///< of these, what is not in `finished` yet
};

/// The process's only one: MPI's entry points have no argument to pass it.
Setup& setup();

/// Counts the seconds of its lifetime as Starling's own: what the program waits for before and after its collectives.
class OwnWork {
 public:
  OwnWork() : start_(Clock::now()) {}
  ~OwnWork() { setup().own_seconds.fetch_add(Clock::now() - start_, std::memory_order_relaxed); }
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;
  OwnWork(OwnWork&&) = delete;
  OwnWork& operator=(OwnWork&&) = delete;

 private:
  double start_;
};

}  // namespace starling
