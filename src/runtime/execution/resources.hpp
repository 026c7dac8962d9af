#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/execution/channel.hpp"
#include "runtime/execution/groups.hpp"
#include "runtime/execution/neighbours.hpp"
#include "runtime/execution/segment.hpp"
#include "schedule/plan_holders.hpp"

namespace starling {

class ScheduleCarrier;

/// What schedules need on one communicator: a channel for messages, communicators of groups, memory for plans.
class Resources {
 public:
  Resources(MPI_Comm comm, int rank, int size) : comm_(comm), rank_(rank), size_(size) {}

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

  /// The channel for messages of algorithms and agreements. Collective if there is none yet. Null, on all ranks, if it
  /// can't be opened. `fact` is told to all when it is opened, if this is the first rank.
  Channel* channel(bool fact = false);
  /// Joins a group of this communicator's ranks; see Groups::join.
  std::optional<MPI_Comm> join(const RankSet& group, int number = Groups::ordinary) {
    return groups_.join(group, *channel_, number);
  }
  [[nodiscard]] Groups& groups() { return groups_; }
  [[nodiscard]] Neighbours& neighbours() { return neighbours_; }

  /// Joins the memory that ranks of a node share; collective where nobody has joined yet. Returns why not, on all
  /// ranks alike, or nothing. Each call that returns nothing needs its own `leave_segment`, which is local.
  std::string join_segment(const Places& places);
  void leave_segment();
  /// Null where nobody has joined.
  [[nodiscard]] Segment* segment() { return segment_.get(); }

  /// Called when `holder` has joined groups, and when it has left them.
  void groups_joined(ScheduleCarrier& holder);
  void groups_left(const ScheduleCarrier& holder);
  /// Lets all holders of groups but `wanting` give back what they have; they join again when needed. On all ranks
  /// alike, which make the same calls on this communicator.
  void give_back_groups(const ScheduleCarrier& wanting);

  /// Called when `holder` has made another plan; see PlanHolders.
  void plan_made(ScheduleCarrier& holder);
  /// Called when `holder` has dropped its plans.
  void plans_dropped(const ScheduleCarrier& holder);

  /// Ends the job: one rank has failed and the others can't know it.
  [[noreturn]] void abort_job(const std::string& why) const;

 private:
  MPI_Comm comm_;
  int rank_;
  int size_;
  std::unique_ptr<Channel> channel_;
  Groups groups_;
  Neighbours neighbours_;
  std::unique_ptr<Segment> segment_;
  int segment_holders_ = 0;
  std::vector<ScheduleCarrier*> group_holders_;  ///< in the order in which they joined, the same on all ranks
  PlanHolders<ScheduleCarrier> plan_holders_;
};

}  // namespace starling
