#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/execution/channel.hpp"
#include "runtime/execution/groups.hpp"

namespace starling {

class ScheduleCarrier;

/// What schedules need on one communicator: a channel for messages, communicators of groups, memory for what they keep.
class Resources {
 public:
  Resources(MPI_Comm comm, int rank, int size) : comm_(comm), rank_(rank), size_(size) {}

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

  /// How algorithms and agreements send their messages. Collective where there is none yet. Null, on all ranks, where
  /// none can be had.
  Channel* channel();
  /// Joins a group of this communicator's ranks; see Groups::join.
  std::optional<MPI_Comm> join(const RankSet& group) { return groups_.join(group, *channel_); }
  [[nodiscard]] Groups& groups() { return groups_; }

  /// Tells that `holder` has made another plan. Where all that are kept here are too large together, others drop
  /// theirs, oldest first, and make them again when they need them.
  void keeps(ScheduleCarrier& holder);
  void keeps_no_more(const ScheduleCarrier& holder);

  /// Ends the job: for what one rank alone can't do any more.
  [[noreturn]] void give_up(const std::string& why) const;

 private:
  MPI_Comm comm_;
  int rank_;
  int size_;
  std::unique_ptr<Channel> channel_;
  Groups groups_;
  std::vector<ScheduleCarrier*> keepers_;  ///< of plans, those that made theirs first before the others
};

}  // namespace starling
