#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/candidate.hpp"
#include "runtime/execution/operation.hpp"
#include "schedule/layout.hpp"

namespace starling {

/// What comes before a call in which ranks pass on blocks whose sizes they do not know (Bound::learns_sizes): the same
/// schedule, with each block's size as its data. What lies in scratch at the end are then the sizes of the blocks that
/// lie there in the call.
class SizeExchange {
 public:
  /// `bound` outlives it.
  explicit SizeExchange(const Bound& bound) : plans_(bound) {}

  /// Sets up for a call of `team`, whose own blocks are as large as the layouts say. Sets `built` if a schedule was
  /// built.
  void set_up(const Team& team, const Layout& send, const Layout& recv, bool& built);
  /// The place of this rank in the call.
  [[nodiscard]] const Team& team() const { return team_; }
  /// The exchange itself, ready to be started: its data is in its own memory, and nothing of it is reduced.
  [[nodiscard]] Operation& operation() { return operation_; }
  /// Of an exchange that has ended: the size of each block of scratch, as `bind` takes them.
  [[nodiscard]] std::span<const std::int64_t> learned() const { return learned_; }
  /// Of an exchange that has ended: its error, or MPI's for messages that are longer than this rank expects.
  [[nodiscard]] int error() const;

  [[nodiscard]] Plans& plans() { return plans_; }
  [[nodiscard]] const Plans& plans() const { return plans_; }

 private:
  Plans plans_;
  Operation operation_;
  Team team_{};
  Call call_;                        ///< of sizes
  std::vector<std::int64_t> gives_;  ///< of this rank's blocks
  std::vector<std::int64_t> expects_;
  std::vector<std::int64_t> told_;  ///< by others, of the blocks that come to this rank
  std::vector<std::int64_t> learned_;
};

}  // namespace starling
