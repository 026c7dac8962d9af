#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/candidate.hpp"
#include "runtime/call/call.hpp"
#include "runtime/execution/operation.hpp"
#include "schedule/layout.hpp"

namespace starling {

/// What comes before a call in which ranks pass on blocks whose sizes they do not know (Bound::learns_sizes). Where
/// there is a root all ranks learn all sizes: from those who send, so that what they expect can be compared. Elsewhere
/// that would be too many, and the schedule of the call runs with each block's size as its data: what lies in scratch
/// at the end are the sizes of the blocks that lie there in the call.
class SizeExchange {
 public:
  /// The most bytes that a root, or elsewhere a rank, has in blocks that others pass on: much more of them than that
  /// may come to lie on one rank, and large blocks gain nothing by it.
  static constexpr std::int64_t most_bytes = std::int64_t{4} << 20U;

  /// `bound` outlives it.
  explicit SizeExchange(const Bound& bound);

  /// Sets up for a call of `team`, whose own blocks are as large as the layouts say. Sets `built` if a schedule was
  /// built.
  void set_up(const Team& team, const Layout& send, const Layout& recv, bool& built);
  /// The place of this rank in the call.
  [[nodiscard]] const Team& team() const { return team_; }
  /// To be started; its data is in this object's memory, and nothing of it is reduced.
  [[nodiscard]] Operation& operation() { return operation_; }
  /// Ends it once it was started. Returns whether no rank has more than `most_bytes`, alike on all.
  bool finish();
  /// After it has ended: the size of each block of scratch, as `bind` takes them.
  [[nodiscard]] std::span<const std::int64_t> learned() const { return learned_; }
  /// After it has ended: its error, or MPI's for messages that are longer than this rank expects.
  [[nodiscard]] int error() const;

  [[nodiscard]] Plans& plans() { return plans_; }
  [[nodiscard]] const Plans& plans() const { return plans_; }

 private:
  /// How much this rank expects of each rank that it has to do with; what that one tells is compared.
  struct Expected {
    int rank;
    std::int64_t bytes;
  };

  const Bound& bound_;
  Bound telling_;
  Plans plans_;
  Operation operation_;
  Team team_{};
  Call call_;                       ///< of sizes
  std::vector<std::int64_t> mine_;  ///< of this rank's blocks
  std::vector<std::int64_t> told_;  ///< by rank
  std::vector<Expected> expected_;
  std::vector<int> likes_;  ///< where there is a root: the block that each one in scratch is as large as
  std::vector<std::int64_t> learned_;
};

}  // namespace starling
