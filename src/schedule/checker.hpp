#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "schedule/schedule.hpp"

namespace starling {

class HappensBefore;

/// What may be taken for granted about a call.
struct CheckedCall {
  int blocks;                    ///< the data is divided into; one for each rank unless the collective divides more
  bool commutative = false;      ///< the operator: contributions may be combined in any order
  bool uniform = false;          ///< all ranks' blocks are equally large, and so are parts of one number of them
  bool in_place = false;         ///< the send buffer lies in the receive buffer, where the collective has_in_place()
  std::span<const int> nodes{};  ///< of each rank; where they are not known none shares memory with another
  /// Ranks learn the sizes of what they pass on before the schedules run (Bound::learns_sizes): all of them where there
  /// is a root, else those of blocks that come to lie in scratch.
  bool learns_sizes = false;
};

/// What the checker found.
struct CheckResult {
  std::string error;        ///< one sentence that names rank, round, peer and block; empty if the schedules are right
  std::uint64_t order = 0;  ///< a fingerprint of the expressions in the result: equal where results are bitwise equal
  [[nodiscard]] bool right() const { return error.empty(); }
};

/// Runs the schedules of all ranks on symbolic data and proves that they carry out `collective`:
/// - Every rank ends with what `expectation()` says. Each rank's contribution is combined exactly once and, unless the
///   operator is commutative, in rank order; in allreduce by the same expression on every rank, so that results are
///   bitwise equal.
/// - Messages match: the k-th send from one rank to another has the blocks and the sizes of the k-th receive.
/// - Nothing waits for ever, even if a send ends only when its receive is posted.
/// - Nothing is read before it is written, written while it is read, or outside its buffer; `send` is never written.
/// - Where sizes of pairs are learned, scratch that holds one block never holds another that may be larger or smaller.
/// - The members of a sub-collective all join it.
/// - Ranks that meet in shared memory are on one node, and none waits for ever however little room there is.
/// - Nobody leaves a barrier before it has heard, itself or through others, from every rank.
///
/// `per_rank[r]` is what rank r does. `order`, made for as many ranks, is told what happens before what on them, as far
/// as they come. Never throws for wrong schedules.
CheckResult check(Collective collective, std::span<const Schedule> per_rank, int root, const CheckedCall& facts,
                  HappensBefore* order = nullptr);

}  // namespace starling
