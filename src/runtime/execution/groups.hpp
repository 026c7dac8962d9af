#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "runtime/execution/channel.hpp"
#include "schedule/rank_set.hpp"

namespace starling {

/// Private communicators of groups of one communicator's ranks, for native parts of schedules and for the MPI library's
/// own algorithms. A group's communicator is created for the first candidate that needs it, shared by the others, and
/// freed when the last one leaves.
class Groups {
 public:
  Groups() = default;
  ~Groups();
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;
  Groups(Groups&&) = delete;
  Groups& operator=(Groups&&) = delete;

  /// Whether this rank may create communicators for `groups` more groups.
  [[nodiscard]] static bool may_make(std::size_t groups);

  /// The number of an ordinary communicator; others are made under selected algorithms of the MPI library
  /// (LibraryAlgorithm::communicator).
  static constexpr int ordinary = -1;

  /// The communicator of `group`, to which this rank belongs; collective over the group if nobody holds it yet. Nothing
  /// if MPI has none left; ranks of other groups may still get one. Each call needs its own `leave`.
  std::optional<MPI_Comm> join(const RankSet& group, const Channel& channel, int number = ordinary);
  /// The last to leave frees the group's communicator, which is collective over the group.
  void leave(const RankSet& group, int number = ordinary);
  [[nodiscard]] bool has(const RankSet& group, int number = ordinary) const;
  /// The communicator of a group that somebody holds.
  [[nodiscard]] std::optional<MPI_Comm> of(const RankSet& group) const;

 private:
  /// A group that somebody holds, and its communicator; MPI_COMM_NULL if it could not be created.
  struct Held {
    RankSet group;
    int number;
    MPI_Comm comm;
    int holders;
  };
  [[nodiscard]] std::vector<Held>::const_iterator find(const RankSet& group, int number = ordinary) const;

  std::vector<Held> held_;
};

}  // namespace starling
