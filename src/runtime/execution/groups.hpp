#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "runtime/execution/channel.hpp"
#include "schedule/rank_set.hpp"

namespace starling {

/// Private communicators of groups of one communicator's ranks, for native parts of schedules. A group's is made when
/// the first candidate needs it, shared by all that do, and freed when the last has left it.
class Groups {
 public:
  Groups() = default;
  ~Groups();
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;
  Groups(Groups&&) = delete;
  Groups& operator=(Groups&&) = delete;

  /// Whether this rank may make communicators for so many more groups.
  [[nodiscard]] static bool may_make(std::size_t groups);

  /// The communicator of `group`, of which this rank is one; collective over the group where nobody holds it yet.
  /// Nothing when MPI has none left; ranks of other groups may still get one. Each call wants its own `leave`.
  std::optional<MPI_Comm> join(const RankSet& group, const Channel& channel);
  /// Frees the communicator of a group when the last has left it: collective over the group then.
  void leave(const RankSet& group);
  [[nodiscard]] bool has(const RankSet& group) const;
  /// The communicator of a group that somebody holds.
  [[nodiscard]] std::optional<MPI_Comm> of(const RankSet& group) const;

 private:
  /// A group that somebody holds, and its communicator; MPI_COMM_NULL where none could be had.
  struct Held {
    RankSet group;
    MPI_Comm comm;
    int holders;
  };
  [[nodiscard]] std::vector<Held>::const_iterator find(const RankSet& group) const;

  std::vector<Held> held_;
};

}  // namespace starling
